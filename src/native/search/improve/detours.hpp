// Detours: replacements for a part of a plan that make the plan cheaper.
#pragma once

#include <vector>

#include "search/core/limits.hpp"
#include "search/improve/path.hpp"

namespace goalward {

// Steps from state `from` of a path to a state in which the path's steps from state `to` on are applicable.
struct Detour {
    int from, to;
    Cost gain;
    std::vector<int32_t> steps;
};

// Applies as many detours to the path as can be combined, greedily by gain. If the budget is exceeded, it applies only
// the detours so far, but at least one.
Path take_detours(const Costs& costs, const Path& path, std::vector<Detour> detours, Budget& budget);

}  // namespace goalward
