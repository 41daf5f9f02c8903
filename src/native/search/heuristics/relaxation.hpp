// h_max, h_add and h_FF: heuristics from the delete relaxation.
//
// A pass over the relaxation (relaxed_pass.hpp) computes costs and supporters of atoms. h_FF is the cost of the relaxed
// plan that consists of the goal's supporters and, recursively, the supporters of their preconditions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"
#include "search/heuristics/relaxed_operators.hpp"
#include "search/heuristics/relaxed_pass.hpp"

namespace goalward {

enum class Relaxed { max, add, ff };

class RelaxationHeuristic final : public Heuristic {
public:
    RelaxationHeuristic(std::shared_ptr<const Problem> problem, Relaxed kind, bool unit_costs);

    std::unique_ptr<Evaluator> evaluator() const override;
    bool few_values() const override { return *unit_costs(); }

private:
    Relaxed kind_;
    std::shared_ptr<const RelaxedOperators> operators_;
};

class RelaxationEvaluator final : public Evaluator {
public:
    // Estimates the cost of reaching the problem's goal.
    RelaxationEvaluator(const Problem& problem, Relaxed kind, std::shared_ptr<const RelaxedOperators> operators);

    void evaluate(const Batch& batch, std::span<float> h) override;

    // Replaces the problem's goal by these atoms, which must be distinct.
    void set_goal(std::span<const int32_t> atoms) { pass_->set_goal(atoms); }
    // Returns the value of one state. With Relaxed::ff, the relaxed plan is kept until the next call.
    float evaluate(const Word* state);
    // Appends FF's helpful actions: the operators of the last relaxed plan that are applicable in its state.
    void append_helpful_actions(std::vector<int32_t>& operators) const;
    // Appends the atoms that the last relaxed plan makes true, without duplicates.
    void append_plan_atoms(std::vector<int32_t>& atoms) const;
    // The number of steps of the algorithm, see relaxed_pass.hpp.
    uint64_t effort() const { return pass_->effort(); }

private:
    int32_t extract_plan();

    const Problem& problem_;
    Relaxed kind_;
    std::shared_ptr<const RelaxedOperators> shared_;
    const RelaxedOperators& ops_;
    std::unique_ptr<RelaxedPass> pass_;
    std::vector<int32_t> true_atoms_, stack_, plan_;
    std::vector<uint32_t> marked_;  // by relaxed operator: number of the last evaluation whose plan has it
    uint32_t evaluation_ = 0;
};

}  // namespace goalward
