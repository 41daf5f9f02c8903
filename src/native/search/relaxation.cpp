#include "search/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <unordered_map>

#include "task/random.hpp"

namespace goalward {

namespace {
constexpr int32_t unreached = std::numeric_limits<int32_t>::max();
constexpr int32_t highest_cost = 1 << 30;  // costs saturate: h_add can grow exponentially with depth
constexpr std::size_t n_buckets = 1 << 14;
constexpr std::size_t most_subsets = 64;  // of a precondition, tried in the search for dominating operators

int32_t saturated(int32_t a, int32_t b) {  // both at most highest_cost
    return static_cast<int32_t>(std::min(static_cast<uint32_t>(a) + static_cast<uint32_t>(b), static_cast<uint32_t>(highest_cost)));
}

// Large costs do not fit into a float; rounding them up would make h_max inadmissible.
float rounded_down(int32_t value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) > value ? std::nextafter(nearest, 0.0f) : nearest;
}

int32_t relaxed_cost(const Problem& problem, int32_t o, bool unit_costs) {
    return unit_costs ? 1 : std::min(problem.cost(o), highest_cost);
}

// For each active operator, its add effects without those that another operator gives for no more cost and with no
// other preconditions. Dropping these changes no h_max or h_add value.
std::vector<std::vector<int32_t>> undominated_effects(const Problem& problem, bool unit_costs) {
    const auto& active = problem.active_operators();
    Random random(1);
    std::vector<uint64_t> as_condition(problem.packing().n_atoms()), as_effect(problem.packing().n_atoms());
    for (uint64_t& key : as_condition) key = random.next();
    for (uint64_t& key : as_effect) key = random.next();
    const auto cheaper = [&](int32_t a, int32_t b) {  // ties go to the first operator
        const int32_t cost_a = relaxed_cost(problem, a, unit_costs), cost_b = relaxed_cost(problem, b, unit_costs);
        return cost_a < cost_b || (cost_a == cost_b && a < b);
    };
    // The cheapest operator for each pair of precondition and effect.
    std::unordered_map<uint64_t, int32_t> provider;
    for (int32_t o : active) {
        uint64_t condition = 0;
        for (int32_t atom : problem.op(o).pre) condition ^= as_condition[atom];
        for (int32_t atom : problem.op(o).add) {
            const auto [it, fresh] = provider.try_emplace(condition ^ as_effect[atom], o);
            if (!fresh && cheaper(o, it->second)) it->second = o;
        }
    }
    const auto contains = [](std::span<const int32_t> sorted, int32_t x) {
        return std::binary_search(sorted.begin(), sorted.end(), x);
    };
    std::vector<std::vector<int32_t>> result(active.size());
    for (std::size_t i = 0; i < active.size(); ++i) {
        const Problem::Operator op = problem.op(active[i]);
        const std::size_t n = op.pre.size();
        const std::size_t full = n < 6 ? (std::size_t{1} << n) - 1 : most_subsets - 1;
        const auto condition_of = [&](std::size_t subset) {
            uint64_t key = 0;
            for (std::size_t bit = 0; bit < n; ++bit)
                if (n >= 6 ? subset == full || (bit < 6 && subset >> bit & 1) : subset >> bit & 1)
                    key ^= as_condition[op.pre[bit]];
            return key;
        };
        for (int32_t atom : op.add) {
            bool dominated = false;
            for (std::size_t subset = 0; subset <= full && !dominated; ++subset) {
                const auto it = provider.find(condition_of(subset) ^ as_effect[atom]);
                if (it == provider.end() || it->second == active[i]) continue;
                const Problem::Operator other = problem.op(it->second);  // the key alone could be a collision
                dominated = contains(other.add, atom) &&
                            std::all_of(other.pre.begin(), other.pre.end(),
                                        [&](int32_t p) { return contains(op.pre, p); }) &&
                            (other.pre.size() < n
                                 ? relaxed_cost(problem, it->second, unit_costs) <= relaxed_cost(problem, active[i], unit_costs)
                                 : cheaper(it->second, active[i]));
            }
            if (!dominated) result[i].push_back(atom);
        }
    }
    return result;
}
}  // namespace

RelaxationEvaluator::RelaxationEvaluator(const Problem& problem, Relaxed kind, bool unit_costs)
    : problem_(problem), kind_(kind), unit_costs_(unit_costs) {
    const int n_atoms = problem.packing().n_atoms();
    const std::vector<std::vector<int32_t>> useful = undominated_effects(problem, unit_costs);
    for (std::size_t i = 0; i < useful.size(); ++i) {
        if (useful[i].empty()) continue;
        const int32_t o = problem.active_operators()[i];
        pre_.push_back(problem.op(o).pre);
        add_.push_back(useful[i]);
        original_.push_back(o);
        base_.push_back(relaxed_cost(problem, o, unit_costs));
    }
    std::vector<std::vector<int32_t>> waiting(n_atoms);
    for (std::size_t i = 0; i < original_.size(); ++i) {
        fresh_.push_back({base_[i], static_cast<int32_t>(pre_[i].size())});
        if (pre_[i].empty()) free_.push_back(static_cast<int32_t>(i));
        for (int32_t atom : pre_[i]) waiting[atom].push_back(static_cast<int32_t>(i));
    }
    for (const auto& row : waiting) waiting_.push_back(row);
    counters_.resize(fresh_.size());
    cost_.resize(n_atoms);
    support_.resize(n_atoms);
    marked_.resize(original_.size());
    buckets_.resize(n_buckets);
    is_goal_.resize(n_atoms);
    for (int32_t atom : problem.goal()) is_goal_[atom] = 1;
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
    for (int32_t atom : add_[op])
        if (cost < cost_[atom]) settle(atom, cost, op);
}

// Returns true when the last goal atom has been reached.
template <Relaxed kind>
inline bool RelaxationEvaluator::expand(int32_t atom, Cost cost) {
    if (is_goal_[atom] && --goals_left_ == 0) return true;
    effort_ += 1 + waiting_[atom].size();
    for (int32_t op : waiting_[atom]) {
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
    if (problem_.goal().empty()) return 0;
    std::fill(cost_.begin(), cost_.end(), unreached);
    if (!fresh_.empty()) std::memcpy(counters_.data(), fresh_.data(), fresh_.size() * sizeof(Counter));
    for (std::size_t c = 0; c <= highest_; ++c) buckets_[c].clear();
    overflow_.clear();
    highest_ = 0;
    goals_left_ = static_cast<int>(problem_.goal().size());
    true_atoms_.clear();
    problem_.packing().true_atoms(state, true_atoms_);
    for (int32_t atom : true_atoms_) {
        cost_[atom] = 0;
        support_[atom] = -1;
    }
    bool reached = false;
    for (int32_t op : free_) fire<kind>(op, base_[op]);
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
    for (int32_t atom : problem_.goal())
        total = kind == Relaxed::max ? std::max(total, cost_[atom]) : saturated(total, cost_[atom]);
    return total;
}

RelaxationEvaluator::Cost RelaxationEvaluator::extract_plan() {
    if (++pass_ == 0) {  // the counter has gone round: forget all old marks
        std::fill(marked_.begin(), marked_.end(), 0);
        pass_ = 1;
    }
    Cost total = 0;
    stack_.assign(problem_.goal().begin(), problem_.goal().end());
    while (!stack_.empty()) {
        const int32_t op = support_[stack_.back()];
        stack_.pop_back();
        if (op < 0 || marked_[op] == pass_) continue;
        marked_[op] = pass_;
        plan_.push_back(op);
        total = saturated(total, base_[op]);
        stack_.insert(stack_.end(), pre_[op].begin(), pre_[op].end());
    }
    return total;
}

void RelaxationEvaluator::append_helpful_actions(std::vector<int32_t>& operators) const {
    for (int32_t op : plan_)
        if (std::all_of(pre_[op].begin(), pre_[op].end(), [&](int32_t atom) { return support_[atom] < 0; }))
            operators.push_back(original_[op]);
}

}  // namespace goalward
