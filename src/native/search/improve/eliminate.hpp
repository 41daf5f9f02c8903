// Steps that a plan can do without, as it stands.
#pragma once

#include <vector>

#include "search/core/limits.hpp"
#include "search/improve/path.hpp"

namespace goalward {

// Action elimination (Nakhost and Müller 2010): a step and all later ones that cannot be taken without it go, where what
// is left still reaches the goal. Of all steps to begin with, those that save most are tried first, and among equals
// those with which more steps go; until none can go. Where the budget runs out, what has gone by then is gone.
std::vector<int32_t> eliminate(const Costs& costs, const Path& path, Budget& budget);

}  // namespace goalward
