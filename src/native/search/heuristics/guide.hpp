// What orders a queue search: a value of a state, and where it can the operators that look best there.
//
// A guide is asked once per *expanded* state (the search is lazy: successors are ordered by their parent's value), and
// hears of every transition, so that it may depend on the path:
//
//     guide.start(root, registry[root], budget);
//     float h = guide.evaluate(root, registry[root], &preferred);
//     …
//     guide.reached(parent, op, child, registry[child], fresh);
//     if (fresh) h = guide.evaluate(child, registry[child], &preferred);
//
// One guide serves one search at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "search/heuristics/evaluator.hpp"
#include "search/core/registry.hpp"
#include "task/packing.hpp"

namespace goalward {

class Guide {
public:
    virtual ~Guide() = default;

    // A search begins at `state`: nothing remembered of an earlier one holds. Throws OutOfBudget where that takes too long
    // or too much memory.
    virtual void start(StateId id, const Word* state, Budget& budget) {
        (void)id;
        (void)state;
        (void)budget;
    }
    // The search has stored `child`, which is new, or has met it again on another path (fresh == false). Guides that
    // depend on the path keep what they know of each state in arrays indexed by id; ids count up from 0.
    virtual void reached(StateId parent, int32_t op, StateId child, const Word* state, bool fresh) {
        (void)parent;
        (void)op;
        (void)child;
        (void)state;
        (void)fresh;
    }
    // The value of a stored state that is about to be expanded; infinity: no plan from here. Where `preferred` is given,
    // appends the applicable operators that look best; the order does not matter, and two guides may name the same one.
    virtual float evaluate(StateId id, const Word* state, std::vector<int32_t>* preferred) = 0;

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
