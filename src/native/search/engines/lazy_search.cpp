#include "search/engines/lazy_search.hpp"

#include <utility>

namespace goalward {

namespace {
// Units of effort in addition to those of guides.
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 100;
// The effort of guides counts three times, so that searches without guides, which are often faster, get more of the time:
// portfolios take 0.80 instead of 0.90 of the time of an earlier version (docs/lab/search.md).
constexpr uint64_t factor_of_guides = 3;
constexpr int limit_check_interval = 64;  // number of operators without an expansion between two checks of the limits
}  // namespace

LazySearch::LazySearch(const Problem& problem, const Goal& goal, std::vector<std::unique_ptr<Guide>> guides,
                       const GuidedOptions& options, Budget& budget)
    : target_(goal), options_(options), budget_(budget), space_(problem, budget, OperatorOrder::ascending),
      guides_(std::move(guides)), alternation_(options.boost) {
    stats_.initial_h = dead_end;  // until a state has been evaluated
    for (std::size_t g = 0; g < guides_.size(); ++g)
        for (const bool preferred : {false, true}) {
            const std::string name = options.prefix + guides_.name(g) + (preferred ? " preferred" : "");
            queues_.push_back({g, OperatorQueue(preferred), name});
            alternation_.add(preferred);
        }
}

std::optional<Status> LazySearch::start(std::span<const int32_t> init) {
    const StateId id = space_.add(init).id;
    if (id == no_state) return space_.why();  // no memory for a single state
    expanded_.push_back(false);
    guides_.start(id, space_, budget_);
    if (target_.holds(space_[id])) {
        stats_.initial_h = guides_.first_value(id, space_);
        goal_ = id;
        return Status::solved;
    }
    expand(id);
    stats_.initial_h = guides_.value(0);
    return std::nullopt;
}

std::optional<Status> LazySearch::advance(uint64_t effort) {
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    int since_check = limit_check_interval;
    while (this->effort() < until) {
        if (++since_check >= limit_check_interval) {
            if (!space_.within_budget(other_bytes())) return space_.why();
            since_check = 0;
        }
        serving_ = alternation_.next([&](int q) { return !queues_[q].operators.empty(); });
        if (serving_ < 0) return space_.exhausted();
        const std::optional<OperatorQueue::Served> served = queues_[serving_].operators.next(space_, preferred_lists_);
        if (!served) continue;
        alternation_.serve(serving_);
        const StateId state = follow(served->state, served->op);
        if (goal_ != no_state) return Status::solved;
        if (state == no_state) continue;
        if (options_.expansion_limit && stats_.expanded >= options_.expansion_limit) return Status::out_of_expansions;
        expand(state);
        since_check = limit_check_interval;
    }
    return std::nullopt;
}

// Generates the state after an operator. Returns no_state if it was expanded before.
StateId LazySearch::follow(StateId parent, int32_t op) {
    own_effort_ += effort_of_child;
    const auto [child, fresh] = space_.follow(parent, op);
    if (child == no_state) return no_state;
    ++stats_.generated;
    if (fresh) {
        expanded_.push_back(false);
        guides_.reached(parent, op, child, space_, true);
        if (target_.holds(space_[child])) {
            goal_ = child;
            led_by_ = queues_[serving_].name;
        }
    }
    return expanded_[child] ? no_state : child;
}

void LazySearch::expand(StateId state) {
    expanded_[state] = true;
    if (!guides_.evaluate(state, space_)) {
        ++stats_.dead_ends;
        return;
    }
    own_effort_ += effort_of_expansion;
    ++stats_.expanded;
    if (serving_ >= 0) ++queues_[serving_].expanded;
    if (guides_.improve()) alternation_.reward();
    const std::vector<int32_t>& preferred = guides_.preferred();
    const PreferredOperators::Place place = preferred.empty() ? 0 : preferred_lists_.add(state, preferred);
    for (Queue& queue : queues_)
        if (!queue.operators.only_preferred())
            queue.operators.push(guides_.value(queue.guide), state);
        else if (!preferred.empty())
            queue.operators.push(guides_.value(queue.guide), place);
}

Statistics LazySearch::statistics() const {
    Statistics s = stats_;
    s.stored = space_.size();
    s.evaluated = guides_.evaluations();
    s.best_h = guides_.best(0);
    s.bytes = bytes();
    for (const Queue& queue : queues_) {
        s.open += queue.operators.size();
        s.expansions_by_queue.emplace_back(queue.name, queue.expanded);
    }
    guides_.report(s);
    return s;
}

uint64_t LazySearch::other_bytes() const {
    uint64_t total = expanded_.size() / 8 + preferred_lists_.bytes() + guides_.bytes();
    for (const Queue& queue : queues_) total += queue.operators.bytes();
    return total;
}

uint64_t LazySearch::effort() const { return own_effort_ + factor_of_guides * guides_.effort(); }

}  // namespace goalward
