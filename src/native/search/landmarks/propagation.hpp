// For each atom, the atoms that every relaxed plan for it makes true (Zhu and Givan 2003; Keyder, Richter and Helmert
// 2010).
//
// An atom that holds initially requires only itself. Any other atom requires itself and the intersection of what its
// achievers require, where an operator requires the union of what its preconditions require. The greatest fixpoint of
// these equations is the set of all fact landmarks of each atom.
//
// It is computed by sweeps over the operators in the order in which they become applicable, with one bit per candidate.
// Only atoms of one relaxed plan can be landmarks of the goal, so there are few candidates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/core/bit_matrix.hpp"
#include "search/core/limits.hpp"
#include "search/landmarks/knowledge.hpp"

namespace goalward {

class LandmarkPropagation {
public:
    explicit LandmarkPropagation(const LandmarkKnowledge& knowledge);

    // Computes the landmarks. False if the goal is unreachable; then the functions below must not be called.
    bool run(const Word* state, std::span<const int32_t> goal, Budget& budget);

    const RelaxedOperators& operators() const { return ops_; }
    // Relaxed operators that add an atom and are reachable.
    const std::vector<int32_t>& achievers(int32_t atom);

    bool holds_initially(int32_t atom) const { return support_[atom] == initial; }
    // Atoms in the order in which the exploration reached them.
    const std::vector<int32_t>& reached() const { return reached_; }
    // The column of an atom, or -1 if it is not a candidate and so not a landmark of the goal.
    int32_t column(int32_t atom) const { return column_[atom]; }
    int32_t candidate(int32_t column) const { return candidates_[column]; }
    std::size_t n_candidates() const { return candidates_.size(); }
    // The candidates that an atom requires, including itself.
    const uint64_t* needed(int32_t atom) const { return needed_[atom]; }
    std::size_t width() const { return needed_.width(); }
    uint64_t bytes() const { return needed_.bytes(); }
    bool operator_needs(int32_t op, int32_t column) const;

    uint64_t effort() const { return effort_; }

private:
    static constexpr int32_t initial = -1, unreached = -2;

    void explore(const Word* state);
    void fire(int32_t op);
    void choose_candidates(std::span<const int32_t> goal);
    void sweep(Budget& budget);
    void intersect(int32_t op, int32_t n_visited);

    const LandmarkKnowledge& knowledge_;
    const RelaxedOperators& ops_;
    std::vector<int32_t> missing_;  // by operator: number of preconditions that are not reached yet
    std::vector<int32_t> support_;  // by atom: the operator that reached it first, or one of the constants above
    std::vector<int32_t> reached_;
    std::vector<int32_t> order_;     // operators in the order in which they became applicable
    std::vector<int32_t> position_;  // by operator: its index in order_, or -1
    std::vector<int32_t> candidates_, column_;
    BitMatrix needed_;
    std::vector<uint64_t> dirty_, label_;  // positions to visit again; the atoms that one operator requires
    std::vector<uint8_t> initialised_;             // by atom: true if its row is initialised
    std::vector<int32_t> achievers_;
    uint64_t effort_ = 0;
};

}  // namespace goalward
