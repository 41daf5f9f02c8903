// Multi-step Bellman updates: follows all paths of a few steps and evaluates the states at their ends.
#pragma once

#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"

namespace goalward {

// For each state, the minimum over all paths of `depth` steps: the number of steps to the first goal on the path or, if
// there is none, `depth` plus the heuristic value of its end (at least 0). Infinity if all paths end earlier.
//
// If the heuristic counts costs, so does the lookahead; then `depth` must be 1.
//
// Duplicate states of a level are expanded once, and leaves of many states are evaluated together.
std::vector<float> lookahead(const Heuristic& heuristic, std::span<const Word* const> states, int depth);

}  // namespace goalward
