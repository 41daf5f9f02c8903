// Backward depth-first searches through full states (SING: Yu, Kuroiwa and Fukunaga 2020).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regression/rollout.hpp"

namespace goalward {

struct BackwardStates {
    std::vector<uint64_t> states;  // bit rows, search after search, in the order they were visited
    std::vector<int32_t> depth;    // steps back from the goal state along the search's path
    std::vector<int32_t> search;   // which search
    std::vector<int32_t> parent;   // the row that was reached from this one by `operators`; -1 for goal states
    std::vector<int32_t> operators;
};

// From each full goal state (a bit row of `width` words), visit up to `n` distinct states depth first, predecessors in
// random order. A predecessor of s through a is s' = (s \ (Add(a) \ Pre(a))) ∪ Pre(a) where s' has a as an applicable
// operator that leads to s and holds no mutex pair; where an atom that a adds has a complement, s' holds that instead.
// Search i depends on the seed and i alone. `go_on` is asked about twenty times a second; when it returns false, the
// searches so far are given, at least one.
BackwardStates backward_searches(const RegressionTask& task, std::span<const uint64_t> goals, std::size_t width, int n,
                                 uint64_t seed, const std::function<bool()>& go_on);

}  // namespace goalward
