// A generalised Dijkstra search over the delete relaxation of a state. It computes the h_add or h_max costs of atoms.
//
// Operators do not count their missing preconditions. Instead, each operator *watches* one precondition, like the
// watched literals of SAT solvers, and is visited when that atom is expanded. An operator costs nothing if its watched
// atom is never expanded. If another precondition is still missing, the operator watches that one from then on. It
// does so in later passes, too, because the precondition that is reached last is often the same in neighbouring states.
//
// Atoms of the same cost are expanded in one round. The supporter of an atom is the cheapest operator that adds it. Ties
// are broken by the earlier round, and then by a hash of the state. Without the hash, the same operators would win in
// every state, relaxed plans would always use the same objects, and the portfolio would need a fifth more expansions
// (docs/lab/search.md). With these rules, supporters depend on the state alone and not on the watched atoms. Chains of
// supporters end in true atoms even if operators cost nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/heuristics/relaxed_operators.hpp"

namespace goalward {

class RelaxedPass {
public:
    using Cost = uint32_t;
    enum class Rule { add, max };  // the cost of a set of preconditions: the sum, or the maximum

    static std::unique_ptr<RelaxedPass> make(std::shared_ptr<const RelaxedOperators> operators, Rule rule, int n_atoms);
    virtual ~RelaxedPass() = default;

    // Sets the atoms that end a pass. They must be distinct.
    void set_goal(std::span<const int32_t> atoms);
    // Computes costs until those of all goal atoms are final. Returns false if a goal atom cannot be reached.
    virtual bool run(std::span<const int32_t> true_atoms) = 0;

    std::span<const int32_t> goal() const { return goal_; }
    Cost cost(int32_t atom) const { return cost_[atom]; }
    bool is_true(int32_t atom) const { return best_[atom] == 0; }
    // The cheapest relaxed operator that adds an atom, if the rule is `add`. The atom must be reached but not true.
    int32_t supporter(int32_t atom) const { return static_cast<int32_t>((best_[atom] & (one_round_ - 1)) ^ tie_mask_); }
    bool supports(int32_t op, int32_t atom) const {
        return cost_[atom] != unreached && !is_true(atom) && supporter(atom) == op;
    }
    // Number of expanded atoms and visited operators so far.
    uint64_t effort() const { return effort_; }

protected:
    static constexpr int cost_shift = 34;
    static constexpr Cost unreached = (1 << 30) - 1;

    RelaxedPass(std::shared_ptr<const RelaxedOperators> operators, int n_atoms);

    std::shared_ptr<const RelaxedOperators> shared_;
    const RelaxedOperators& ops_;
    std::vector<int32_t> goal_;
    std::vector<uint8_t> is_goal_;
    std::vector<Cost> cost_;
    // By atom: the rank of its supporter, made of cost, round and operator. Lower is better; true atoms have rank 0.
    std::vector<uint64_t> best_;
    const uint64_t one_round_;   // the lowest bit of the round in a rank; all operators fit below it
    uint32_t tie_mask_ = 0;
    uint64_t effort_ = 0;
};

}  // namespace goalward
