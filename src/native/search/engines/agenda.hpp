// In which order the atoms of a goal are best made true, seen from the goal itself.
//
// Random walks backwards from the goal undo its atoms one after the other. An atom that they undo soon can be made true
// at the end, when all others hold; one that stays for long is in nobody's way, and is in reach only before the others
// hold: it comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/limits.hpp"
#include "task/problem.hpp"
#include "task/rows.hpp"

namespace goalward {

struct Agenda {
    std::vector<int32_t> atoms;  // all of the goal, the first to be made true first
    uint64_t effort = 0;         // what finding the order took; see Guide::effort
};

// Later attempts draw other walks, and more of them than the first. `mutex_groups`: sets of atoms of which at most one
// holds at a time. Throws OutOfBudget if the time is over.
Agenda goal_agenda(const Problem& problem, const Rows& mutex_groups, int attempt, Budget& budget);

}  // namespace goalward
