// Applicable operators of a state without testing every operator: a decision tree over the variables.
//
// A node lists the operators whose preconditions have all been tested on the way to it, then branches on one variable:
// into the subtree of the state's value, and into the subtree of operators that do not care. The tree is one flat array.
// It is built without recursion and in near-linear time, whatever the number of variables.
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
        if (!overlong_.empty()) drop_untested(from, values, operators);
    }

private:
    struct Item {
        int32_t op;
        std::vector<Fact> remaining;
    };
    struct Subtree {  // still to be built; its place in code_ goes to code_[link]
        std::vector<Item> items;
        std::size_t link;
    };
    struct Overlong {  // facts of a long precondition that the tree does not test
        int32_t op;
        std::vector<Fact> rest;
    };

    void visit(int32_t node, const int32_t* values, std::vector<int32_t>& operators) const;
    void drop_untested(std::size_t from, const int32_t* values, std::vector<int32_t>& operators) const;
    void build_chain(std::vector<Item> items, const Packing& packing, std::vector<Subtree>& later);

    std::vector<int32_t> code_;
    std::vector<Overlong> overlong_;  // by operator
};

}  // namespace goalward
