// Reorders the steps of a plan so that related steps are next to each other.
#pragma once

#include <vector>

#include "search/improve/path.hpp"
#include "task/random.hpp"

namespace goalward {

// Steps are reordered only if neither writes a variable that the other reads or writes, so the result is a plan again.
// The steps that a step enables come directly after it, in random order. So a plan that interleaves several tasks
// becomes a plan that does one after the other, with other intermediate states and other windows to search again.
std::vector<int32_t> reordered(const Problem& problem, const Path& path, Random& random);

}  // namespace goalward
