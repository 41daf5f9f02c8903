// What a heuristic is to the search: a function from a batch of states to numbers.
//
// A `Heuristic` is knowledge about one problem: it never changes, and any number of threads may use it. An `Evaluator` is
// the scratch memory of one search with it. A heuristic owns its problem, so whoever has a heuristic has the problem too,
// and can never walk through the states of another one:
//
//     RelaxationHeuristic ff(problem, Relaxed::ff, unit_costs);
//     std::unique_ptr<Evaluator> evaluator = ff.evaluator();
//     evaluator->evaluate({states, parents, origins}, values);
//
// States come with their parents, so that an evaluator can share work between siblings: a network updates the first
// layer of a parent by the few atoms that an operator changed. States that stand alone (the initial state, or a batch
// evaluated outside of search) come without.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
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
    std::span<const Word* const> parents;  // empty if the states stand alone
    std::span<const Origin> origins;       // one per state, or empty
};

class Evaluator {
public:
    Evaluator() = default;
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // Writes one value per state; infinity marks a state from which there is no plan. Pointers are good for the call.
    virtual void evaluate(const Batch& batch, std::span<float> h) = 0;
};

class Heuristic {
public:
    // `unit_costs`: does it estimate steps, or the costs in the PDDL? Nothing if nobody knows.
    explicit Heuristic(std::shared_ptr<const Problem> problem, std::optional<bool> unit_costs = std::nullopt)
        : owned_(std::move(problem)), problem_(*owned_), unit_costs_(unit_costs) {}
    virtual ~Heuristic() = default;
    Heuristic(const Heuristic&) = delete;
    Heuristic& operator=(const Heuristic&) = delete;

    // What one search works with. It must not outlive the heuristic.
    virtual std::unique_ptr<Evaluator> evaluator() const = 0;

    const Problem& problem() const { return problem_; }
    const std::shared_ptr<const Problem>& shared_problem() const { return owned_; }
    std::optional<bool> unit_costs() const { return unit_costs_; }
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

private:
    std::optional<bool> unit_costs_;
};

// A heuristic that needs no scratch memory: a function of one state.
class StateFunction : public Heuristic {
public:
    using Heuristic::Heuristic;
    std::unique_ptr<Evaluator> evaluator() const final;
    virtual float value(const Word* state) const = 0;
};

}  // namespace goalward
