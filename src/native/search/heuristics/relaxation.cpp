#include "search/heuristics/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "search/heuristics/heuristics.hpp"
#include "search/heuristics/rounding.hpp"

namespace goalward {

namespace {
constexpr int32_t unreached = std::numeric_limits<int32_t>::max();
constexpr std::size_t n_buckets = 1 << 14;

int32_t saturated(int32_t a, int32_t b) {  // both at most highest_relaxed_cost
    const uint32_t sum = static_cast<uint32_t>(a) + static_cast<uint32_t>(b);
    return static_cast<int32_t>(std::min<uint32_t>(sum, highest_relaxed_cost));
}
}  // namespace

RelaxationEvaluator::RelaxationEvaluator(std::shared_ptr<const Problem> problem, Relaxed kind, bool unit_costs)
    : RelaxationEvaluator(problem, kind, unit_costs, shared_relaxed_operators(*problem, unit_costs)) {}

RelaxationEvaluator::RelaxationEvaluator(std::shared_ptr<const Problem> problem, Relaxed kind, bool unit_costs,
                                         std::shared_ptr<const RelaxedOperators> operators)
    : Evaluator(std::move(problem)), kind_(kind), unit_costs_(unit_costs), shared_(std::move(operators)), ops_(*shared_) {
    const int n_atoms = problem_.packing().n_atoms();
    for (std::size_t i = 0; i < ops_.size(); ++i)
        fresh_.push_back({ops_.cost[i], static_cast<int32_t>(ops_.pre[i].size())});
    counters_.resize(fresh_.size());
    cost_.resize(n_atoms);
    support_.resize(n_atoms);
    marked_.resize(ops_.size());
    buckets_.resize(n_buckets);
    is_goal_.resize(n_atoms);
    set_goal(problem_.goal().atoms());
}

void RelaxationEvaluator::set_goal(std::span<const int32_t> atoms) {
    for (int32_t atom : goal_) is_goal_[atom] = 0;
    goal_.assign(atoms.begin(), atoms.end());
    for (int32_t atom : goal_) is_goal_[atom] = 1;
}

void RelaxationEvaluator::evaluate(const Batch& batch, std::span<float> h) {
    for (std::size_t i = 0; i < batch.states.size(); ++i) h[i] = evaluate(batch.states[i]);
}

float RelaxationEvaluator::evaluate(const Word* state) {
    Cost value = 0;
    switch (kind_) {
        case Relaxed::max: value = explore<Relaxed::max>(state); break;
        case Relaxed::add: value = explore<Relaxed::add>(state); break;
        case Relaxed::ff: value = explore<Relaxed::ff>(state); break;
    }
    return value == unreached ? dead_end : rounded_down(value);
}

inline void RelaxationEvaluator::settle(int32_t atom, Cost cost, int32_t op) {
    cost_[atom] = cost;
    support_[atom] = op;
    if (static_cast<std::size_t>(cost) < n_buckets) {
        buckets_[cost].push_back(atom);
        highest_ = std::max(highest_, static_cast<std::size_t>(cost));
    } else {
        overflow_.emplace_back(cost, atom);
        std::push_heap(overflow_.begin(), overflow_.end(), std::greater<>());
    }
}

template <Relaxed kind>
inline void RelaxationEvaluator::fire(int32_t op, Cost cost) {
    for (int32_t atom : ops_.add[op])
        if (cost < cost_[atom]) settle(atom, cost, op);
}

// Returns true when the last goal atom has been reached.
template <Relaxed kind>
inline bool RelaxationEvaluator::expand(int32_t atom, Cost cost) {
    if (is_goal_[atom] && --goals_left_ == 0) return true;
    effort_ += 1 + ops_.waiting[atom].size();
    for (int32_t op : ops_.waiting[atom]) {
        Counter& counter = counters_[op];
        if constexpr (kind == Relaxed::max) {
            // Atoms settle in order of cost: the last precondition is the dearest.
            if (--counter.missing == 0) fire<kind>(op, saturated(counter.cost, cost));
        } else {
            counter.cost = saturated(counter.cost, cost);
            if (--counter.missing == 0) fire<kind>(op, counter.cost);
        }
    }
    return false;
}

template <Relaxed kind>
RelaxationEvaluator::Cost RelaxationEvaluator::explore(const Word* state) {
    plan_.clear();
    if (goal_.empty()) return 0;
    std::fill(cost_.begin(), cost_.end(), unreached);
    if (!fresh_.empty()) std::memcpy(counters_.data(), fresh_.data(), fresh_.size() * sizeof(Counter));
    for (std::size_t c = 0; c <= highest_; ++c) buckets_[c].clear();
    overflow_.clear();
    highest_ = 0;
    goals_left_ = static_cast<int>(goal_.size());
    true_atoms_.clear();
    problem_.packing().true_atoms(state, true_atoms_);
    for (int32_t atom : true_atoms_) {
        cost_[atom] = 0;
        support_[atom] = -1;
    }
    bool reached = false;
    for (int32_t op : ops_.free) fire<kind>(op, ops_.cost[op]);
    for (int32_t atom : true_atoms_)
        if ((reached = expand<kind>(atom, 0))) break;
    for (std::size_t c = 0; c <= highest_ && !reached; ++c)
        while (!buckets_[c].empty() && !reached) {
            const int32_t atom = buckets_[c].back();
            buckets_[c].pop_back();
            // An atom reached again more cheaply has been expanded from its earlier bucket.
            if (cost_[atom] == static_cast<Cost>(c)) reached = expand<kind>(atom, static_cast<Cost>(c));
        }
    while (!overflow_.empty() && !reached) {
        const auto [cost, atom] = overflow_.front();
        std::pop_heap(overflow_.begin(), overflow_.end(), std::greater<>());
        overflow_.pop_back();
        if (cost_[atom] == cost) reached = expand<kind>(atom, cost);
    }
    if (!reached) return unreached;
    if constexpr (kind == Relaxed::ff) return extract_plan();
    Cost total = 0;
    for (int32_t atom : goal_)
        total = kind == Relaxed::max ? std::max(total, cost_[atom]) : saturated(total, cost_[atom]);
    return total;
}

RelaxationEvaluator::Cost RelaxationEvaluator::extract_plan() {
    if (++pass_ == 0) {  // the counter has gone round: forget all old marks
        std::fill(marked_.begin(), marked_.end(), 0);
        pass_ = 1;
    }
    Cost total = 0;
    stack_.assign(goal_.begin(), goal_.end());
    while (!stack_.empty()) {
        const int32_t op = support_[stack_.back()];
        stack_.pop_back();
        if (op < 0 || marked_[op] == pass_) continue;
        marked_[op] = pass_;
        plan_.push_back(op);
        total = saturated(total, ops_.cost[op]);
        stack_.insert(stack_.end(), ops_.pre[op].begin(), ops_.pre[op].end());
    }
    return total;
}

void RelaxationEvaluator::append_helpful_actions(std::vector<int32_t>& operators) const {
    for (int32_t op : plan_)
        if (std::all_of(ops_.pre[op].begin(), ops_.pre[op].end(), [&](int32_t atom) { return support_[atom] < 0; }))
            operators.push_back(ops_.original[op]);
}

void RelaxationEvaluator::append_plan_atoms(std::vector<int32_t>& atoms) const {
    for (int32_t op : plan_)
        for (int32_t atom : ops_.add[op])
            if (support_[atom] == op && cost_[atom] != unreached) atoms.push_back(atom);
}

namespace {
template <Relaxed kind>
std::unique_ptr<Evaluator> make(std::shared_ptr<const Problem> problem, bool unit_costs) {
    return std::make_unique<RelaxationEvaluator>(std::move(problem), kind, unit_costs);
}
}  // namespace

constinit const NativeHeuristic ff_heuristic{
    "ff", "length of a relaxed plan", false, "Hoffmann and Nebel 2001; supporters by h_add", make<Relaxed::ff>};
constinit const NativeHeuristic add_heuristic{
    "add", "sum of the relaxed costs of the goal atoms", false, "Bonet and Geffner 2001", make<Relaxed::add>};
constinit const NativeHeuristic hmax_heuristic{
    "hmax", "highest relaxed cost of a goal atom", true, "Bonet and Geffner 2001", make<Relaxed::max>};

}  // namespace goalward
