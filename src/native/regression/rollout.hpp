// Rollouts of pre-images from the goal by regression (the paper's "Extracting state sets through regression").
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "task/preimage.hpp"
#include "task/rows.hpp"

namespace goalward {

struct Rollouts {
    Rows preimages;                  // rollout by rollout, each from x_0 = G on; atoms are sorted
    std::vector<int32_t> depth;      // i of x_i
    std::vector<int32_t> rollout;    // j
    std::vector<int32_t> operators;  // a with x_i = pre-image of x_{i-1} under a; -1 for x_0
};

// Runs n rollouts of at most `length` steps. A rollout ends early if no action is valid. Rollout j depends only on the
// seed and j. `go_on` is called about twenty times a second; once it returns false, the rollouts so far are returned.
Rollouts regress(const RegressionTask& task, Selection selection, int n, int length, uint64_t seed,
                 const std::function<bool()>& go_on);

}  // namespace goalward
