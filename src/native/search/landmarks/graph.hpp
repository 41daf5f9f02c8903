// Landmarks: what must be true at some time on the way from a state to the goal, and in which order.
//
// A landmark is an atom, or a set of atoms of which one must hold at some time (a disjunctive landmark). Predecessors of a
// landmark p stand in rows of bits, one row per p and kind of order:
//
//     natural            q holds at some time before p first does
//     greedy_necessary   q holds in the very step before p first does: each operator that can be the first to add p needs q
//     necessary          q holds in the step before each time that p becomes true: each operator that adds p needs q
//     reasonable         whoever reaches p before q is likely to have to give p up again for q; a guess, unlike the others
//
// Necessary orders are greedy-necessary ones too, and those are natural. Landmarks are numbered in the order in which a
// relaxed exploration reaches them, so every natural order goes from a lower number to a higher one.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/bit_matrix.hpp"
#include "task/rows.hpp"

namespace goalward {

struct LandmarkGraph {
    bool solvable = true;  // false: there is no plan, even when deletes are ignored, and no landmark was looked for
    Rows atoms;            // of each landmark
    std::vector<uint8_t> goal;     // must hold at the end
    std::vector<uint8_t> initial;  // holds in the state that the graph was made for
    BitMatrix natural, greedy_necessary, necessary, reasonable;

    std::size_t size() const { return atoms.size(); }
    uint64_t bytes() const { return natural.bytes() + greedy_necessary.bytes() + necessary.bytes() + reasonable.bytes(); }
};

}  // namespace goalward
