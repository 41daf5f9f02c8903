// What a heuristic is to the search: a function from a batch of states to numbers.
//
// States come with their parents, so that an evaluator can share work between siblings: a network updates the first
// layer of a parent by the few atoms that an operator changed. States that stand alone (the initial state, or a batch
// evaluated outside of search) come without.
//
// An evaluator is made for one problem and owns it, so whoever has an evaluator has the problem too, and can never walk
// through the states of another one:
//
//     RelaxationEvaluator ff(problem, Relaxed::ff, true);
//     best_first_search(ff, init, options, heartbeat);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

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
    explicit Evaluator(std::shared_ptr<const Problem> problem) : owned_(std::move(problem)), problem_(*owned_) {}
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    const Problem& problem() const { return problem_; }
    const std::shared_ptr<const Problem>& shared_problem() const { return owned_; }
    // Writes one value per state; infinity marks a state from which there is no plan. Pointers are good for the call.
    virtual void evaluate(const Batch& batch, std::span<float> h) = 0;
    // Does infinity prove that there is no plan?
    virtual bool safe() const { return true; }
    // Do many states share each value? Then the open list keeps a queue per value.
    virtual bool few_values() const { return false; }
    // What evaluating a state costs, in about nanoseconds. A constant, so that searches that share time by it repeat.
    virtual uint64_t effort_per_state() const { return 10'000; }

private:
    std::shared_ptr<const Problem> owned_;

protected:
    const Problem& problem_;
};

}  // namespace goalward
