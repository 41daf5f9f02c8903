// A search from a state of a plan for a cheaper way on: lazy weighted A* with several guides, as LAMA restarts it.
//
// A state is evaluated when it is expanded; its successors are made one by one, ordered by its g + weight * h, from a
// queue per guide and another one per guide for the operators that the guides prefer, which go first for a while whenever
// a guide meets a new least value (queues.hpp). A state that is reached again at less cost is expanded again. What costs
// as much as `bound`, or would by the value of the first guide, is left out. A state from which any suffix of the plan
// makes the whole cheaper is a success, wherever the guides were heading.
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

    // Goes on until it finds something, for about so much effort and at most so many evaluations. `from` is the place of
    // the start on the path. From call to call the path may change behind that place, but not before it, and the bound
    // may fall.
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
    Chunked<Cost> g_;  // of each state
    std::vector<Queue> queues_;
    PreferredOperators preferred_lists_;
    Alternation alternation_;
    std::vector<float> least_;  // value of each guide
    Cost bound_ = 0;
    bool begun_ = false, exhausted_ = false;
    uint64_t evaluations_ = 0, own_effort_ = 0, earlier_effort_ = 0;
    std::vector<int32_t> preferred_;
    std::vector<double> priorities_;
};

}  // namespace goalward
