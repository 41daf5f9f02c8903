// Improved heuristic values for the states that short greedy searches expand.
//
// A short search expands a region around its start state. The value of an expanded state is the minimum, over the
// states at the border of the region, of the number of steps plus the heuristic value; goals count 0. In local minima
// of the heuristic, these values are higher than its own, so a network that learns them has fewer local minima. This is
// the learning step of LSS-LRTA* (Koenig and Sun 2009), with a network instead of a table.
//
//     Regions regions = search_regions(heuristic, states, {.expansions = 100, .batch = 4}, go_on);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"

namespace goalward {

enum class RegionEnd : int32_t { border, goal, dead_end };

struct Regions {
    // For every expanded state, region by region. States are bit rows over all atoms; atoms that the problem does not
    // store are false.
    std::vector<uint64_t> states;
    std::vector<float> values;     // infinity if all reachable states were expanded and none is a goal
    std::vector<int32_t> origins;  // index of the start state of the region
    // For every region: the reason why its search ended, and the state that it would have expanded next (or zeros).
    std::vector<RegionEnd> ends;
    std::vector<uint64_t> exits;
};

struct RegionOptions {
    int expansions = 100;  // maximum per region
    int batch = 4;         // number of states that are expanded together
};

// Searches a region from each state; a search ends when it generates a goal. `go_on` is called after each region; once
// it returns false, the regions so far are returned.
Regions search_regions(const Heuristic& heuristic, std::span<const Word* const> states, const RegionOptions& options,
                       const std::function<bool()>& go_on);

}  // namespace goalward
