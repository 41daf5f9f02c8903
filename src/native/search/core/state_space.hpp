// The states of one search with their parents, and the operators that are applicable in them.
//
//     StateSpace space(problem, budget);
//     const StateId root = space.add(init).id;
//     for (int32_t op : space.applicable(root)) {
//         const auto [child, fresh] = space.follow(root, op);
//         …
//     }
//     std::vector<int32_t> plan = space.path_to(goal);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/core/limits.hpp"
#include "search/core/registry.hpp"
#include "search/core/result.hpp"
#include "task/problem.hpp"

namespace goalward {

// The order of applicable operators: as the successor generator finds them, or by number.
enum class OperatorOrder { generated, ascending };

class StateSpace {
public:
    struct Added {
        StateId id;  // no_state if the budget is exceeded, which ends the search
        bool fresh;  // true if the state is new
    };

    StateSpace(const Problem& problem, Budget& budget, OperatorOrder order = OperatorOrder::generated);
    ~StateSpace() { budget_.fits(accounted_, 0); }
    StateSpace(const StateSpace&) = delete;
    StateSpace& operator=(const StateSpace&) = delete;

    const Problem& problem() const { return problem_; }
    const Packing& packing() const { return problem_.packing(); }
    std::size_t size() const { return registry_.size(); }
    const Word* operator[](StateId id) const { return registry_[id]; }

    // Adds a start state, given by its atoms or packed.
    Added add(std::span<const int32_t> atoms);
    Added add(const Word* state);
    // Adds the state after an operator. If it is new, it gets this parent.
    Added follow(StateId parent, int32_t op) {
        problem_.apply(op, registry_[parent], registry_.scratch());
        return insert(parent);
    }

    // The applicable operators; the list is valid until the next call.
    const std::vector<int32_t>& applicable(StateId id);

    StateId parent(StateId id) const { return *parents_[id]; }
    void set_parent(StateId id, StateId parent) { *parents_[id] = parent; }
    // The operators on the path to a state: for each parent and child the cheapest operator, the first one in case of
    // ties. They are not stored but found again, which saves four bytes per state.
    std::vector<int32_t> path_to(StateId id);
    // The start state of that path.
    StateId root_of(StateId id) const;

    uint64_t bytes() const { return registry_.bytes() + parents_.bytes(); }
    // Reports that the search holds `other_bytes` in addition to the states. False if it must stop.
    bool within_budget(uint64_t other_bytes);
    // Records that a state was not expanded or stored for lack of memory, so that an empty open list proves nothing.
    void mark_incomplete() { incomplete_ = true; }
    // The status of a search that has nothing left to expand, and of one whose budget is exceeded.
    Status exhausted() const { return incomplete_ ? Status::out_of_memory : Status::exhausted; }
    Status why() const { return status_of(budget_.why()); }

private:
    Added insert(StateId parent);

    struct Listed {
        StateId id = no_state;
        std::vector<int32_t> operators;
    };

    const Problem& problem_;
    Budget& budget_;
    OperatorOrder order_;
    Registry registry_;
    Chunked<StateId> parents_;
    bool incomplete_ = false;
    uint64_t accounted_ = 0;  // bytes that were reported to the budget
    // A cache: guides and several queues need the operators of the same state within a short time.
    std::array<Listed, 8> listed_;
    std::vector<int32_t> values_;
};

}  // namespace goalward
