// Backward depth-first searches through full states (SING: Yu, Kuroiwa and Fukunaga 2020).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regression/rollout.hpp"

namespace goalward {

struct BackwardStates {
    std::vector<uint64_t> states;  // bit rows, search by search, in the order of visits
    std::vector<int32_t> depth;    // number of steps from the goal state on the path of the search
    std::vector<int32_t> search;   // index of the search
    std::vector<int32_t> parent;   // the row of the state that `operators` leads to from this one; -1 for goal states
    std::vector<int32_t> operators;
};

// Runs a depth-first search backwards from each full goal state (a bit row of `width` words), with predecessors in
// random order, until it has visited `n` distinct states. The predecessor of s through a is s' = (s \ (Add(a) \
// Pre(a))) ∪ Pre(a), where atoms in Add(a) that have a complement are replaced by it. It counts only if it contains no
// mutex pair and a is applicable in s' and leads to s. Search i depends only on the seed and i. `go_on` is called about
// twenty times a second; once it returns false, the searches so far are returned, but at least one.
BackwardStates backward_searches(const RegressionTask& task, std::span<const uint64_t> goals, std::size_t width, int n,
                                 uint64_t seed, const std::function<bool()>& go_on);

}  // namespace goalward
