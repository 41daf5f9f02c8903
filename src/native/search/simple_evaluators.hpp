// Blind search and goal counting.
#pragma once

#include <memory>

#include "search/evaluator.hpp"

namespace goalward {

// 0 in goal states, the cheapest operator's cost elsewhere.
std::unique_ptr<Evaluator> make_blind(const Problem& problem, bool unit_costs);
// The number of goal atoms that do not hold.
std::unique_ptr<Evaluator> make_goal_count(const Problem& problem);

}  // namespace goalward
