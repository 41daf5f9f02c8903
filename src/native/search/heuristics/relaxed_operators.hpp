// The operators of the delete relaxation, without dominated add effects.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

constexpr int32_t highest_relaxed_cost = 1 << 27;  // higher costs are cut: h_add can grow exponentially with depth

struct RelaxedOperators {
    Rows pre, add;
    Rows waiting;                    // by atom: the relaxed operators that have it as a precondition
    std::vector<int32_t> original;   // by relaxed operator: the operator of the problem
    std::vector<int32_t> cost;
    std::vector<int32_t> free;       // relaxed operators without preconditions

    std::size_t size() const { return original.size(); }
};

// An add effect is dominated if another operator has it, too, has a subset of the preconditions and does not cost more.
// Dominated effects and operators without other effects are left out. This changes no h_max or h_add value, no landmark
// and no order of landmarks.
RelaxedOperators relaxed_operators(const Problem& problem, bool unit_costs);
// The same for several users. In large tasks, making the operators may take longer than a search.
inline std::shared_ptr<const RelaxedOperators> shared_relaxed_operators(const Problem& problem, bool unit_costs) {
    return std::make_shared<const RelaxedOperators>(relaxed_operators(problem, unit_costs));
}

}  // namespace goalward
