// What orders a lazy search: a value of a state, and if it can the operators that look best there.
//
// A guide is asked once per *expanded* state (the search is lazy: successors are ordered by their parent's value), and
// hears of every transition, so that it may depend on the path:
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

    // A search begins at this state. Throws OutOfBudget if that takes too long or too much memory.
    virtual void start(StateId id, StateSpace& space, Budget& budget) {
        (void)id;
        (void)space;
        (void)budget;
    }
    // The search has stored `child`, which is new, or has met it again on another path (fresh == false). Guides that
    // depend on the path keep what they know of each state in arrays indexed by id; ids count up from 0.
    virtual void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) {
        (void)parent;
        (void)op;
        (void)child;
        (void)space;
        (void)fresh;
    }
    // The value of a stored state that is about to be expanded; infinity: no plan from here. If `preferred` is given,
    // appends the applicable operators that look best; the order does not matter, and two guides may name the same one.
    virtual float evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) = 0;

    // Does infinity prove that there is no plan?
    virtual bool safe() const { return true; }
    // Memory held per search beside the states, for the memory limit.
    virtual uint64_t bytes() const { return 0; }
    // Work done since the guide was made, counted and not timed, so that searches that share time by it repeat exactly.
    // One unit is about a nanosecond of one core of 2020.
    virtual uint64_t effort() const = 0;
    // Short, for people and for the keys of statistics.
    virtual const char* name() const = 0;
};

}  // namespace goalward
