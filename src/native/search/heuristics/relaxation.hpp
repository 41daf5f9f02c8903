// h_max, h_add and h_FF: heuristics from the delete relaxation.
//
// One generalised Dijkstra pass over the atoms gives each its cost; an operator fires once, when the last of its
// preconditions is settled. The pass works on whole operators with all their add effects, not on one unary operator
// per effect, and effects that another operator gives more easily are dropped, so there is far less to count down.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/heuristics/evaluator.hpp"
#include "search/heuristics/relaxed_operators.hpp"

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
    void set_goal(std::span<const int32_t> atoms);
    // The value of one state; of kind ff, the relaxed plan behind it is kept until the next call.
    float evaluate(const Word* state);
    // Operators of the kept relaxed plan that are applicable in the state that was evaluated last (FF's helpful actions).
    void append_helpful_actions(std::vector<int32_t>& operators) const;
    // Atoms that the kept relaxed plan makes true, each once.
    void append_plan_atoms(std::vector<int32_t>& atoms) const;
    // Atoms and counters that passes have touched so far: a measure of work that repeats exactly.
    uint64_t effort() const { return effort_; }

private:
    using Cost = int32_t;
    struct Counter {  // of one relaxed operator during a pass
        Cost cost;
        int32_t missing;
    };

    template <Relaxed kind>
    Cost explore(const Word* state);
    Cost extract_plan();
    void settle(int32_t atom, Cost cost, int32_t op);
    template <Relaxed kind>
    void fire(int32_t op, Cost cost);
    template <Relaxed kind>
    bool expand(int32_t atom, Cost cost);

    const Problem& problem_;
    Relaxed kind_;
    std::shared_ptr<const RelaxedOperators> shared_;
    const RelaxedOperators& ops_;
    std::vector<Counter> fresh_, counters_;
    std::vector<int32_t> goal_;
    std::vector<uint8_t> is_goal_;

    std::vector<Cost> cost_;
    std::vector<int32_t> support_;  // relaxed operator that reached an atom most cheaply
    std::vector<std::vector<int32_t>> buckets_;
    std::vector<std::pair<Cost, int32_t>> overflow_;  // heap of entries beyond the buckets
    std::vector<int32_t> true_atoms_, stack_, plan_;
    std::vector<uint32_t> marked_;  // by relaxed operator: the pass that put it into the plan
    uint32_t pass_ = 0;
    std::size_t highest_ = 0;
    int goals_left_ = 0;
    uint64_t effort_ = 0;
};

}  // namespace goalward
