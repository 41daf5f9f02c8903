// Finds the applicable operators of a state with a decision tree over the variables, without testing every operator.
//
// A node lists the operators whose preconditions have all been tested on the path to it. It then branches on one
// variable: into the subtree of the variable's value, and into the subtree of operators without a precondition on the
// variable. The tree is one flat array, built without recursion in near-linear time for any number of variables.
#pragma once

#include <cstdint>
#include <vector>

#include "task/packing.hpp"

namespace goalward {

class SuccessorGenerator {
public:
    struct Fact {
        int32_t variable;
        int32_t value;
    };

    // preconditions[i] belongs to operators[i].
    SuccessorGenerator(const std::vector<int32_t>& operators, std::vector<std::vector<Fact>> preconditions,
                       const Packing& packing);

    // Appends the applicable operators; `values` are the state's values, one per variable.
    void applicable(const int32_t* values, std::vector<int32_t>& operators) const {
        const std::size_t from = operators.size();
        visit(0, values, operators);
        if (!long_preconditions_.empty()) test_long_preconditions(from, values, operators);
    }

private:
    struct Item {
        int32_t op;
        std::vector<Fact> remaining;
    };
    struct Subtree {  // not built yet; its index in code_ will be stored in code_[link]
        std::vector<Item> items;
        std::size_t link;
    };
    struct LongPrecondition {  // the facts of a long precondition that the tree does not test
        int32_t op;
        std::vector<Fact> untested;
    };

    void visit(int32_t node, const int32_t* values, std::vector<int32_t>& operators) const;
    void test_long_preconditions(std::size_t from, const int32_t* values, std::vector<int32_t>& operators) const;
    void build_chain(std::vector<Item> items, const Packing& packing, std::vector<Subtree>& pending);

    std::vector<int32_t> code_;
    std::vector<LongPrecondition> long_preconditions_;  // sorted by operator
};

}  // namespace goalward
