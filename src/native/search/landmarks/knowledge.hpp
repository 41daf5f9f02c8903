// What landmark discovery knows of a problem before it sees a state. It never changes and may be shared by threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/heuristics/relaxed_operators.hpp"
#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

struct LandmarkOptions {
    int most_disjuncts = 4;  // atoms in a disjunctive landmark; below 2, none are looked for
    bool reasonable = true;  // look for reasonable orders
};

struct LandmarkKnowledge {
    // `groups`: sets of atoms of which at most one holds at a time, for reasonable orders. `kind_of_atom`: a number per
    // atom; the atoms of a disjunctive landmark are of one kind (of one predicate, say). `relaxed`: those of unit costs.
    LandmarkKnowledge(std::shared_ptr<const Problem> the_problem, Rows groups, std::vector<int32_t> kind_of_atom,
                      LandmarkOptions the_options, std::shared_ptr<const RelaxedOperators> relaxed);

    std::shared_ptr<const Problem> problem;
    LandmarkOptions options;
    std::shared_ptr<const RelaxedOperators> operators;
    std::vector<int32_t> n_pre;  // of each relaxed operator
    Rows adding;                 // atom → relaxed operators that add it
    Rows adders;                 // atom → operators that add it
    std::vector<int32_t> kinds;
    std::vector<uint8_t> deleted;   // of each atom: does an operator delete it?
    Rows mutex_groups, groups_of;   // groups_of: atom → mutex groups

    std::size_t n_atoms() const { return kinds.size(); }
    bool addable(int32_t atom) const { return !adders[atom].empty(); }
};

}  // namespace goalward
