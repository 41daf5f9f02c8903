// Which atoms does each atom need, when deletes are ignored?
//
// An atom that holds needs nothing but itself. Any other atom needs itself and what all operators that add it have in
// common, where an operator needs all that its preconditions need. The greatest solution of these equations holds all
// atoms without which an atom cannot be reached (Zhu and Givan 2003; Keyder, Richter and Helmert 2010).
//
// It is found by sweeps over the operators in the order in which they become applicable, with one bit per candidate.
// Only what one relaxed plan makes use of can be needed by the goal: that leaves few candidates, and rows of few words.
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

    // False where the goal, these atoms, cannot be reached; then there is nothing to ask for below.
    bool run(const Word* state, std::span<const int32_t> goal, Budget& budget);

    const RelaxedOperators& operators() const { return ops_; }
    // Relaxed operators that add an atom and can be applied at some time.
    const std::vector<int32_t>& achievers(int32_t atom);

    bool holds_initially(int32_t atom) const { return support_[atom] == initial; }
    // Atoms in the order in which the exploration reached them.
    const std::vector<int32_t>& reached() const { return reached_; }
    // The column of an atom, or -1 where it is no candidate: then the goal does not need it.
    int32_t column(int32_t atom) const { return column_[atom]; }
    int32_t candidate(int32_t column) const { return candidates_[column]; }
    std::size_t n_candidates() const { return candidates_.size(); }
    // The candidates that an atom needs, itself included.
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
    void meet(int32_t op, int32_t visited);

    const LandmarkKnowledge& known_;
    const RelaxedOperators& ops_;
    std::vector<int32_t> missing_;  // preconditions that the exploration has not reached
    std::vector<int32_t> support_;  // of each atom: the operator that reached it first, or one of the two above
    std::vector<int32_t> reached_;
    std::vector<int32_t> order_;     // operators in the order in which they became applicable
    std::vector<int32_t> position_;  // of each operator in order_, or -1
    std::vector<int32_t> candidates_, column_;
    BitMatrix needed_;
    std::vector<uint64_t> dirty_, label_;  // positions to visit again; what one operator needs
    std::vector<uint8_t> met_;             // has an operator given this atom its first row?
    std::vector<int32_t> achievers_;
    uint64_t effort_ = 0;
};

}  // namespace goalward
