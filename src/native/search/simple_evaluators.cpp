#include "search/simple_evaluators.hpp"

#include <algorithm>

namespace goalward {

namespace {

class Blind final : public Evaluator {
public:
    Blind(const Problem& problem, bool unit_costs) : problem_(problem) {
        if (unit_costs) return;
        const auto& operators = problem.active_operators();
        const auto cheapest = std::min_element(operators.begin(), operators.end(), [&](int32_t a, int32_t b) {
            return problem.cost(a) < problem.cost(b);
        });
        step_ = cheapest == operators.end() ? 0.0f : static_cast<float>(problem.cost(*cheapest));
    }
    void evaluate(const Batch& batch, std::span<float> h) override {
        for (std::size_t i = 0; i < batch.states.size(); ++i) h[i] = problem_.is_goal(batch.states[i]) ? 0 : step_;
    }
    bool few_values() const override { return true; }

private:
    const Problem& problem_;
    float step_ = 1;
};

class GoalCount final : public Evaluator {
public:
    explicit GoalCount(const Problem& problem) : problem_(problem) {}
    void evaluate(const Batch& batch, std::span<float> h) override {
        const auto& goal = problem_.goal();
        for (std::size_t i = 0; i < batch.states.size(); ++i)
            h[i] = static_cast<float>(std::count_if(goal.begin(), goal.end(), [&](int32_t atom) {
                return !problem_.packing().holds(batch.states[i], atom);
            }));
    }
    bool few_values() const override { return true; }

private:
    const Problem& problem_;
};

}  // namespace

std::unique_ptr<Evaluator> make_blind(const Problem& problem, bool unit_costs) {
    return std::make_unique<Blind>(problem, unit_costs);
}
std::unique_ptr<Evaluator> make_goal_count(const Problem& problem) { return std::make_unique<GoalCount>(problem); }

}  // namespace goalward
