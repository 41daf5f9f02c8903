// Cheaper ways between two places of a plan.
#pragma once

#include <vector>

#include "search/core/limits.hpp"
#include "search/improve/path.hpp"

namespace goalward {

// Other steps from state `from` of a path to a state that can go on with the path's steps from `to` on.
struct Detour {
    int from, to;
    Cost gain;
    std::vector<int32_t> steps;
};

// The path with as many of the detours as fit together, the most gainful first. If the budget runs out, those that have
// been taken by then, at least one.
Path take_detours(const Costs& costs, const Path& path, std::vector<Detour> detours, Budget& budget);

}  // namespace goalward
