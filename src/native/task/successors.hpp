// Applicable operators of a state without testing every operator: a decision tree over the variables.
//
// A node lists the operators whose preconditions have all been tested on the way to it, then branches on one variable:
// into the subtree of the state's value, and into the subtree of operators that do not care. The tree is one flat array.
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
    void applicable(const int32_t* values, std::vector<int32_t>& operators) const { visit(0, values, operators); }

private:
    struct Item {
        int32_t op;
        std::vector<Fact> remaining;
    };

    void visit(int32_t node, const int32_t* values, std::vector<int32_t>& operators) const;
    int32_t build(std::vector<Item>& items, const Packing& packing);

    std::vector<int32_t> code_;
};

}  // namespace goalward
