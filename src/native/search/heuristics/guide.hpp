// Guides of lazy searches: each gives a state its value and, if it can, its preferred operators.
//
// A lazy search evaluates a state when it is *expanded*, and orders successors by the value of their parent. It tells
// the guide about every transition, so that values may depend on the path:
//
//     guide.start(root, space, budget);
//     float h = guide.evaluate(root, space, &preferred);
//     …
//     const auto [child, fresh] = space.follow(parent, op);
//     guide.reached(parent, op, child, space, fresh);
//     if (fresh) h = guide.evaluate(child, space, &preferred);
//
// A guide belongs to one search.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/state_space.hpp"
#include "search/heuristics/evaluator.hpp"

namespace goalward {

class Guide {
public:
    virtual ~Guide() = default;

    // Starts a search in this state. Throws OutOfBudget if preparations exceed the time or memory limit.
    virtual void start(StateId id, StateSpace& space, Budget& budget) {
        (void)id;
        (void)space;
        (void)budget;
    }
    // Called after a step to `child`. `fresh` is false if the search had already reached that state on another path.
    // Guides that depend on the path store their data in arrays indexed by state id; ids count up from 0.
    virtual void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) {
        (void)parent;
        (void)op;
        (void)child;
        (void)space;
        (void)fresh;
    }
    // Returns the value of a state that is about to be expanded, or infinity if it is a dead end. If `preferred` is
    // given, appends the preferred operators that are applicable, in any order. Guides may append duplicates.
    virtual float evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) = 0;

    // True if infinity proves that there is no plan.
    virtual bool safe() const { return true; }
    // Memory of the guide, without the states, for the memory limit.
    virtual uint64_t bytes() const { return 0; }
    // The effort since the guide was made. It is counted and not timed, so that searches that take turns by effort are
    // deterministic. A unit is about a nanosecond on a core of 2020.
    virtual uint64_t effort() const = 0;
    // A short name for users, and for keys of statistics.
    virtual const char* name() const = 0;
};

}  // namespace goalward
