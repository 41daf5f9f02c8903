// Landmark graphs: atoms that are true at some time in every plan from a state to the goal, and orders between them.
//
// A landmark is an atom, or a set of atoms of which one must hold at some time (a disjunctive landmark). The
// predecessors q of each landmark p are stored as bit rows, one row for each p and kind of order:
//
//     natural            q holds at some time before p first becomes true
//     greedy_necessary   q holds immediately before p first becomes true: each possible first achiever of p requires q
//     necessary          q holds immediately before each time that p becomes true: each achiever of p requires q
//     reasonable         a plan that makes p true before q probably has to make p false again for q (heuristic)
//
// Necessary orders are also greedy-necessary, and these are also natural. Landmarks are numbered in the order in which
// a relaxed exploration reaches them, so every natural order goes from a lower number to a higher one.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/bit_matrix.hpp"
#include "task/rows.hpp"

namespace goalward {

struct LandmarkGraph {
    bool solvable = true;          // false if there is no relaxed plan; then there are no landmarks
    Rows atoms;                    // by landmark
    std::vector<uint8_t> goal;     // true if the landmark is part of the goal
    std::vector<uint8_t> initial;  // true if the landmark holds in the state of the graph
    BitMatrix natural, greedy_necessary, necessary, reasonable;

    std::size_t size() const { return atoms.size(); }
    uint64_t bytes() const {
        return natural.bytes() + greedy_necessary.bytes() + necessary.bytes() + reasonable.bytes();
    }
};

}  // namespace goalward
