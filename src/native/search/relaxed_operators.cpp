#include "search/relaxed_operators.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "task/random.hpp"

namespace goalward {

namespace {
constexpr std::size_t most_subsets = 64;  // of a precondition, tried in the search for dominating operators

int32_t relaxed_cost(const Problem& problem, int32_t o, bool unit_costs) {
    return unit_costs ? 1 : std::min(problem.cost(o), highest_relaxed_cost);
}

// For each active operator, its add effects without those that another operator gives for no more cost and with no
// other preconditions. Dropping these changes no h_max or h_add value.
std::vector<std::vector<int32_t>> undominated_effects(const Problem& problem, bool unit_costs) {
    const auto& active = problem.active_operators();
    Random random(1);
    std::vector<uint64_t> as_condition(problem.packing().n_atoms()), as_effect(problem.packing().n_atoms());
    for (uint64_t& key : as_condition) key = random.next();
    for (uint64_t& key : as_effect) key = random.next();
    const auto cheaper = [&](int32_t a, int32_t b) {  // ties go to the first operator
        const int32_t cost_a = relaxed_cost(problem, a, unit_costs), cost_b = relaxed_cost(problem, b, unit_costs);
        return cost_a < cost_b || (cost_a == cost_b && a < b);
    };
    // The cheapest operator for each pair of precondition and effect.
    std::unordered_map<uint64_t, int32_t> provider;
    for (int32_t o : active) {
        uint64_t condition = 0;
        for (int32_t atom : problem.op(o).pre) condition ^= as_condition[atom];
        for (int32_t atom : problem.op(o).add) {
            const auto [it, fresh] = provider.try_emplace(condition ^ as_effect[atom], o);
            if (!fresh && cheaper(o, it->second)) it->second = o;
        }
    }
    const auto contains = [](std::span<const int32_t> sorted, int32_t x) {
        return std::binary_search(sorted.begin(), sorted.end(), x);
    };
    std::vector<std::vector<int32_t>> result(active.size());
    for (std::size_t i = 0; i < active.size(); ++i) {
        const Problem::Operator op = problem.op(active[i]);
        const std::size_t n = op.pre.size();
        const std::size_t full = n < 6 ? (std::size_t{1} << n) - 1 : most_subsets - 1;
        const auto condition_of = [&](std::size_t subset) {
            uint64_t key = 0;
            for (std::size_t bit = 0; bit < n; ++bit)
                if (n >= 6 ? subset == full || (bit < 6 && subset >> bit & 1) : subset >> bit & 1)
                    key ^= as_condition[op.pre[bit]];
            return key;
        };
        for (int32_t atom : op.add) {
            bool dominated = false;
            for (std::size_t subset = 0; subset <= full && !dominated; ++subset) {
                const auto it = provider.find(condition_of(subset) ^ as_effect[atom]);
                if (it == provider.end() || it->second == active[i]) continue;
                const Problem::Operator other = problem.op(it->second);  // the key alone could be a collision
                dominated = contains(other.add, atom) &&
                            std::all_of(other.pre.begin(), other.pre.end(),
                                        [&](int32_t p) { return contains(op.pre, p); }) &&
                            (other.pre.size() < n
                                 ? relaxed_cost(problem, it->second, unit_costs) <= relaxed_cost(problem, active[i], unit_costs)
                                 : cheaper(it->second, active[i]));
            }
            if (!dominated) result[i].push_back(atom);
        }
    }
    return result;
}
}  // namespace

RelaxedOperators relaxed_operators(const Problem& problem, bool unit_costs) {
    RelaxedOperators result;
    const std::vector<std::vector<int32_t>> useful = undominated_effects(problem, unit_costs);
    for (std::size_t i = 0; i < useful.size(); ++i) {
        if (useful[i].empty()) continue;
        const int32_t o = problem.active_operators()[i];
        result.pre.push_back(problem.op(o).pre);
        result.add.push_back(useful[i]);
        result.original.push_back(o);
        result.cost.push_back(relaxed_cost(problem, o, unit_costs));
    }
    std::vector<std::vector<int32_t>> waiting(problem.packing().n_atoms());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result.pre[i].empty()) result.free.push_back(static_cast<int32_t>(i));
        for (int32_t atom : result.pre[i]) waiting[atom].push_back(static_cast<int32_t>(i));
    }
    for (const auto& row : waiting) result.waiting.push_back(row);
    return result;
}

}  // namespace goalward
