// Searches for a detour from a state of a plan: lazy weighted A* with several guides, as in LAMA.
//
// A state is evaluated when it is expanded. Its successors are generated one by one, ordered by g + weight * h of the
// expanded state. Each guide has a queue, and another one for preferred operators, which gets extra turns after a new
// minimum (queues.hpp). A state that is reached again at lower cost is expanded again. States are pruned if g, or g + h
// of the first guide, is at least `bound`. The search succeeds in any state from which some suffix of the plan makes
// the plan cheaper, even if the guides have another goal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/heuristics/guide.hpp"
#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"
#include "search/core/queues.hpp"
#include "search/core/state_space.hpp"

namespace goalward {

struct WeightedGuide {
    Guide* guide;
    double weight;
};

class DetourSearch {
public:
    DetourSearch(const Costs& costs, std::vector<WeightedGuide> guides, const Word* start, Budget& budget);

    // Continues until it finds a detour, for about `effort` units and at most `evaluations`. `from` is the index of the
    // start state on the path. Between calls, the path may change after that index but not before it, and the bound may
    // decrease.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, int from, Cost bound, uint64_t effort,
                                  uint64_t evaluations = UINT64_MAX);

    bool exhausted() const { return exhausted_; }
    uint64_t effort() const;
    uint64_t evaluations() const { return evaluations_; }
    uint64_t bytes() const { return space_.bytes() + other_bytes(); }

private:
    struct Queue {
        std::size_t guide;
        OperatorQueue operators;
    };

    std::optional<Detour> reach(const Path& path, SuffixIndex& index, int from, StateId parent, int32_t op);
    void expand(StateId id);
    uint64_t other_bytes() const;

    const Costs& costs_;
    const Problem& problem_;
    std::vector<WeightedGuide> guides_;
    Budget& budget_;
    StateSpace space_;
    Chunked<Cost> g_;  // by state
    std::vector<Queue> queues_;
    PreferredOperators preferred_lists_;
    Alternation alternation_;
    std::vector<float> best_h_;  // by guide
    Cost bound_ = 0;
    bool started_ = false, exhausted_ = false;
    uint64_t evaluations_ = 0, own_effort_ = 0, initial_effort_ = 0;
    std::vector<int32_t> preferred_;
    std::vector<double> priorities_;
};

}  // namespace goalward
