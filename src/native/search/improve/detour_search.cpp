#include "search/improve/detour_search.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace goalward {

namespace {
constexpr int64_t boost = 1000;  // turns that a new least value is worth to the queues of preferred operators
}

DetourSearch::DetourSearch(const Costs& costs, std::vector<WeightedGuide> guides, const Word* start, Budget& budget)
    : costs_(costs), problem_(costs.problem), guides_(std::move(guides)), budget_(budget),
      registry_(problem_.packing().n_words(), budget), alternation_(boost), least_(guides_.size(), dead_end),
      values_(problem_.packing().n_variables()), priorities_(guides_.size()) {
    for (std::size_t g = 0; g < guides_.size(); ++g)
        for (bool preferred : {false, true}) {
            queues_.push_back({g, preferred, {}, no_state, {}});
            alternation_.add(preferred);
        }
    std::copy_n(start, problem_.packing().n_words(), registry_.scratch());
    exhausted_ = registry_.insert_scratch().first == no_state;
    *nodes_.next() = {no_state, -1, 0};
    nodes_.commit();
    earlier_effort_ = effort();
}

std::optional<Detour> DetourSearch::advance(const Path& path, SuffixIndex& index, int from, Cost bound,
                                            uint64_t effort, uint64_t evaluations) {
    bound_ = bound;
    const uint64_t until = this->effort() + effort, last = evaluations_ + std::min(evaluations, UINT64_MAX / 2);
    if (!begun_ && !exhausted_) {
        begun_ = true;
        try {
            for (const WeightedGuide& g : guides_) g.guide->start(0, registry_[0], budget_);
        } catch (const OutOfBudget&) {
            exhausted_ = true;
            return std::nullopt;
        }
        expand(0);
    }
    while (!exhausted_ && this->effort() < until && evaluations_ < last && !stopped()) {
        const int next = alternation_.next([&](int q) { return !queues_[q].items.empty(); });
        exhausted_ = next < 0;
        StateId parent;
        int32_t op;
        if (exhausted_ || !next_operator(queues_[next], parent, op)) continue;
        alternation_.serve(next);
        if (std::optional<Detour> found = reach(path, index, from, parent, op)) return found;
    }
    return std::nullopt;
}

bool DetourSearch::next_operator(Queue& queue, StateId& parent, int32_t& op) {
    const LazyQueue::Item item = queue.items.first();
    std::span<const int32_t> operators;
    if (queue.preferred) {
        std::tie(parent, operators) = preferred_lists_[item];
    } else {
        parent = item;
        if (queue.listed != parent) {
            problem_.packing().unpack(registry_[parent], values_.data());
            queue.operators.clear();
            problem_.applicable(values_.data(), queue.operators);
            queue.listed = parent;
            own_effort_ += 2 * values_.size() + 10 * queue.operators.size();
        }
        operators = queue.operators;
    }
    const std::size_t served = queue.items.served();
    if (served < operators.size()) op = operators[served];
    if (served + 1 < operators.size())
        queue.items.serve();
    else
        queue.items.drop();
    return served < operators.size();
}

// Makes a successor, and expands it unless it is the end of a detour.
std::optional<Detour> DetourSearch::reach(const Path& path, SuffixIndex& index, int from, StateId parent, int32_t op) {
    const Cost g = nodes_[parent]->g + costs_.of(op);
    if (g >= bound_) return std::nullopt;
    own_effort_ += 100 + 8 * problem_.packing().n_words();
    problem_.apply(op, registry_[parent], registry_.scratch());
    const auto [id, fresh] = registry_.insert_scratch();
    if (id == no_state) return std::nullopt;
    if (fresh) {
        nodes_.next();
        nodes_.commit();
        for (const WeightedGuide& guide : guides_) guide.guide->reached(parent, op, id, registry_[id], true);
    } else if (g >= nodes_[id]->g) {
        return std::nullopt;
    }
    *nodes_[id] = {parent, op, g};
    const Cost so_far = path.cost_to(from) + g;
    const int least = path.first_beyond(so_far);
    const int to = least <= path.length() ? index.furthest(registry_[id], least) : -1;
    if (to < 0) {
        expand(id);
        return std::nullopt;
    }
    Detour result{from, to, path.cost_to(to) - so_far, {}};
    for (StateId at = id; nodes_[at]->parent != no_state; at = nodes_[at]->parent) result.steps.push_back(nodes_[at]->op);
    std::reverse(result.steps.begin(), result.steps.end());
    return result;
}

void DetourSearch::expand(StateId id) {
    const Word* state = registry_[id];
    const auto g = static_cast<double>(nodes_[id]->g);
    preferred_.clear();
    ++evaluations_;
    bool progress = false;
    for (std::size_t i = 0; i < guides_.size(); ++i) {
        const float h = guides_[i].guide->evaluate(id, state, &preferred_);
        if (h == dead_end || (i == 0 && g + h >= static_cast<double>(bound_))) return;
        priorities_[i] = g + guides_[i].weight * h;
        progress |= h < least_[i];
        least_[i] = std::min(least_[i], h);
    }
    if (progress) alternation_.reward();
    std::sort(preferred_.begin(), preferred_.end());
    preferred_.erase(std::unique(preferred_.begin(), preferred_.end()), preferred_.end());
    const PreferredOperators::Place place = preferred_.empty() ? 0 : preferred_lists_.add(id, preferred_);
    for (Queue& queue : queues_) {
        const auto f = static_cast<float>(priorities_[queue.guide]);
        if (!queue.preferred)
            queue.items.push(f, id);
        else if (!preferred_.empty())
            queue.items.push(f, place);
    }
    own_effort_ += 500;
}

uint64_t DetourSearch::effort() const {
    uint64_t total = own_effort_;
    for (const WeightedGuide& g : guides_) total += g.guide->effort();
    return total - earlier_effort_;
}

uint64_t DetourSearch::bytes() const {
    uint64_t total = registry_.bytes() + nodes_.bytes() + preferred_lists_.bytes();
    for (const Queue& queue : queues_) total += queue.items.bytes();
    for (const WeightedGuide& g : guides_) total += g.guide->bytes();
    return total;
}

bool DetourSearch::stopped() {
    const uint64_t before = std::exchange(accounted_, bytes());
    return !budget_.fits(before, accounted_) || budget_.exceeded();
}

}  // namespace goalward
