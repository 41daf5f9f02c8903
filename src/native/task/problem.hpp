// A grounded task in the form that searches work on: packed states, compiled operators and a successor generator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "task/goal.hpp"
#include "task/packing.hpp"
#include "task/rows.hpp"
#include "task/successors.hpp"

namespace goalward {

class Problem {
public:
    struct Operator {  // atoms, sorted; only those that are stored
        std::span<const int32_t> pre, add, del;
        int32_t cost;
    };

    // Only atoms of `variables` are stored, and operators with mask 0 are never applied. Other atoms in the goal or in
    // preconditions count as true.
    Problem(Rows pre, Rows add, Rows del, std::vector<int32_t> costs, std::vector<int32_t> goal, Rows variables,
            const std::vector<uint8_t>& operator_mask, int n_atoms);

    const Packing& packing() const { return packing_; }
    const Goal& goal() const { return goal_; }
    const std::vector<int32_t>& active_operators() const { return active_; }
    std::size_t n_operators() const { return costs_.size(); }
    Operator op(int32_t o) const { return {pre_[o], add_[o], del_[o], costs_[o]}; }
    int32_t cost(int32_t o) const { return costs_[o]; }

    bool is_goal(const Word* state) const { return goal_.holds(state); }
    void applicable(const int32_t* values, std::vector<int32_t>& operators) const {
        successors_->applicable(values, operators);
    }
    // Writes the state after operator o into `child`, which has n_words() words.
    void apply(int32_t o, const Word* state, Word* child) const {
        for (int w = 0; w < packing_.n_words(); ++w) child[w] = state[w];
        for (int32_t i = effect_start_[o]; i < effect_start_[o + 1]; ++i) {
            const Effect& e = effects_[i];
            if ((state[e.when.word] & e.when.mask) == e.when.bits)
                child[e.when.word] = (child[e.when.word] & ~e.clear) | e.set;
        }
    }

private:
    struct Test {
        uint32_t word, mask, bits;
    };
    struct Effect {  // if `when` holds before the operator, clear and set bits of the same word
        Test when;
        uint32_t clear, set;
    };

    void compile_effects(int32_t o);

    Rows pre_, add_, del_;
    std::vector<int32_t> costs_, active_;
    Packing packing_;
    Goal goal_;
    std::vector<Effect> effects_;
    std::vector<int32_t> effect_start_{0};
    std::unique_ptr<SuccessorGenerator> successors_;
};

}  // namespace goalward
