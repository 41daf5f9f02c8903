// The data of a problem that landmark discovery needs for any state. It is immutable and may be shared by threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/heuristics/relaxed_operators.hpp"
#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

struct LandmarkOptions {
    int max_disjuncts = 4;   // maximum number of atoms in a disjunctive landmark; below 2: no disjunctive landmarks
    bool reasonable = true;  // find reasonable orders
};

struct LandmarkKnowledge {
    // `groups` are sets of atoms of which at most one holds at a time, for reasonable orders. `kind_of_atom` is a
    // number for each atom, such as that of its predicate; the atoms of a disjunctive landmark are of the same kind.
    // `relaxed` are the relaxed operators with unit costs.
    LandmarkKnowledge(std::shared_ptr<const Problem> the_problem, Rows groups, std::vector<int32_t> kind_of_atom,
                      LandmarkOptions the_options, std::shared_ptr<const RelaxedOperators> relaxed);

    std::shared_ptr<const Problem> problem;
    LandmarkOptions options;
    std::shared_ptr<const RelaxedOperators> operators;
    std::vector<int32_t> n_pre;     // by relaxed operator: number of preconditions
    Rows relaxed_achievers;         // atom → relaxed operators that add it
    Rows achievers;                 // atom → operators that add it
    std::vector<int32_t> kinds;     // by atom
    std::vector<uint8_t> deleted;   // by atom: true if an operator deletes it
    Rows mutex_groups, groups_of;   // groups_of: atom → mutex groups

    std::size_t n_atoms() const { return kinds.size(); }
    bool addable(int32_t atom) const { return !achievers[atom].empty(); }
};

}  // namespace goalward
