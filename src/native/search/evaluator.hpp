// What a heuristic is to the search: a function from a batch of states to numbers.
//
// States come with their parents, so that an evaluator can share work between siblings: a network updates the first
// layer of a parent by the few atoms that an operator changed. States that stand alone (the initial state, or a batch
// evaluated outside of search) come without.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "task/problem.hpp"

namespace goalward {

constexpr float dead_end = std::numeric_limits<float>::infinity();

struct Batch {
    struct Origin {
        int32_t parent;  // index into `parents`
        int32_t op;
    };
    std::span<const Word* const> states;
    std::span<const Word* const> parents;  // empty where the states stand alone
    std::span<const Origin> origins;       // one per state, or empty
};

class Evaluator {
public:
    virtual ~Evaluator() = default;
    // Writes one value per state; infinity marks a state from which there is no plan.
    virtual void evaluate(const Batch& batch, std::span<float> h) = 0;
    // Parents of later batches may lie where earlier ones did: nothing remembered of them holds any longer.
    virtual void forget() {}
    // Does infinity prove that there is no plan?
    virtual bool safe() const { return true; }
    // Do many states share each value? Then the open list keeps a queue per value.
    virtual bool few_values() const { return false; }
};

}  // namespace goalward
