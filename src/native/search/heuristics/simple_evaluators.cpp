// Blind search and goal counting.
#include <algorithm>

#include "search/heuristics/heuristics.hpp"
#include "search/heuristics/rounding.hpp"

namespace goalward {

namespace {

class Blind final : public Evaluator {
public:
    Blind(std::shared_ptr<const Problem> problem, bool unit_costs) : Evaluator(std::move(problem)) {
        if (unit_costs) return;
        const auto& operators = problem_.active_operators();
        const auto cheapest = std::min_element(operators.begin(), operators.end(), [&](int32_t a, int32_t b) {
            return problem_.cost(a) < problem_.cost(b);
        });
        step_ = cheapest == operators.end() ? 0.0f : rounded_down(problem_.cost(*cheapest));
    }
    void evaluate(const Batch& batch, std::span<float> h) override {
        for (std::size_t i = 0; i < batch.states.size(); ++i) h[i] = problem_.is_goal(batch.states[i]) ? 0 : step_;
    }
    bool few_values() const override { return true; }

private:
    float step_ = 1;
};

class GoalCount final : public Evaluator {
public:
    GoalCount(std::shared_ptr<const Problem> problem, bool) : Evaluator(std::move(problem)) {}
    void evaluate(const Batch& batch, std::span<float> h) override {
        const auto goal = problem_.goal().atoms();
        for (std::size_t i = 0; i < batch.states.size(); ++i)
            h[i] = static_cast<float>(std::count_if(goal.begin(), goal.end(), [&](int32_t atom) {
                return !problem_.packing().holds(batch.states[i], atom);
            }));
    }
    bool few_values() const override { return true; }
};

}  // namespace

constinit const NativeHeuristic goalcount_heuristic{
    "goalcount", "number of goal atoms that do not hold", false, "", make_heuristic<GoalCount>};
constinit const NativeHeuristic blind_heuristic{
    "blind", "0 in goal states, the cheapest action's cost elsewhere", true, "", make_heuristic<Blind>};

}  // namespace goalward
