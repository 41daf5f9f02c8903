#include "search/improve/detour_search.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

namespace {
constexpr int64_t boost = 1000;  // extra turns for the queues of preferred operators after a new minimum of a guide
}

DetourSearch::DetourSearch(const Costs& costs, std::vector<WeightedGuide> guides, const Word* start, Budget& budget)
    : costs_(costs), problem_(costs.problem), guides_(std::move(guides)), budget_(budget), space_(problem_, budget),
      alternation_(boost), best_h_(guides_.size(), dead_end), priorities_(guides_.size()) {
    for (std::size_t g = 0; g < guides_.size(); ++g)
        for (bool preferred : {false, true}) {
            queues_.push_back({g, OperatorQueue(preferred, LazyQueue::Values::many)});
            alternation_.add(preferred);
        }
    exhausted_ = space_.add(start).id == no_state;
    *g_.next() = 0;
    g_.commit();
    initial_effort_ = effort();
}

std::optional<Detour> DetourSearch::advance(const Path& path, SuffixIndex& index, int from, Cost bound,
                                            uint64_t effort, uint64_t evaluations) {
    bound_ = bound;
    const uint64_t until = this->effort() + effort, last = evaluations_ + std::min(evaluations, UINT64_MAX / 2);
    if (!started_ && !exhausted_) {
        started_ = true;
        try {
            for (const WeightedGuide& g : guides_) g.guide->start(0, space_, budget_);
        } catch (const OutOfBudget&) {
            exhausted_ = true;
            return std::nullopt;
        }
        expand(0);
    }
    while (!exhausted_ && this->effort() < until && evaluations_ < last && space_.within_budget(other_bytes())) {
        const int next = alternation_.next([&](int q) { return !queues_[q].operators.empty(); });
        exhausted_ = next < 0;
        if (exhausted_) break;
        const std::optional<OperatorQueue::Served> served = queues_[next].operators.next(space_, preferred_lists_);
        if (!served) continue;
        if (served->listed)
            own_effort_ += 2 * static_cast<uint64_t>(problem_.packing().n_variables()) +
                           10 * space_.applicable(served->state).size();
        alternation_.serve(next);
        if (std::optional<Detour> found = reach(path, index, from, served->state, served->op)) return found;
    }
    return std::nullopt;
}

// Generates a successor, and expands it unless it is the end of a detour.
std::optional<Detour> DetourSearch::reach(const Path& path, SuffixIndex& index, int from, StateId parent, int32_t op) {
    const Cost g = *g_[parent] + costs_.of(op);
    if (g >= bound_) return std::nullopt;
    own_effort_ += 100 + 8 * problem_.packing().n_words();
    const auto [id, fresh] = space_.follow(parent, op);
    if (id == no_state) return std::nullopt;
    if (fresh) {
        g_.next();
        g_.commit();
        for (const WeightedGuide& guide : guides_) guide.guide->reached(parent, op, id, space_, true);
    } else if (g >= *g_[id]) {
        return std::nullopt;
    }
    *g_[id] = g;
    space_.set_parent(id, parent);
    const Cost so_far = path.cost_to(from) + g;
    const int first = path.first_costlier(so_far);
    const int to = first <= path.length() ? index.last_applicable(space_[id], first) : -1;
    if (to < 0) {
        expand(id);
        return std::nullopt;
    }
    return Detour{from, to, path.cost_to(to) - so_far, space_.path_to(id)};
}

void DetourSearch::expand(StateId id) {
    const auto g = static_cast<double>(*g_[id]);
    preferred_.clear();
    ++evaluations_;
    bool progress = false;
    for (std::size_t i = 0; i < guides_.size(); ++i) {
        const float h = guides_[i].guide->evaluate(id, space_, &preferred_);
        if (h == dead_end || (i == 0 && g + h >= static_cast<double>(bound_))) return;
        priorities_[i] = g + guides_[i].weight * h;
        progress |= h < best_h_[i];
        best_h_[i] = std::min(best_h_[i], h);
    }
    if (progress) alternation_.reward();
    std::sort(preferred_.begin(), preferred_.end());
    preferred_.erase(std::unique(preferred_.begin(), preferred_.end()), preferred_.end());
    const PreferredOperators::Place place = preferred_.empty() ? 0 : preferred_lists_.add(id, preferred_);
    for (Queue& queue : queues_) {
        const auto f = static_cast<float>(priorities_[queue.guide]);
        if (!queue.operators.only_preferred())
            queue.operators.push(f, id);
        else if (!preferred_.empty())
            queue.operators.push(f, place);
    }
    own_effort_ += 500;
}

uint64_t DetourSearch::effort() const {
    uint64_t total = own_effort_;
    for (const WeightedGuide& g : guides_) total += g.guide->effort();
    return total - initial_effort_;
}

uint64_t DetourSearch::other_bytes() const {
    uint64_t total = g_.bytes() + preferred_lists_.bytes();
    for (const Queue& queue : queues_) total += queue.operators.bytes();
    for (const WeightedGuide& g : guides_) total += g.guide->bytes();
    return total;
}

}  // namespace goalward
