// The operators of the delete relaxation, without effects that another operator gives as easily.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

constexpr int32_t highest_relaxed_cost = 1 << 27;  // costs saturate: h_add can grow exponentially with depth

struct RelaxedOperators {
    Rows pre, add;
    Rows waiting;                    // atom → relaxed operators that need it
    std::vector<int32_t> original;   // the operator behind each relaxed operator
    std::vector<int32_t> cost;
    std::vector<int32_t> free;       // relaxed operators without preconditions

    std::size_t size() const { return original.size(); }
};

// Add effects that another operator gives for no more cost and with no other preconditions are left out, and operators
// of which nothing remains. That changes no h_max or h_add value, no landmark and no order between landmarks.
RelaxedOperators relaxed_operators(const Problem& problem, bool unit_costs);
// The same for several users: in large tasks they take longer to make than many a search.
inline std::shared_ptr<const RelaxedOperators> shared_relaxed_operators(const Problem& problem, bool unit_costs) {
    return std::make_shared<const RelaxedOperators>(relaxed_operators(problem, unit_costs));
}

}  // namespace goalward
