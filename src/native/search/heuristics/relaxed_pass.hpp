// One generalised Dijkstra pass over the delete relaxation of a state: it gives atoms their h_add or h_max costs.
//
// Operators have no counters of preconditions. Each operator *watches* one of its preconditions and is looked at when that
// atom is expanded, so operators that watch an atom that is never expanded cost nothing. If another precondition is still
// missing, the operator watches that one from then on, in later passes too: the same preconditions are mostly the last
// ones in neighbouring states. Watched literals in SAT solvers work in the same way.
//
// Atoms of the same cost are expanded in one round. Of the cheapest supporters of an atom, the one of the first round is
// taken. Then a hash of the state breaks ties: if the same operators won them in every state, relaxed plans would always
// use the same objects, and the portfolio needs a fifth more expansions (docs/lab/search.md). So the result depends on the
// state alone, not on what is watched, and supporters of supporters lead to true atoms even if operators cost nothing.
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
    enum class Rule { add, max };  // the cost of several preconditions: their sum, or the highest

    static std::unique_ptr<RelaxedPass> make(std::shared_ptr<const RelaxedOperators> operators, Rule rule, int n_atoms);
    virtual ~RelaxedPass() = default;

    // The atoms that end a pass, all different.
    void set_goal(std::span<const int32_t> atoms);
    // Starts from these atoms and ends when all goal atoms have their cost. Returns false if one cannot be reached.
    virtual bool run(std::span<const int32_t> true_atoms) = 0;

    std::span<const int32_t> goal() const { return goal_; }
    Cost cost(int32_t atom) const { return cost_[atom]; }
    bool is_true(int32_t atom) const { return best_[atom] == 0; }
    // The relaxed operator that adds an atom most cheaply, by rule `add`. The atom must be reached but not true.
    int32_t supporter(int32_t atom) const { return static_cast<int32_t>((best_[atom] & (one_round_ - 1)) ^ tie_mask_); }
    bool supports(int32_t op, int32_t atom) const {
        return cost_[atom] != unreached && !is_true(atom) && supporter(atom) == op;
    }
    // Atoms expanded and operators looked at so far: a measure of work that repeats exactly.
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
    // By atom: the rank of its supporter, from cost, round and operator. Lower is better; 0 is true.
    std::vector<uint64_t> best_;
    const uint64_t one_round_;   // a power of two, for all operators
    uint32_t tie_mask_ = 0;
    uint64_t effort_ = 0;
};

}  // namespace goalward
