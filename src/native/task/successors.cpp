#include "task/successors.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace goalward {

// Layout of a node in code_:
//   n, op_1 … op_n, variable (-1: leaf), node of operators without a fact on the variable (-1: none), k, then
//   k > 0: a table of k nodes indexed by value;  k < 0: -k pairs (value, node).
namespace {
constexpr int max_table_sparsity = 4;  // use a table if at least a quarter of its entries would be nodes
// Maximum number of facts of an operator that the tree tests, which bounds the depth of `visit` and the work per
// operator. The other facts of longer preconditions, which only artificial tasks have, are tested after the tree.
constexpr std::size_t max_tested_facts = 64;
}  // namespace

SuccessorGenerator::SuccessorGenerator(const std::vector<int32_t>& operators,
                                       std::vector<std::vector<Fact>> preconditions, const Packing& packing) {
    std::vector<Item> items;
    items.reserve(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) {
        std::vector<Fact>& facts = preconditions[i];
        if (facts.size() > max_tested_facts) {
            long_preconditions_.push_back({operators[i], {facts.begin() + max_tested_facts, facts.end()}});
            facts.resize(max_tested_facts);
        }
        items.push_back({operators[i], std::move(facts)});
    }
    std::ranges::sort(long_preconditions_, {}, &LongPrecondition::op);
    std::vector<Subtree> pending;
    build_chain(std::move(items), packing, pending);
    while (!pending.empty()) {
        Subtree next = std::move(pending.back());
        pending.pop_back();
        code_[next.link] = static_cast<int32_t>(code_.size());
        build_chain(std::move(next.items), packing, pending);
    }
}

// Builds a node, then the node of the operators without a fact on its variable, and so on. These nodes share the counts
// of how many operators have a fact on each variable; the counts are decremented when operators move to a subtree.
void SuccessorGenerator::build_chain(std::vector<Item> items, const Packing& packing, std::vector<Subtree>& pending) {
    std::size_t node = code_.size();
    code_.push_back(0);
    std::map<int32_t, std::vector<std::size_t>> items_of;  // variable → items with a fact on it
    std::size_t n_open = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].remaining.empty()) {
            code_.push_back(items[i].op);
            ++code_[node];
            continue;
        }
        ++n_open;
        for (Fact f : items[i].remaining) items_of[f.variable].push_back(i);
    }
    // Branch on the variable that most operators have a fact on; smaller domains, then lower numbers break ties.
    using Rank = std::tuple<int64_t, int, int32_t>;
    std::map<int32_t, int64_t> uses;
    std::set<Rank> ranked;
    const auto rank = [&](int32_t v, int64_t n) { return Rank{-n, packing.domain_size(v), v}; };
    for (const auto& [v, with_fact] : items_of) {
        uses[v] = static_cast<int64_t>(with_fact.size());
        ranked.insert(rank(v, uses[v]));
    }
    std::vector<bool> moved(items.size());
    while (n_open) {
        const int32_t variable = std::get<2>(*ranked.begin());
        std::map<int32_t, std::vector<Item>> by_value;
        for (std::size_t i : items_of[variable]) {
            if (moved[i]) continue;
            moved[i] = true;
            --n_open;
            std::vector<Fact>& facts = items[i].remaining;
            for (Fact f : facts) {
                int64_t& n = uses[f.variable];
                ranked.erase(rank(f.variable, n));
                if (--n) ranked.insert(rank(f.variable, n));
            }
            const auto tested = std::ranges::find(facts, variable, &Fact::variable);
            const int32_t value = tested->value;
            facts.erase(tested);
            by_value[value].push_back(std::move(items[i]));
        }
        const int domain = packing.domain_size(variable);
        const bool dense = static_cast<int>(by_value.size()) * max_table_sparsity >= domain;
        code_.push_back(variable);
        const std::size_t next_link = code_.size();
        code_.push_back(-1);
        code_.push_back(dense ? domain : -static_cast<int32_t>(by_value.size()));
        const std::size_t table = code_.size();
        code_.resize(table + (dense ? domain : 2 * by_value.size()), -1);
        std::size_t pair = table;
        for (auto& [value, subset] : by_value) {
            if (!dense) code_[pair++] = value;
            pending.push_back({std::move(subset), dense ? table + value : pair++});
        }
        if (!n_open) return;
        node = code_.size();
        code_[next_link] = static_cast<int32_t>(node);
        code_.push_back(0);
    }
    code_.push_back(-1);
}

void SuccessorGenerator::visit(int32_t node, const int32_t* values, std::vector<int32_t>& operators) const {
    while (node >= 0) {
        const int32_t* at = code_.data() + node;
        const int32_t n = *at++;
        operators.insert(operators.end(), at, at + n);
        at += n;
        const int32_t variable = *at++;
        if (variable < 0) return;
        const int32_t value = values[variable];
        node = *at++;
        const int32_t k = *at++;
        if (k >= 0) {
            if (at[value] >= 0) visit(at[value], values, operators);
        } else {
            for (int32_t i = 0; i < -2 * k; i += 2)
                if (at[i] == value) {
                    visit(at[i + 1], values, operators);
                    break;
                }
        }
    }
}

// Removes operators from index `from` on whose facts that the tree does not test do not hold.
void SuccessorGenerator::test_long_preconditions(std::size_t from, const int32_t* values,
                                                 std::vector<int32_t>& operators) const {
    const auto fails = [&](int32_t op) {
        const auto it = std::ranges::lower_bound(long_preconditions_, op, {}, &LongPrecondition::op);
        if (it == long_preconditions_.end() || it->op != op) return false;
        return std::ranges::any_of(it->untested, [&](Fact f) { return values[f.variable] != f.value; });
    };
    operators.erase(std::remove_if(operators.begin() + from, operators.end(), fails), operators.end());
}

}  // namespace goalward
