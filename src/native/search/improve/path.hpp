// A valid plan with the states that it visits and the cost of the path to each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

using Cost = int64_t;  // of plans: sums of operator costs do not fit into 32 bits

// The cost of a step: 1, or its cost in the PDDL.
struct Costs {
    const Problem& problem;
    bool unit;

    Cost of(int32_t op) const { return unit ? 1 : problem.cost(op); }
    Cost of(std::span<const int32_t> plan) const {
        Cost total = 0;
        for (int32_t op : plan) total += of(op);
        return total;
    }
};

bool applicable(const Problem& problem, int32_t op, const Word* state);

class Path {
public:
    // Returns nullopt if a step is not applicable or the goal does not hold at the end.
    static std::optional<Path> along(const Costs& costs, std::span<const Word> init, std::vector<int32_t> plan);
    // The same for steps that are known to be a plan; throws std::logic_error if they are not.
    static Path of_plan(const Costs& costs, std::span<const Word> init, std::vector<int32_t> plan);

    int length() const { return static_cast<int>(plan_.size()); }
    const std::vector<int32_t>& plan() const { return plan_; }
    int32_t op(int i) const { return plan_[i]; }  // from state i to state i + 1
    const Word* state(int i) const { return states_.data() + static_cast<std::size_t>(i) * n_words_; }
    Cost cost() const { return cost_to_.back(); }
    Cost cost_to(int i) const { return cost_to_[i]; }
    Cost cost_between(int i, int j) const { return cost_to_[j] - cost_to_[i]; }
    // The index of the first state whose path costs more than `cost`; length() + 1 if there is none.
    int first_costlier(Cost cost) const;
    uint64_t bytes() const {
        return plan_.capacity() * sizeof(int32_t) + states_.capacity() * sizeof(Word) +
               cost_to_.capacity() * sizeof(Cost);
    }

private:
    std::vector<int32_t> plan_;
    std::vector<Word> states_;
    std::vector<Cost> cost_to_;
    std::size_t n_words_ = 0;
};

}  // namespace goalward
