// Finds the landmarks of a state and the orders between them.
//
//     LandmarkFinder finder(knowledge);
//     LandmarkGraph graph = finder.find(state, goal, budget);
//
// Fact landmarks come from complete propagation (propagation.hpp): all atoms that every relaxed plan makes true, except
// those that hold and are never deleted. Disjunctive landmarks are found by backchaining from these, as in RHW
// (Richter, Helmert and Westphal 2008): if every operator that can be the first to reach a landmark has a precondition
// of the same kind, one of these preconditions must hold before. Reasonable orders are found in orders.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/landmarks/graph.hpp"
#include "search/landmarks/knowledge.hpp"
#include "search/landmarks/orders.hpp"
#include "search/landmarks/propagation.hpp"

namespace goalward {

// Finds landmarks, with the scratch memory that this needs.
class LandmarkFinder {
public:
    explicit LandmarkFinder(const LandmarkKnowledge& knowledge);

    // Finds the landmarks of a state for a goal, whose atoms must all be stored. Throws OutOfBudget.
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

    const LandmarkKnowledge& knowledge_;
    LandmarkPropagation propagation_;
    ReasonableOrders reasonable_;

    std::vector<std::vector<int32_t>> found_;  // atoms of each landmark
    std::vector<int32_t> fact_;                // by atom: the number of its fact landmark, or -1
    std::vector<int32_t> disjunction_;         // by atom: the number of the disjunction that contains it, or -1
    std::vector<Order> natural_, greedy_necessary_, necessary_;
    std::vector<int32_t> count_;  // by atom; all 0 between uses
};

}  // namespace goalward
