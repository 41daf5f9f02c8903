// Removes redundant steps from a plan.
#pragma once

#include <vector>

#include "search/core/limits.hpp"
#include "search/improve/path.hpp"

namespace goalward {

// Action elimination (Nakhost and Müller 2010): removes a step and all later steps that become inapplicable without it
// if the rest still reaches the goal, until no step can be removed. The step with the largest saving is tried first;
// the number of removed steps breaks ties. If the budget is exceeded, returns the plan so far.
std::vector<int32_t> eliminate(const Costs& costs, const Path& path, Budget& budget);

}  // namespace goalward
