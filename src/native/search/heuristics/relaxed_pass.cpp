#include "search/heuristics/relaxed_pass.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

namespace goalward {

namespace {
constexpr std::size_t n_buckets = 1 << 14;
constexpr std::size_t max_entries = 4;  // maximum number of preconditions in a record, and of effects

uint64_t hash(std::span<const int32_t> atoms) {
    uint64_t result = 0;
    for (int32_t atom : atoms) result = (result ^ static_cast<uint32_t>(atom)) * 0x9E3779B97F4A7C15;
    return result >> 32;
}

// Compiled for records of several sizes. Loops of constant length over preconditions and effects, and records that are
// contiguous in memory, save a third of the time (docs/lab/search.md).
template <RelaxedPass::Rule rule, int n_pre, int n_add>
class PassOf final : public RelaxedPass {
public:
    PassOf(std::shared_ptr<const RelaxedOperators> operators, int n_atoms)
        : RelaxedPass(std::move(operators), n_atoms), nothing_(n_atoms),
          some_are_free_(std::ranges::find(ops_.cost, 0) != ops_.cost.end()), watching_(n_atoms + 1), buckets_(n_buckets) {
        for (std::size_t op = 0; op < ops_.size(); ++op) {
            const std::span<const int32_t> pre = ops_.pre[op], add = ops_.add[op];
            // First watches the precondition that the fewest operators have, which is often reached late.
            int32_t watched = nothing_;
            for (int32_t atom : pre)
                if (watched == nothing_ || ops_.waiting[atom].size() < ops_.waiting[watched].size()) watched = atom;
            for (std::size_t first = 0; first < add.size(); first += n_add) {
                Record record{static_cast<int32_t>(op), ops_.cost[op], {}, {}};
                record.add.fill(nothing_);
                std::copy_n(add.begin() + first, std::min<std::size_t>(n_add, add.size() - first), record.add.begin());
                watch(record, watched);
            }
        }
    }

    bool run(std::span<const int32_t> true_atoms) override {
        goals_left_ = goal_.size();
        if (goals_left_ == 0) return true;
        std::fill(cost_.begin(), cost_.end(), unreached);
        std::fill(best_.begin(), best_.end(), uint64_t{unreached} << cost_shift);
        for (std::size_t c = 0; c <= highest_; ++c) buckets_[c].clear();
        overflow_.clear();
        highest_ = 0;
        round_ = 0;
        tie_mask_ = static_cast<uint32_t>(hash(true_atoms) & (one_round_ - 1));
        current_.assign(true_atoms.begin(), true_atoms.end());
        current_.push_back(nothing_);  // operators without preconditions watch it
        for (int32_t atom : current_) cost_[atom] = 0, best_[atom] = 0;
        if (expand(current_, 0)) return true;
        for (std::size_t c = 0; c <= highest_; ++c)
            while (!buckets_[c].empty()) {  // more than once only if operators cost 0
                current_.clear();
                current_.swap(buckets_[c]);
                if (expand(current_, static_cast<Cost>(c))) return true;
            }
        while (!overflow_.empty()) {
            const Cost c = overflow_.front().first;
            for (current_.clear(); !overflow_.empty() && overflow_.front().first == c; overflow_.pop_back()) {
                current_.push_back(overflow_.front().second);
                std::pop_heap(overflow_.begin(), overflow_.end(), std::greater<>());
            }
            if (expand(current_, c)) return true;
        }
        return false;
    }

private:
    // An operator with some of its effects and with its preconditions, except the watched one. Unused entries are the
    // atom `nothing_`, which is always true.
    struct Record {
        int32_t op, cost;
        std::array<int32_t, n_add> add;
        std::array<int32_t, n_pre - 1> others;
    };

    // Adds the record to those that watch this precondition.
    void watch(Record record, int32_t watched) {
        record.others.fill(nothing_);
        auto next = record.others.begin();
        for (int32_t atom : ops_.pre[record.op])
            if (atom != watched && next != record.others.end()) *next++ = atom;
        watching_[watched].push_back(record);
    }

    // A lower bound on the cost of an operator, which may be above highest_relaxed_cost. While atoms of cost c are
    // expanded, the costs of other atoms may still decrease, down to c. The bound is exact if no precondition costs more.
    Cost bound(const Record& record, Cost c, bool& exact) const {
        const Cost* const costs = cost_.data();
        Cost sum = static_cast<Cost>(record.cost) + c, highest = c;
        for (int32_t atom : record.others) {
            if constexpr (rule == Rule::add) sum += std::min(costs[atom], c);
            highest = std::max(highest, costs[atom]);
        }
        exact = highest == c;
        if constexpr (n_pre == max_entries)
            if (exact && ops_.pre[record.op].size() > n_pre) return bound_of_long(record, c, exact);
        return sum;
    }
    // The same for an operator with more preconditions than fit into a record.
    Cost bound_of_long(const Record& record, Cost c, bool& exact) const {
        uint64_t sum = static_cast<uint64_t>(record.cost) + (rule == Rule::max ? c : 0);
        for (int32_t atom : ops_.pre[record.op]) {
            if constexpr (rule == Rule::add) sum += std::min(cost_[atom], c);
            exact &= cost_[atom] <= c;
        }
        return static_cast<Cost>(std::min<uint64_t>(sum, highest_relaxed_cost));
    }
    bool helps(const Record& record, uint64_t rank) const {
        const uint64_t* const best = best_.data();
        bool result = false;
        for (int32_t atom : record.add) result |= rank < best[atom];
        return result;
    }
    int32_t last_reached(int32_t op) const {
        return *std::ranges::max_element(ops_.pre[op], {}, [&](int32_t atom) { return best_[atom]; });
    }
    bool reached_in_this_round(int32_t op, Cost c) const {
        return !ops_.pre[op].empty() && best_[last_reached(op)] >= (uint64_t{c} << cost_shift | round_);
    }

    // One round: expands those atoms that have cost c. Returns true once the last goal atom is expanded.
    bool expand(std::span<const int32_t> atoms, Cost c) {
        constexpr uint64_t all_rounds = uint64_t{1} << cost_shift;
        if (round_ + one_round_ < all_rounds) round_ += one_round_;
        // Operators that cost nothing may reach atoms of cost c in this round. Those are expanded in the next one.
        const bool may_reach = (some_are_free_ || c == highest_relaxed_cost) && round_ + one_round_ < all_rounds;
        const uint64_t round = round_;
        const uint32_t tie_mask = tie_mask_;
        for (std::size_t i = 0; i < atoms.size(); ++i) {
            const int32_t atom = atoms[i];
            if (i + 1 < atoms.size()) __builtin_prefetch(watching_[atoms[i + 1]].data());
            if (cost_[atom] != c) continue;  // it was expanded at lower cost
            if (is_goal_[atom] && --goals_left_ == 0) return true;
            std::vector<Record>& watching = watching_[atom];
            effort_ += 1 + watching.size();
            Record* end = watching.data() + watching.size();
            for (Record* record = watching.data(); record != end;) {
                bool exact;  // all preconditions have their final costs
                const Cost at_least = bound(*record, c, exact);
                // Supporters are not used with h_max, so ties need not be broken.
                const uint64_t order = rule == Rule::max ? 0 : round | (static_cast<uint32_t>(record->op) ^ tie_mask);
                if (!helps(*record, uint64_t{at_least} << cost_shift | order)) {
                    ++record;
                } else if (exact && !(may_reach && reached_in_this_round(record->op, c))) {
                    fire(*record++, at_least, order);
                } else {
                    watch(*record, last_reached(record->op));
                    *record = *--end;
                    watching.pop_back();
                }
            }
        }
        return false;
    }
    void fire(const Record& record, Cost cost, uint64_t order) {
        cost = std::min<Cost>(cost, highest_relaxed_cost);
        const uint64_t rank = uint64_t{cost} << cost_shift | order;
        for (int32_t atom : record.add) {
            if (rank >= best_[atom]) continue;
            best_[atom] = rank;
            if (std::exchange(cost_[atom], cost) != cost) enqueue(atom, cost);
        }
    }
    void enqueue(int32_t atom, Cost cost) {
        if (cost < n_buckets) {
            buckets_[cost].push_back(atom);
            highest_ = std::max<std::size_t>(highest_, cost);
        } else {
            overflow_.emplace_back(cost, atom);
            std::push_heap(overflow_.begin(), overflow_.end(), std::greater<>());
        }
    }
    const int32_t nothing_;
    const bool some_are_free_;
    std::vector<std::vector<Record>> watching_;       // by atom
    std::vector<std::vector<int32_t>> buckets_;       // by cost
    std::vector<int32_t> current_;                    // atoms of this round
    std::vector<std::pair<Cost, int32_t>> overflow_;  // heap of entries beyond the buckets
    std::size_t highest_ = 0;                         // highest cost with a bucket in use
    std::size_t goals_left_ = 0;
    uint64_t round_ = 0;  // as part of a rank
};

std::size_t longest_row(const Rows& rows) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) longest = std::max(longest, rows[i].size());
    return longest;
}

template <RelaxedPass::Rule rule, int n_pre>
std::unique_ptr<RelaxedPass> make_pass(std::shared_ptr<const RelaxedOperators> operators, int n_atoms) {
    switch (std::min(longest_row(operators->add), max_entries)) {
        case 4: return std::make_unique<PassOf<rule, n_pre, 4>>(std::move(operators), n_atoms);
        case 3: return std::make_unique<PassOf<rule, n_pre, 3>>(std::move(operators), n_atoms);
        default: return std::make_unique<PassOf<rule, n_pre, 2>>(std::move(operators), n_atoms);
    }
}
template <RelaxedPass::Rule rule>
std::unique_ptr<RelaxedPass> make_pass(std::shared_ptr<const RelaxedOperators> operators, int n_atoms) {
    switch (std::min(longest_row(operators->pre), max_entries)) {
        case 4: return make_pass<rule, 4>(std::move(operators), n_atoms);
        case 3: return make_pass<rule, 3>(std::move(operators), n_atoms);
        case 2: return make_pass<rule, 2>(std::move(operators), n_atoms);
        default: return make_pass<rule, 1>(std::move(operators), n_atoms);
    }
}
}  // namespace

RelaxedPass::RelaxedPass(std::shared_ptr<const RelaxedOperators> operators, int n_atoms)
    : shared_(std::move(operators)), ops_(*shared_), is_goal_(n_atoms + 1), cost_(n_atoms + 1), best_(n_atoms + 1),
      one_round_(std::bit_ceil(ops_.size())) {}

std::unique_ptr<RelaxedPass> RelaxedPass::make(std::shared_ptr<const RelaxedOperators> operators, Rule rule,
                                               int n_atoms) {
    return rule == Rule::add ? make_pass<Rule::add>(std::move(operators), n_atoms)
                             : make_pass<Rule::max>(std::move(operators), n_atoms);
}

void RelaxedPass::set_goal(std::span<const int32_t> atoms) {
    for (int32_t atom : goal_) is_goal_[atom] = 0;
    goal_.assign(atoms.begin(), atoms.end());
    for (int32_t atom : goal_) is_goal_[atom] = 1;
}

}  // namespace goalward
