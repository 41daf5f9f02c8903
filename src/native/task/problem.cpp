#include "task/problem.hpp"

#include <algorithm>
#include <map>

namespace goalward {

namespace {

template <class Predicate>
void keep_stored(Rows& rows, Predicate stored) {
    Rows kept;
    std::vector<int32_t> row;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        row.assign(rows[i].begin(), rows[i].end());
        std::erase_if(row, [&](int32_t atom) { return !stored(atom); });
        kept.push_back(row);
    }
    rows = std::move(kept);
}

}  // namespace

Problem::Problem(Rows pre, Rows add, Rows del, std::vector<int32_t> costs, std::vector<int32_t> goal, Rows variables,
                 const std::vector<uint8_t>& operator_mask, int n_atoms)
    : pre_(std::move(pre)), add_(std::move(add)), del_(std::move(del)), costs_(std::move(costs)),
      packing_(std::move(variables), n_atoms), goal_(std::move(goal), packing_) {
    const auto stored = [&](int32_t atom) { return packing_.slot(atom).variable >= 0; };
    for (Rows* rows : {&pre_, &add_, &del_}) keep_stored(*rows, stored);
    std::vector<std::vector<SuccessorGenerator::Fact>> preconditions;
    for (std::size_t o = 0; o < costs_.size(); ++o) {
        if (operator_mask[o]) {
            active_.push_back(static_cast<int32_t>(o));
            auto& facts = preconditions.emplace_back();
            for (int32_t atom : pre_[o]) {
                const Packing::Slot s = packing_.slot(atom);
                facts.push_back({s.variable, s.value});
            }
            compile_effects(static_cast<int32_t>(o));
        }
        effect_start_.push_back(static_cast<int32_t>(effects_.size()));
    }
    successors_ = std::make_unique<SuccessorGenerator>(active_, std::move(preconditions), packing_);
}

void Problem::compile_effects(int32_t o) {
    // The values that the precondition requires, and the values that the operator sets, by variable.
    std::map<int32_t, int32_t> before, after;
    for (int32_t atom : pre_[o]) before[packing_.slot(atom).variable] = packing_.slot(atom).value;
    for (int32_t atom : add_[o]) after[packing_.slot(atom).variable] = packing_.slot(atom).value;

    std::map<uint32_t, Effect> unconditional;
    const auto assign = [&](int32_t variable, int32_t value) {
        const Packing::Variable v = packing_.layout(variable);
        Effect& e = unconditional.try_emplace(v.word, Effect{{v.word, 0, 0}, 0, 0}).first->second;
        e.clear |= v.mask << v.shift;
        e.set |= static_cast<uint32_t>(value) << v.shift;
    };
    for (auto [variable, value] : after) assign(variable, value);
    for (int32_t atom : del_[o]) {
        const Packing::Slot s = packing_.slot(atom);
        if (after.contains(s.variable)) continue;  // an add effect on the same variable deletes it, too
        const auto required = before.find(s.variable);
        if (required == before.end()) {
            const Packing::Variable v = packing_.layout(s.variable);
            const uint32_t mask = v.mask << v.shift;
            effects_.push_back({{v.word, mask, static_cast<uint32_t>(s.value) << v.shift}, mask, 0});
        } else if (required->second == s.value) {
            assign(s.variable, 0);
        }
    }
    for (const auto& [word, effect] : unconditional) effects_.push_back(effect);
}

}  // namespace goalward
