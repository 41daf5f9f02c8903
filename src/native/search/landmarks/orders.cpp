#include "search/landmarks/orders.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

ReasonableOrders::ReasonableOrders(const LandmarkKnowledge& knowledge)
    : knowledge_(knowledge), fact_(knowledge.n_atoms(), -1), added_(fact_.size()), deleted_(fact_.size()) {}

void ReasonableOrders::find(LandmarkGraph& graph, Budget& budget) {
    const std::size_t n = graph.size(), width = graph.natural.width();
    const BitMatrix destroyed = interference(graph, budget);
    std::vector<uint64_t> goals(width);
    for (std::size_t p = 0; p < n; ++p)
        if (graph.goal[p]) goals[p / 64] |= uint64_t{1} << (p % 64);
    // Row p: landmarks that must hold at the same time as p, or before the first landmark that p is required for.
    BitMatrix together(n, n);
    for (std::size_t p = 0; p < n; ++p) {
        budget.require();
        if (graph.goal[p]) include(together[p], goals.data(), width);
    }
    for (std::size_t next = 0; next < n; ++next) {
        budget.require();
        for_each_bit(graph.greedy_necessary[next], width, [&](int32_t p) {
            if (!graph.goal[p]) include(together[p], graph.natural[next], width);
        });
    }
    // Row p: all landmarks ordered before p (transitive closure). Natural orders go from lower to higher numbers.
    BitMatrix earlier(n, n);
    for (std::size_t p = 0; p < n; ++p) {
        budget.require();
        include(earlier[p], graph.natural[p], width);
        for_each_bit(graph.natural[p], width, [&](int32_t q) { include(earlier[p], earlier[q], width); });
    }
    for (std::size_t p = 0; p < n; ++p) {
        budget.require();
        for_each_bit(together[p], width, [&](int32_t q) {
            if (!destroyed.test(q, p) || earlier.test(p, q) || earlier.test(q, p)) return;
            budget.require();
            graph.reasonable.set(p, q);
            for (std::size_t later = 0; later < n; ++later)
                if (later == p || earlier.test(later, p)) {
                    include(earlier[later], earlier[q], width);
                    earlier.set(later, q);
                }
        });
    }
}

BitMatrix ReasonableOrders::interference(const LandmarkGraph& graph, Budget& budget) {
    const std::size_t n = graph.size(), width = graph.natural.width();
    std::fill(fact_.begin(), fact_.end(), -1);
    for (std::size_t q = 0; q < n; ++q)
        if (graph.atoms[q].size() == 1) fact_[graph.atoms[q].front()] = static_cast<int32_t>(q);
    BitMatrix mutex(n, n), result(n, n);
    for (std::size_t q = 0; q < n; ++q)
        if (graph.atoms[q].size() == 1) exclude(graph.atoms[q].front(), mutex[q]);
    for (std::size_t q = 0; q < n; ++q) {
        budget.require();
        if (graph.atoms[q].size() > 1) continue;
        include(result[q], mutex[q], width);
        for_each_bit(graph.greedy_necessary[q], width,
                     [&](int32_t before) { include(result[q], mutex[before], width); });
        add_side_effects(graph.atoms[q].front(), result[q]);
        result.reset(q, q);
    }
    return result;
}

// Sets the bits of the facts that share a mutex group with the atom.
void ReasonableOrders::exclude(int32_t atom, uint64_t* row) const {
    for (int32_t group : knowledge_.groups_of[atom])
        for (int32_t other : knowledge_.mutex_groups[group])
            if (const int32_t fact = fact_[other]; fact >= 0 && other != atom)
                row[fact / 64] |= uint64_t{1} << (fact % 64);
}

// Sets the bits of the facts that all achievers of the atom delete, or that are mutex with another atom that they all
// add.
void ReasonableOrders::add_side_effects(int32_t atom, uint64_t* row) {
    const auto achievers = knowledge_.achievers[atom];
    if (achievers.empty()) return;
    const auto all = static_cast<int32_t>(achievers.size());
    for (int32_t o : achievers) {
        for (int32_t other : knowledge_.problem->op(o).add) ++added_[other];
        for (int32_t other : knowledge_.problem->op(o).del) ++deleted_[other];
    }
    for (int32_t other : knowledge_.problem->op(achievers.front()).add)
        if (added_[other] == all) exclude(other, row);
    for (int32_t other : knowledge_.problem->op(achievers.front()).del)
        if (const int32_t fact = fact_[other]; deleted_[other] == all && fact >= 0)
            row[fact / 64] |= uint64_t{1} << (fact % 64);
    for (int32_t o : achievers) {
        for (int32_t other : knowledge_.problem->op(o).add) added_[other] = 0;
        for (int32_t other : knowledge_.problem->op(o).del) deleted_[other] = 0;
    }
}

}  // namespace goalward
