// Rollouts of pre-images backwards from the goal (the paper's "Extracting state sets through regression").
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "task/preimage.hpp"
#include "task/rows.hpp"

namespace goalward {

struct Rollouts {
    Rows preimages;                  // rollout after rollout, each from x_0 = G on; atoms sorted
    std::vector<int32_t> depth;      // i of x_i
    std::vector<int32_t> rollout;    // j
    std::vector<int32_t> operators;  // a with x_i = pre-image of x_{i-1} under a; -1 for x_0
};

// n rollouts of at most `length` steps. A rollout without valid actions ends early. Rollout j depends on the seed and j
// alone. `go_on` is asked about twenty times a second; when it returns false, what has been rolled out so far is given.
Rollouts regress(const RegressionTask& task, Selection selection, int n, int length, uint64_t seed,
                 const std::function<bool()>& go_on);

}  // namespace goalward
