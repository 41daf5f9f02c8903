#include "search/landmarks/propagation.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

LandmarkPropagation::LandmarkPropagation(const LandmarkKnowledge& knowledge)
    : knowledge_(knowledge), ops_(*knowledge.operators), support_(knowledge.n_atoms()), position_(ops_.size()),
      column_(knowledge.n_atoms()), initialised_(knowledge.n_atoms()) {}

bool LandmarkPropagation::run(const Word* state, std::span<const int32_t> goal, Budget& budget) {
    explore(state);
    if (std::any_of(goal.begin(), goal.end(), [&](int32_t atom) { return support_[atom] == unreached; })) return false;
    choose_candidates(goal);
    sweep(budget);
    return true;
}

void LandmarkPropagation::fire(int32_t op) {
    position_[op] = static_cast<int32_t>(order_.size());
    order_.push_back(op);
    for (int32_t atom : ops_.add[op])
        if (support_[atom] == unreached) {
            support_[atom] = op;
            reached_.push_back(atom);
        }
}

void LandmarkPropagation::explore(const Word* state) {
    std::fill(support_.begin(), support_.end(), unreached);
    std::fill(position_.begin(), position_.end(), -1);
    missing_ = knowledge_.n_pre;
    order_.clear();
    reached_.clear();
    knowledge_.problem->packing().true_atoms(state, reached_);
    for (int32_t atom : reached_) support_[atom] = initial;
    for (int32_t op : ops_.free) fire(op);
    for (std::size_t i = 0; i < reached_.size(); ++i)
        for (int32_t op : ops_.waiting[reached_[i]])
            if (--missing_[op] == 0) fire(op);
    effort_ += reached_.size() + order_.size();
}

void LandmarkPropagation::choose_candidates(std::span<const int32_t> goal) {
    std::fill(column_.begin(), column_.end(), -1);
    candidates_.clear();
    const auto add = [&](int32_t atom) {
        if (column_[atom] >= 0) return;
        column_[atom] = static_cast<int32_t>(candidates_.size());
        candidates_.push_back(atom);
    };
    for (int32_t atom : goal) add(atom);
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (const int32_t op = support_[candidates_[i]]; op >= 0)
            for (int32_t atom : ops_.pre[op]) add(atom);
}

void LandmarkPropagation::sweep(Budget& budget) {
    needed_ = BitMatrix(support_.size(), candidates_.size());
    budget.require(needed_.bytes());
    label_.resize(needed_.width());
    std::fill(initialised_.begin(), initialised_.end(), 0);
    for (int32_t atom : reached_) {
        if (support_[atom] != initial) break;
        initialised_[atom] = 1;
        if (column_[atom] >= 0) needed_.set(atom, column_[atom]);
    }
    dirty_.assign((order_.size() + 63) / 64, 0);
    for (int32_t op : order_) {
        budget.require();
        intersect(op, position_[op]);
    }
    const auto all = static_cast<int32_t>(order_.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t w = 0; w < dirty_.size(); ++w)
            while (dirty_[w]) {
                const std::size_t position = w * 64 + static_cast<std::size_t>(std::countr_zero(dirty_[w]));
                dirty_[w] &= dirty_[w] - 1;
                budget.require();
                intersect(order_[position], all);
                changed = true;
            }
    }
}

// Intersects the row of each added atom with the atoms that this operator requires. Operators at positions before
// `n_visited` that have a changed atom as precondition are marked dirty.
void LandmarkPropagation::intersect(int32_t op, int32_t n_visited) {
    const std::size_t width = label_.size();
    std::fill(label_.begin(), label_.end(), 0);
    for (int32_t atom : ops_.pre[op]) {
        const uint64_t* row = needed_[atom];
        for (std::size_t w = 0; w < width; ++w) label_[w] |= row[w];
    }
    effort_ += ops_.pre[op].size() * width;
    for (int32_t atom : ops_.add[op]) {
        if (support_[atom] == initial) continue;
        uint64_t* row = needed_[atom];
        if (!initialised_[atom]) {
            initialised_[atom] = 1;
            include(row, label_.data(), width);
            if (column_[atom] >= 0) needed_.set(atom, column_[atom]);
            continue;
        }
        const int32_t own = column_[atom];
        bool changed = false;
        for (std::size_t w = 0; w < width; ++w) {
            uint64_t kept = label_[w];
            if (own >= 0 && static_cast<std::size_t>(own) / 64 == w) kept |= uint64_t{1} << (own % 64);
            changed |= (row[w] & ~kept) != 0;
            row[w] &= kept;
        }
        if (!changed) continue;
        for (int32_t waiting : ops_.waiting[atom])
            if (const int32_t at = position_[waiting]; at >= 0 && at < n_visited)
                dirty_[at / 64] |= uint64_t{1} << (at % 64);
    }
}

bool LandmarkPropagation::operator_needs(int32_t op, int32_t column) const {
    return std::any_of(ops_.pre[op].begin(), ops_.pre[op].end(),
                       [&](int32_t atom) { return needed_.test(atom, column); });
}

const std::vector<int32_t>& LandmarkPropagation::achievers(int32_t atom) {
    achievers_.clear();
    for (int32_t op : knowledge_.relaxed_achievers[atom])
        if (position_[op] >= 0) achievers_.push_back(op);
    return achievers_;
}

}  // namespace goalward
