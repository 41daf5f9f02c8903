// Conditions regressed from the goal by breadth-first search and random walks, and what actions make of conditions.
//
// A condition is a sorted list of atoms; it stands for all states that contain them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "task/preimage.hpp"
#include "task/rows.hpp"

namespace goalward {

struct SampledConditions {
    Rows conditions;             // the goal first
    std::vector<int32_t> depth;  // steps of the regression that led to each
};

// Up to n conditions, each at most `length` steps from the goal. The first `n_breadth_first` are different and come from
// a breadth-first search that expands each layer in random order. The others come from random walks that start in
// conditions which that search did not expand to the end, in each once before any of them a second time; a walk visits
// no condition twice. There are fewer if nothing is left to start from, or when `go_on`, which is asked about twenty
// times a second, returns false.
SampledConditions sample_conditions(const RegressionTask& task, int n, int n_breadth_first, int length, uint64_t seed,
                                    const std::function<bool()>& go_on);

struct ConditionSuccessors {
    std::vector<int32_t> source;  // the condition that each comes from
    std::vector<uint64_t> atoms;  // bit rows of `width` words: what holds after the action
};

// For every condition, what holds after each action that is applicable in all of its states and adds something to it.
ConditionSuccessors condition_successors(const RegressionTask& task, const Rows& conditions, std::size_t width);

}  // namespace goalward
