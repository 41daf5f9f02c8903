// Goal agendas: an order in which to make the atoms of a goal true.
//
// Random walks by regression from the goal undo its atoms one after the other. An atom that is undone early can be made
// true last, when all others hold. An atom that is undone late does not obstruct the others and may be unreachable once
// they hold, so it comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/limits.hpp"
#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

struct Agenda {
    std::vector<int32_t> atoms;  // all atoms of the goal, in the order in which to make them true
    uint64_t effort = 0;         // effort of computing the order; see Guide::effort
};

// Computes the agenda of the given attempt. Later attempts use other walks, and more than the first. `mutex_groups` are
// sets of atoms of which at most one holds at a time. Throws OutOfBudget if the time is over.
Agenda goal_agenda(const Problem& problem, const Rows& mutex_groups, int attempt, Budget& budget);

}  // namespace goalward
