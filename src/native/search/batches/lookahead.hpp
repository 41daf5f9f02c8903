// Bellman updates of states: all paths of a few steps are followed, and the heuristic is asked where they end.
#pragma once

#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"

namespace goalward {

// For each state, the least number of steps to a goal within `depth` steps, or of `depth` plus the heuristic's value, at
// least 0, of a state that far away, whichever is less. 0 for goal states; infinity where all paths end before.
//
// If the heuristic counts costs, so does the lookahead; then `depth` must be 1.
//
// Repeated states are looked at once per level and state, and all leaves of many states are evaluated together.
std::vector<float> lookahead(const Heuristic& heuristic, std::span<const Word* const> states, int depth);

}  // namespace goalward
