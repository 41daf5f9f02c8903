// Plan neighbourhood search: a breadth-first search from all states of a plan for detours back to the plan.
//
// If a state is reached at cost g and the plan's steps from state j on are applicable in it, there is a cheaper plan if
// g is less than the cost of the plan up to state j. Layers are completed if that costs little, so that one round may
// find detours in different parts of the plan, which are then combined.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"
#include "search/core/state_space.hpp"

namespace goalward {

class Neighbourhood {
public:
    // The path and its index must outlive the search and not change. It stops when it holds `max_bytes`.
    Neighbourhood(const Costs& costs, const Path& path, SuffixIndex& index, Budget& budget, uint64_t max_bytes);

    // Continues for about `effort` units, or until it finds detours.
    std::vector<Detour> advance(uint64_t effort);

    // True if all states that are reachable at lower cost than the plan's were expanded, so that no plan is cheaper.
    bool exhausted() const { return !full_ && at_ == layer_.size() && next_.empty() && found_.empty(); }
    bool full() const { return full_; }
    uint64_t effort() const { return effort_; }  // in units of about a nanosecond
    uint64_t generated() const { return generated_; }

private:
    void expand(StateId parent);
    void check_suffixes(StateId id);
    Detour detour(StateId id, int to);
    bool stopped();

    const Costs& costs_;
    const Problem& problem_;
    const Path& path_;
    SuffixIndex& index_;
    Budget& budget_;
    uint64_t max_bytes_;
    StateSpace space_;
    Chunked<Cost> g_;            // by state
    std::vector<int> places_;    // the index on the path of each start state
    std::vector<StateId> layer_, next_;
    std::size_t at_ = 0;  // index in layer_
    std::vector<std::pair<StateId, int>> found_;
    uint64_t effort_ = 0, generated_ = 0;
    bool full_ = false;
};

}  // namespace goalward
