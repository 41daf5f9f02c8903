#include "search/landmarks/count.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "search/landmarks/discovery.hpp"

namespace goalward {

namespace {

void set(std::vector<uint64_t>& row, std::size_t bit) { row[bit / 64] |= uint64_t{1} << (bit % 64); }
bool test(const uint64_t* row, std::size_t bit) { return row[bit / 64] >> (bit % 64) & 1; }

}  // namespace

LandmarkGuide::LandmarkGuide(std::shared_ptr<const LandmarkKnowledge> knowledge, const Goal& goal)
    : knowledge_(std::move(knowledge)), problem_(*knowledge_->problem), goal_(goal) {}

void LandmarkGuide::start(StateId id, StateSpace& space, Budget& budget) {
    {
        LandmarkFinder finder(*knowledge_);
        graph_ = finder.find(space[id], goal_.atoms(), budget);
        effort_ += finder.effort();
    }
    width_ = graph_.natural.width();
    for (auto* row : {&all_, &goals_, &delayed_, &row_, &scratch_}) row->assign(width_, 0);
    before_ = BitMatrix(graph_.size(), graph_.size());
    std::vector<std::vector<int32_t>> landmarks_of(knowledge_->n_atoms());
    for (std::size_t p = 0; p < graph_.size(); ++p) {
        set(all_, p);
        if (graph_.goal[p]) set(goals_, p);
        if (graph_.initial[p]) set(row_, p);
        budget.require();
        include(before_[p], graph_.natural[p], width_);
        for (int32_t atom : graph_.atoms[p]) landmarks_of[atom].push_back(static_cast<int32_t>(p));
        for_each_bit(graph_.reasonable[p], width_, [&](int32_t q) {
            before_.set(p, q);
            set(delayed_, p);
        });
    }
    landmarks_of_ = Rows();
    for (const auto& row : landmarks_of) landmarks_of_.push_back(row);
    apply_reasonable_orders(std::vector<uint64_t>(width_).data(), space[id]);
    status_ = Chunked<uint64_t>(std::max<std::size_t>(1, width_));
    store(id);
}

void LandmarkGuide::reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) {
    const uint64_t* earlier = status_[parent];
    std::copy_n(earlier, width_, row_.begin());
    for (int32_t atom : problem_.op(op).add)
        for (int32_t landmark : landmarks_of_[atom]) set(row_, landmark);
    apply_reasonable_orders(earlier, space[child]);
    if (fresh) {
        store(child);
    } else {
        uint64_t* known = status_[child];
        for (std::size_t w = 0; w < width_; ++w) known[w] &= row_[w];
    }
    effort_ += 20 + width_;
}

// row_ has the landmarks that were reached `earlier` or are added by this step. Of the new ones with reasonable orders,
// keeps those that hold in the state and whose predecessors are all reached, and removes the others.
void LandmarkGuide::apply_reasonable_orders(const uint64_t* earlier, const Word* state) {
    std::copy(row_.begin(), row_.end(), scratch_.begin());
    for (std::size_t w = 0; w < width_; ++w)
        for (uint64_t rest = delayed_[w] & ~earlier[w]; rest; rest &= rest - 1) {
            const auto p = static_cast<int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            const uint64_t bit = rest & -rest;
            if (is_subset(graph_.reasonable[p], scratch_.data(), width_) && holds(p, state))
                row_[w] |= bit;
            else
                row_[w] &= ~bit;
        }
}

void LandmarkGuide::store(StateId id) {
    while (status_.size() <= id) {
        std::copy(row_.begin(), row_.end(), status_.next());
        status_.commit();
    }
}

inline bool LandmarkGuide::holds(int32_t landmark, const Word* state) const {
    for (int32_t atom : graph_.atoms[landmark])
        if (problem_.packing().holds(state, atom)) return true;
    return false;
}

float LandmarkGuide::evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) {
    if (!graph_.solvable) return dead_end;
    const Word* state = space[id];
    const uint64_t* reached = status_[id];
    int count = 0;
    // Landmarks that may be required again: goals, and greedy-necessary predecessors of landmarks that are not reached.
    std::copy(goals_.begin(), goals_.end(), scratch_.begin());
    for (std::size_t w = 0; w < width_; ++w) row_[w] = all_[w] & ~reached[w];
    for_each_bit(row_.data(), width_, [&](int32_t p) {
        ++count;
        const uint64_t* needs = graph_.greedy_necessary[p];
        for (std::size_t w = 0; w < width_; ++w) scratch_[w] |= needs[w];
    });
    effort_ += 20 + static_cast<uint64_t>(count) * width_;
    bool lost = false;
    for_each_bit(scratch_.data(), width_, [&](int32_t p) {
        ++effort_;
        if (holds(p, state)) return;
        count += test(reached, p);
        lost = lost || is_unreachable(p, reached);
    });
    if (lost) return dead_end;
    if (preferred) prefer(id, space, *preferred);
    return static_cast<float>(count);
}

// True if a required landmark that is false provably cannot be reached: no operator adds its atoms, and either the goal
// contains it or it is a greedy-necessary predecessor of a landmark that was never true on some path. Landmarks with
// reasonable orders are excluded, because they may have been true without counting as reached.
bool LandmarkGuide::is_unreachable(int32_t landmark, const uint64_t* reached) const {
    const auto atoms = graph_.atoms[landmark];
    if (std::any_of(atoms.begin(), atoms.end(), [&](int32_t atom) { return knowledge_->addable(atom); })) return false;
    if (graph_.goal[landmark]) return true;
    for (std::size_t p = 0; p < graph_.size(); ++p)
        if (!test(reached, p) && !test(delayed_.data(), p) && graph_.greedy_necessary.test(p, landmark)) return true;
    return false;
}

void LandmarkGuide::prefer(StateId id, StateSpace& space, std::vector<int32_t>& preferred) {
    const uint64_t* reached = status_[id];
    const Word* state = space[id];
    bool any = false;
    for (std::size_t w = 0; w < width_; ++w) {
        scratch_[w] = all_[w] & ~reached[w];
        any = any || scratch_[w];
    }
    if (any) {
        for_each_bit(scratch_.data(), width_, [&](int32_t p) {  // reads each word before it clears bits in it
            if (!is_subset(before_[p], reached, width_)) scratch_[p / 64] &= ~(uint64_t{1} << (p % 64));
        });
    } else {
        std::copy(goals_.begin(), goals_.end(), scratch_.begin());
        for_each_bit(goals_.data(), width_, [&](int32_t p) {
            if (holds(p, state)) scratch_[p / 64] &= ~(uint64_t{1} << (p % 64));
        });
    }
    const std::vector<int32_t>& applicable = space.applicable(id);
    effort_ += static_cast<uint64_t>(problem_.packing().n_variables()) + applicable.size() * 4;
    for (int32_t op : applicable) {
        const auto add = problem_.op(op).add;
        if (std::any_of(add.begin(), add.end(), [&](int32_t atom) {
                const auto landmarks = landmarks_of_[atom];
                return std::any_of(landmarks.begin(), landmarks.end(),
                                   [&](int32_t p) { return test(scratch_.data(), p); });
            }))
            preferred.push_back(op);
    }
}

}  // namespace goalward
