// Regression of conditions from the goal by breadth-first search and random walks, and progression of conditions.
//
// A condition is a sorted list of atoms. It represents all states that contain them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "task/preimage.hpp"
#include "task/rows.hpp"

namespace goalward {

struct SampledConditions {
    Rows conditions;             // the first one is the goal
    std::vector<int32_t> depth;  // number of regression steps from the goal
};

// Samples n conditions, each at most `length` steps from the goal. The first `n_breadth_first` are distinct and come
// from a breadth-first search that expands each layer in random order. The others come from random walks, which start
// from the conditions that the search did not fully expand, from each in turn. A walk visits no condition twice. There
// are fewer than n conditions if no start is left, or once `go_on`, which is called about twenty times a second,
// returns false.
SampledConditions sample_conditions(const RegressionTask& task, int n, int n_breadth_first, int length, uint64_t seed,
                                    const std::function<bool()>& go_on);

struct ConditionSuccessors {
    std::vector<int32_t> source;  // index of the condition before the action
    std::vector<uint64_t> atoms;  // bit rows of `width` words: the condition after the action
};

// Progresses every condition through each action that is applicable in all of its states and adds an atom.
ConditionSuccessors condition_successors(const RegressionTask& task, const Rows& conditions, std::size_t width);

}  // namespace goalward
