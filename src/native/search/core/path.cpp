#include "search/core/path.hpp"

#include <algorithm>

namespace goalward {

std::vector<int32_t> path_to(StateId state, const Problem& problem, Registry& registry,
                             const Chunked<StateId>& came_from) {
    const std::size_t n_words = problem.packing().n_words();
    std::vector<int32_t> result, operators, values(problem.packing().n_variables());
    for (StateId child = state; *came_from[child] != no_state; child = *came_from[child]) {
        const Word* parent = registry[*came_from[child]];
        problem.packing().unpack(parent, values.data());
        operators.clear();
        problem.applicable(values.data(), operators);
        int32_t best = -1;
        for (int32_t op : operators) {
            problem.apply(op, parent, registry.scratch());
            if (!std::equal(registry.scratch(), registry.scratch() + n_words, registry[child])) continue;
            if (best < 0 || problem.cost(op) < problem.cost(best)) best = op;
        }
        result.push_back(best);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

}  // namespace goalward
