// Heuristics: functions from a batch of states to numbers.
//
// A `Heuristic` holds what is known about one problem. It never changes, so any number of threads may use it. An
// `Evaluator` is the scratch memory of one search with a heuristic. A heuristic owns its problem, so that it cannot be
// used on the states of another one:
//
//     RelaxationHeuristic ff(problem, Relaxed::ff, unit_costs);
//     std::unique_ptr<Evaluator> evaluator = ff.evaluator();
//     evaluator->evaluate({states, parents, origins}, values);
//
// States have parents, so that an evaluator can share work between siblings. For example, a network computes the first
// layer of a state from that of its parent, because an operator changes few atoms. The initial state and batches that
// are evaluated outside of a search have no parents.
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
    std::span<const Word* const> parents;  // empty if the states have no parents
    std::span<const Origin> origins;       // one per state, or empty
};

class Evaluator {
public:
    Evaluator() = default;
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // Writes one value per state; infinity marks a state without a plan. Pointers are valid during the call.
    virtual void evaluate(const Batch& batch, std::span<float> h) = 0;
};

class Heuristic {
public:
    // `unit_costs`: true if values count steps, false if they count the costs in the PDDL, nullopt if that is unknown.
    explicit Heuristic(std::shared_ptr<const Problem> problem, std::optional<bool> unit_costs = std::nullopt)
        : owned_(std::move(problem)), problem_(*owned_), unit_costs_(unit_costs) {}
    virtual ~Heuristic() = default;
    Heuristic(const Heuristic&) = delete;
    Heuristic& operator=(const Heuristic&) = delete;

    // Makes the scratch memory of one search. It must not outlive the heuristic.
    virtual std::unique_ptr<Evaluator> evaluator() const = 0;

    const Problem& problem() const { return problem_; }
    const std::shared_ptr<const Problem>& shared_problem() const { return owned_; }
    std::optional<bool> unit_costs() const { return unit_costs_; }
    // True if infinity proves that there is no plan.
    virtual bool safe() const { return true; }
    // True if many states share each value. Then the open list has a queue per value.
    virtual bool few_values() const { return false; }
    // The effort of evaluating a state, about a nanosecond per unit. It is a constant, so that searches that take turns
    // by effort are deterministic.
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
