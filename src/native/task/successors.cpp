#include "task/successors.hpp"

#include <algorithm>
#include <map>

namespace goalward {

// Layout of a node in code_:
//   n, op_1 … op_n, variable (-1: leaf), don't-care node (-1: none), k, then
//   k > 0: a table of k nodes indexed by value;  k < 0: -k pairs (value, node).
namespace {
constexpr int sparse_share = 4;  // a table pays when at least a quarter of its entries lead somewhere
}

SuccessorGenerator::SuccessorGenerator(const std::vector<int32_t>& operators,
                                       std::vector<std::vector<Fact>> preconditions, const Packing& packing) {
    std::vector<Item> items;
    items.reserve(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) items.push_back({operators[i], std::move(preconditions[i])});
    build(items, packing);
}

int32_t SuccessorGenerator::build(std::vector<Item>& items, const Packing& packing) {
    const auto node = static_cast<int32_t>(code_.size());
    code_.push_back(0);
    std::vector<Item> open;
    std::map<int32_t, int32_t> uses;
    for (Item& item : items) {
        if (item.remaining.empty()) {
            code_.push_back(item.op);
            ++code_[node];
        } else {
            for (Fact f : item.remaining) ++uses[f.variable];
            open.push_back(std::move(item));
        }
    }
    items.clear();
    items.shrink_to_fit();
    if (open.empty()) {
        code_.push_back(-1);
        return node;
    }
    // The variable that most operators ask about splits best; ties go to the smaller domain, then to the first.
    int32_t variable = -1;
    for (auto [v, n] : uses)
        if (variable < 0 || n > uses[variable] ||
            (n == uses[variable] && packing.domain_size(v) < packing.domain_size(variable)))
            variable = v;
    std::map<int32_t, std::vector<Item>> by_value;
    std::vector<Item> indifferent;
    for (Item& item : open) {
        const auto it = std::find_if(item.remaining.begin(), item.remaining.end(),
                                     [&](Fact f) { return f.variable == variable; });
        if (it == item.remaining.end()) {
            indifferent.push_back(std::move(item));
        } else {
            const int32_t value = it->value;
            item.remaining.erase(it);
            by_value[value].push_back(std::move(item));
        }
    }
    open.clear();
    open.shrink_to_fit();
    const int domain = packing.domain_size(variable);
    const bool dense = static_cast<int>(by_value.size()) * sparse_share >= domain;
    code_.push_back(variable);
    const std::size_t other = code_.size();
    code_.push_back(-1);
    code_.push_back(dense ? domain : -static_cast<int32_t>(by_value.size()));
    const std::size_t table = code_.size();
    code_.resize(table + (dense ? domain : 2 * by_value.size()), -1);
    std::size_t pair = 0;
    for (auto& [value, subset] : by_value) {
        const int32_t child = build(subset, packing);
        if (dense) {
            code_[table + value] = child;
        } else {
            code_[table + pair++] = value;
            code_[table + pair++] = child;
        }
    }
    if (!indifferent.empty()) {
        const int32_t child = build(indifferent, packing);
        code_[other] = child;
    }
    return node;
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

}  // namespace goalward
