#include "task/successors.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace goalward {

// Layout of a node in code_:
//   n, op_1 … op_n, variable (-1: leaf), don't-care node (-1: none), k, then
//   k > 0: a table of k nodes indexed by value;  k < 0: -k pairs (value, node).
namespace {
constexpr int sparse_share = 4;  // a table pays when at least a quarter of its entries lead somewhere
// Facts of one operator that the tree tests. It bounds the depth of `visit`, and the work per operator; more facts than
// that, which only artificial tasks have, are tested one by one once the tree has let the operator through.
constexpr std::size_t most_tested = 64;
}  // namespace

SuccessorGenerator::SuccessorGenerator(const std::vector<int32_t>& operators,
                                       std::vector<std::vector<Fact>> preconditions, const Packing& packing) {
    std::vector<Item> items;
    items.reserve(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) {
        std::vector<Fact>& facts = preconditions[i];
        if (facts.size() > most_tested) {
            overlong_.push_back({operators[i], {facts.begin() + most_tested, facts.end()}});
            facts.resize(most_tested);
        }
        items.push_back({operators[i], std::move(facts)});
    }
    std::ranges::sort(overlong_, {}, &Overlong::op);
    std::vector<Subtree> later;
    build_chain(std::move(items), packing, later);
    while (!later.empty()) {
        Subtree next = std::move(later.back());
        later.pop_back();
        code_[next.link] = static_cast<int32_t>(code_.size());
        build_chain(std::move(next.items), packing, later);
    }
}

// Builds a node and those of the operators that do not care about its variable, and so on: nodes that share one count of
// who asks about which variable, lowered as operators leave for a subtree.
void SuccessorGenerator::build_chain(std::vector<Item> items, const Packing& packing, std::vector<Subtree>& later) {
    std::size_t node = code_.size();
    code_.push_back(0);
    std::map<int32_t, std::vector<std::size_t>> asking;  // variable → items with a fact on it
    std::size_t open = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].remaining.empty()) {
            code_.push_back(items[i].op);
            ++code_[node];
            continue;
        }
        ++open;
        for (Fact f : items[i].remaining) asking[f.variable].push_back(i);
    }
    // The variable that most operators ask about splits best; ties go to the smaller domain, then to the first.
    using Rank = std::tuple<int64_t, int, int32_t>;
    std::map<int32_t, int64_t> uses;
    std::set<Rank> ranked;
    const auto rank = [&](int32_t v, int64_t n) { return Rank{-n, packing.domain_size(v), v}; };
    for (const auto& [v, who] : asking) {
        uses[v] = static_cast<int64_t>(who.size());
        ranked.insert(rank(v, uses[v]));
    }
    std::vector<bool> left(items.size());
    while (open) {
        const int32_t variable = std::get<2>(*ranked.begin());
        std::map<int32_t, std::vector<Item>> by_value;
        for (std::size_t i : asking[variable]) {
            if (left[i]) continue;
            left[i] = true;
            --open;
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
        const bool dense = static_cast<int>(by_value.size()) * sparse_share >= domain;
        code_.push_back(variable);
        const std::size_t indifferent = code_.size();
        code_.push_back(-1);
        code_.push_back(dense ? domain : -static_cast<int32_t>(by_value.size()));
        const std::size_t table = code_.size();
        code_.resize(table + (dense ? domain : 2 * by_value.size()), -1);
        std::size_t pair = table;
        for (auto& [value, subset] : by_value) {
            if (!dense) code_[pair++] = value;
            later.push_back({std::move(subset), dense ? table + value : pair++});
        }
        if (!open) return;
        node = code_.size();
        code_[indifferent] = static_cast<int32_t>(node);
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

void SuccessorGenerator::drop_untested(std::size_t from, const int32_t* values, std::vector<int32_t>& operators) const {
    const auto fails = [&](int32_t op) {
        const auto it = std::ranges::lower_bound(overlong_, op, {}, &Overlong::op);
        if (it == overlong_.end() || it->op != op) return false;
        return std::ranges::any_of(it->rest, [&](Fact f) { return values[f.variable] != f.value; });
    };
    operators.erase(std::remove_if(operators.begin() + from, operators.end(), fails), operators.end());
}

}  // namespace goalward
