// What greedy searches can teach about the states they expand.
//
// A short search expands a region around its first state. Every expanded state is worth the least, over the region's
// border, of the steps to a state there plus what the heuristic says of it; a goal counts 0. Where the heuristic lured
// the search into a hollow, these values are higher than its own; a network that learns them has the hollow filled up.
// That is the learning step of LSS-LRTA* (Koenig, Sun 2009), with a network in place of a table.
//
//     Regions regions = search_regions(heuristic, states, {.expansions = 100, .batch = 4}, go_on);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"

namespace goalward {

enum class RegionEnd : int32_t { border, goal, no_way_out };

struct Regions {
    // Of every expanded state, region after region; states are bit rows over all atoms, of which only those that the
    // problem stores can be set.
    std::vector<uint64_t> states;
    std::vector<float> values;     // infinity: everything that it leads to was seen, and there is no goal
    std::vector<int32_t> origins;  // the number of the state that its region was searched from
    // Of every region: how its search ended, and the state of the border that a search would expand next (else zeros).
    std::vector<RegionEnd> ends;
    std::vector<uint64_t> exits;
};

struct RegionOptions {
    int expansions = 100;  // of one region at most
    int batch = 4;         // states expanded at once
};

// Searches one state after another; a search ends when it meets a goal. `go_on` is asked after each; when it returns
// false, the regions so far are given.
Regions search_regions(const Heuristic& heuristic, std::span<const Word* const> states, const RegionOptions& options,
                       const std::function<bool()>& go_on);

}  // namespace goalward
