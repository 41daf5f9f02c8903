// The blind heuristic and the goal count heuristic.
#include <algorithm>

#include "search/heuristics/heuristics.hpp"
#include "search/heuristics/rounding.hpp"

namespace goalward {

namespace {

class StateFunctionEvaluator final : public Evaluator {
public:
    explicit StateFunctionEvaluator(const StateFunction& function) : function_(function) {}
    void evaluate(const Batch& batch, std::span<float> h) override {
        std::transform(batch.states.begin(), batch.states.end(), h.begin(),
                       [&](const Word* state) { return function_.value(state); });
    }

private:
    const StateFunction& function_;
};

class Blind final : public StateFunction {
public:
    Blind(std::shared_ptr<const Problem> problem, bool unit_costs) : StateFunction(std::move(problem), unit_costs) {
        if (unit_costs) return;
        const auto& operators = problem_.active_operators();
        const auto cheapest = std::min_element(operators.begin(), operators.end(), [&](int32_t a, int32_t b) {
            return problem_.cost(a) < problem_.cost(b);
        });
        step_ = cheapest == operators.end() ? 0.0f : rounded_down(problem_.cost(*cheapest));
    }
    float value(const Word* state) const override { return problem_.is_goal(state) ? 0 : step_; }
    bool few_values() const override { return true; }

private:
    float step_ = 1;
};

class GoalCount final : public StateFunction {
public:
    GoalCount(std::shared_ptr<const Problem> problem, bool) : StateFunction(std::move(problem)) {}
    float value(const Word* state) const override {
        const auto goal = problem_.goal().atoms();
        return static_cast<float>(
            std::count_if(goal.begin(), goal.end(), [&](int32_t atom) { return !problem_.packing().holds(state, atom); }));
    }
    bool few_values() const override { return true; }
};

}  // namespace

std::unique_ptr<Evaluator> StateFunction::evaluator() const { return std::make_unique<StateFunctionEvaluator>(*this); }

constinit const NativeHeuristic goalcount_heuristic{
    "goalcount", "number of goal atoms that do not hold", false, "", make_heuristic<GoalCount>};
constinit const NativeHeuristic blind_heuristic{
    "blind", "0 in goal states, the cheapest action's cost elsewhere", true, "", make_heuristic<Blind>};

}  // namespace goalward
