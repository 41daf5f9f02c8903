// Finds the landmarks of a state and the orders between them.
//
//     LandmarkFinder finder(knowledge);
//     LandmarkGraph graph = finder.find(state, goal, budget);
//
// Facts come from complete propagation (propagation.hpp): all atoms that every relaxed plan makes use of, except
// those that hold and are never deleted. Sets of atoms of which one is needed are looked for backwards from these, one step
// at a time, as in RHW (Richter, Helmert and Westphal 2008): where every operator that can be the first to reach a landmark
// has a precondition of one kind, one of these preconditions must hold before. Reasonable orders: orders.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/landmarks/graph.hpp"
#include "search/landmarks/knowledge.hpp"
#include "search/landmarks/orders.hpp"
#include "search/landmarks/propagation.hpp"

namespace goalward {

// The scratch memory of one search for landmarks; made when it is needed.
class LandmarkFinder {
public:
    explicit LandmarkFinder(const LandmarkKnowledge& knowledge);

    // Landmarks of the way from a state to these atoms, all of them stored. Throws OutOfBudget if time or memory run out.
    LandmarkGraph find(const Word* state, std::span<const int32_t> goal, Budget& budget);

    uint64_t effort() const { return propagation_.effort(); }

private:
    struct Order {
        int32_t before, after;
    };

    void number_facts(std::span<const int32_t> goal);
    void add_order(std::vector<Order>& orders, int32_t before, int32_t after) const;
    void order_fact(int32_t landmark);
    void find_disjunctions(int32_t landmark);
    int32_t add_disjunction(std::vector<int32_t> atoms);
    std::vector<int32_t> first_achievers(std::span<const int32_t> atoms);
    template <class Function>
    void for_each_shared(const std::vector<int32_t>& operators, Function&& function);
    LandmarkGraph make_graph(std::span<const int32_t> goal, Budget& budget) const;

    const LandmarkKnowledge& known_;
    LandmarkPropagation propagation_;
    ReasonableOrders reasonable_;

    std::vector<std::vector<int32_t>> found_;  // atoms of each landmark
    std::vector<int32_t> fact_;                // of each atom: the number of its fact landmark, or -1
    std::vector<int32_t> disjunction_;         // of each atom: the number of the disjunction that holds it, or -1
    std::vector<Order> natural_, greedy_necessary_, necessary_;
    std::vector<int32_t> count_;  // one per atom, zeros between uses
};

}  // namespace goalward
