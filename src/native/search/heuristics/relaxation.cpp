#include "search/heuristics/relaxation.hpp"

#include <algorithm>

#include "search/heuristics/heuristics.hpp"
#include "search/heuristics/rounding.hpp"

namespace goalward {

namespace {
int32_t saturated(int32_t a, int32_t b) {  // both at most highest_relaxed_cost
    const uint32_t sum = static_cast<uint32_t>(a) + static_cast<uint32_t>(b);
    return static_cast<int32_t>(std::min<uint32_t>(sum, highest_relaxed_cost));
}
}  // namespace

RelaxationHeuristic::RelaxationHeuristic(std::shared_ptr<const Problem> problem, Relaxed kind, bool unit_costs)
    : Heuristic(std::move(problem), unit_costs), kind_(kind), operators_(shared_relaxed_operators(problem_, unit_costs)) {}

std::unique_ptr<Evaluator> RelaxationHeuristic::evaluator() const {
    return std::make_unique<RelaxationEvaluator>(problem_, kind_, operators_);
}

RelaxationEvaluator::RelaxationEvaluator(const Problem& problem, Relaxed kind,
                                         std::shared_ptr<const RelaxedOperators> operators)
    : problem_(problem), kind_(kind), shared_(std::move(operators)), ops_(*shared_),
      pass_(RelaxedPass::make(shared_, kind == Relaxed::max ? RelaxedPass::Rule::max : RelaxedPass::Rule::add,
                              problem.packing().n_atoms())),
      marked_(ops_.size()) {
    set_goal(problem_.goal().atoms());
}

void RelaxationEvaluator::evaluate(const Batch& batch, std::span<float> h) {
    for (std::size_t i = 0; i < batch.states.size(); ++i) h[i] = evaluate(batch.states[i]);
}

float RelaxationEvaluator::evaluate(const Word* state) {
    plan_.clear();
    true_atoms_.clear();
    problem_.packing().true_atoms(state, true_atoms_);
    if (!pass_->run(true_atoms_)) return dead_end;
    if (kind_ == Relaxed::ff) return rounded_down(extract_plan());
    int32_t total = 0;
    for (int32_t atom : pass_->goal()) {
        const int32_t cost = static_cast<int32_t>(pass_->cost(atom));
        total = kind_ == Relaxed::max ? std::max(total, cost) : saturated(total, cost);
    }
    return rounded_down(total);
}

int32_t RelaxationEvaluator::extract_plan() {
    if (++evaluation_ == 0) {  // the counter has wrapped around, so old marks are reset
        std::fill(marked_.begin(), marked_.end(), 0);
        evaluation_ = 1;
    }
    int32_t total = 0;
    stack_.assign(pass_->goal().begin(), pass_->goal().end());
    while (!stack_.empty()) {
        const int32_t atom = stack_.back();
        stack_.pop_back();
        if (pass_->is_true(atom)) continue;
        const int32_t op = pass_->supporter(atom);
        if (marked_[op] == evaluation_) continue;
        marked_[op] = evaluation_;
        plan_.push_back(op);
        total = saturated(total, ops_.cost[op]);
        for (int32_t needed : ops_.pre[op]) stack_.push_back(needed);
    }
    return total;
}

void RelaxationEvaluator::append_helpful_actions(std::vector<int32_t>& operators) const {
    for (int32_t op : plan_)
        if (std::ranges::all_of(ops_.pre[op], [&](int32_t atom) { return pass_->is_true(atom); }))
            operators.push_back(ops_.original[op]);
}

void RelaxationEvaluator::append_plan_atoms(std::vector<int32_t>& atoms) const {
    for (int32_t op : plan_)
        for (int32_t atom : ops_.add[op])
            if (pass_->supports(op, atom)) atoms.push_back(atom);
}

namespace {
template <Relaxed kind>
std::unique_ptr<Heuristic> make(std::shared_ptr<const Problem> problem, bool unit_costs) {
    return std::make_unique<RelaxationHeuristic>(std::move(problem), kind, unit_costs);
}
}  // namespace

constinit const NativeHeuristic ff_heuristic{
    "ff", "length of a relaxed plan", false, "Hoffmann and Nebel 2001; supporters by h_add", make<Relaxed::ff>};
constinit const NativeHeuristic add_heuristic{
    "add", "sum of the relaxed costs of the goal atoms", false, "Bonet and Geffner 2001", make<Relaxed::add>};
constinit const NativeHeuristic hmax_heuristic{
    "hmax", "highest relaxed cost of a goal atom", true, "Bonet and Geffner 2001", make<Relaxed::max>};

}  // namespace goalward
