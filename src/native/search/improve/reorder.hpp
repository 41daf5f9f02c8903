// The same steps in another order, so that what belongs together stands together.
#pragma once

#include <vector>

#include "search/improve/path.hpp"
#include "task/random.hpp"

namespace goalward {

// Steps that touch different variables, or only read the same ones, may change places; all others keep their order, so
// the result is a plan again. After a step come first those that it has made possible: plans that do several things in
// turns become plans that do one after the other, with other states in between and other windows to search again.
std::vector<int32_t> reordered(const Problem& problem, const Path& path, Random& random);

}  // namespace goalward
