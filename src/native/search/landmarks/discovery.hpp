// Finds the landmarks of a state and the orders between them.
//
//     LandmarkFinder finder(problem, mutex_groups, kinds, options);
//     LandmarkGraph graph = finder.find(state, budget);
//
// Facts come from complete propagation (propagation.hpp): all atoms that every relaxed plan makes use of, except
// those that hold and are never deleted. Sets of atoms of which one is needed are looked for backwards from these, one step
// at a time, as in RHW (Richter, Helmert and Westphal 2008): where every operator that can be the first to reach a landmark
// has a precondition of one kind, one of these preconditions must hold before. Reasonable orders: orders.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/landmarks/orders.hpp"
#include "search/landmarks/propagation.hpp"
#include "search/landmarks/graph.hpp"
#include "task/problem.hpp"

namespace goalward {

struct LandmarkOptions {
    int most_disjuncts = 4;  // atoms in a disjunctive landmark; below 2, none are looked for
    bool reasonable = true;  // look for reasonable orders
};

class LandmarkFinder {
public:
    // `mutex_groups`: sets of atoms of which at most one holds at a time, for reasonable orders. `kinds`: a number per
    // atom; the atoms of a disjunctive landmark are of one kind (of one predicate, say).
    LandmarkFinder(std::shared_ptr<const Problem> problem, Rows mutex_groups, std::vector<int32_t> kinds,
                   LandmarkOptions options);
    // With relaxed operators of unit costs that others use too.
    LandmarkFinder(std::shared_ptr<const Problem> problem, Rows mutex_groups, std::vector<int32_t> kinds,
                   LandmarkOptions options, std::shared_ptr<const RelaxedOperators> operators);

    // Landmarks of the way from a state to the problem's goal, or to other atoms, all of them stored. Throws OutOfBudget
    // where time or memory do not suffice.
    LandmarkGraph find(const Word* state, Budget& budget) { return find(state, problem_.goal().atoms(), budget); }
    LandmarkGraph find(const Word* state, std::span<const int32_t> goal, Budget& budget);

    const Problem& problem() const { return problem_; }
    uint64_t effort() const { return propagation_.effort() + effort_; }

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

    std::shared_ptr<const Problem> owned_;
    const Problem& problem_;
    std::vector<int32_t> kinds_;
    std::vector<uint8_t> deleted_;  // of each atom: does an operator delete it?
    LandmarkOptions options_;
    LandmarkPropagation propagation_;
    ReasonableOrders reasonable_;

    std::vector<std::vector<int32_t>> found_;  // atoms of each landmark
    std::vector<int32_t> fact_;                // of each atom: the number of its fact landmark, or -1
    std::vector<int32_t> disjunction_;         // of each atom: the number of the disjunction that holds it, or -1
    std::vector<Order> natural_, greedy_necessary_, necessary_;
    std::vector<int32_t> count_;  // one per atom, zeros between uses
    uint64_t effort_ = 0;
};

}  // namespace goalward
