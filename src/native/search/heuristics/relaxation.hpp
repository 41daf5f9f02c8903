// h_max, h_add and h_FF: heuristics from the delete relaxation.
//
// A pass over the relaxation (relaxed_pass.hpp) gives atoms their costs and supporters. h_FF is the cost of the plan that
// the supporters make.
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
    // Estimates the way to the problem's goal.
    RelaxationEvaluator(const Problem& problem, Relaxed kind, std::shared_ptr<const RelaxedOperators> operators);

    void evaluate(const Batch& batch, std::span<float> h) override;

    // Estimates the way to these atoms, all different, instead of to the problem's goal.
    void set_goal(std::span<const int32_t> atoms) { pass_->set_goal(atoms); }
    // The value of one state; of kind ff, the relaxed plan behind it is kept until the next call.
    float evaluate(const Word* state);
    // Operators of the kept relaxed plan that are applicable in the state that was evaluated last (FF's helpful actions).
    void append_helpful_actions(std::vector<int32_t>& operators) const;
    // Atoms that the kept relaxed plan makes true, each once.
    void append_plan_atoms(std::vector<int32_t>& atoms) const;
    // A measure of work that repeats exactly, see relaxed_pass.hpp.
    uint64_t effort() const { return pass_->effort(); }

private:
    int32_t extract_plan();

    const Problem& problem_;
    Relaxed kind_;
    std::shared_ptr<const RelaxedOperators> shared_;
    const RelaxedOperators& ops_;
    std::unique_ptr<RelaxedPass> pass_;
    std::vector<int32_t> true_atoms_, stack_, plan_;
    std::vector<uint32_t> marked_;  // by relaxed operator: the evaluation that put it into the plan
    uint32_t evaluation_ = 0;
};

}  // namespace goalward
