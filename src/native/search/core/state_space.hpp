// The states that one search has met, how it came to each of them, and what can be done in them.
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

// In which order applicable operators are listed: as the successor generator finds them, or by number.
enum class OperatorOrder { generated, ascending };

class StateSpace {
public:
    struct Met {
        StateId id;  // no_state if the budget has run out, which ends the search
        bool fresh;
    };

    StateSpace(const Problem& problem, Budget& budget, OperatorOrder order = OperatorOrder::generated);
    ~StateSpace() { budget_.fits(accounted_, 0); }
    StateSpace(const StateSpace&) = delete;
    StateSpace& operator=(const StateSpace&) = delete;

    const Problem& problem() const { return problem_; }
    const Packing& packing() const { return problem_.packing(); }
    std::size_t size() const { return registry_.size(); }
    const Word* operator[](StateId id) const { return registry_[id]; }

    // A state to begin at, as a list of atoms or packed.
    Met add(std::span<const int32_t> atoms);
    Met add(const Word* state);
    // The state after an operator. If it is new, the way to it leads through `parent`.
    Met follow(StateId parent, int32_t op) {
        problem_.apply(op, registry_[parent], registry_.scratch());
        return insert(parent);
    }

    // The applicable operators; the list is valid until the next call.
    const std::vector<int32_t>& applicable(StateId id);

    StateId parent(StateId id) const { return *parents_[id]; }
    void set_parent(StateId id, StateId parent) { *parents_[id] = parent; }
    // The operators on the way to a state. Between a parent and its child the cheapest operator counts, the first one
    // among equals: it is found again rather than stored, which saves four bytes per state.
    std::vector<int32_t> path_to(StateId id);
    // The state at which that way begins.
    StateId root_of(StateId id) const;

    uint64_t bytes() const { return registry_.bytes() + parents_.bytes(); }
    // The search holds so many bytes beside the states. False if it has to stop.
    bool within_budget(uint64_t other_bytes);
    // A lack of memory has kept the search from expanding or storing a state: it proves nothing by coming to its end.
    void lose() { incomplete_ = true; }
    // How a search ends that has nothing left to expand, or whose budget is exceeded.
    Status exhausted() const { return incomplete_ ? Status::out_of_memory : Status::exhausted; }
    Status why() const { return status_of(budget_.why()); }

private:
    Met insert(StateId parent);

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
    uint64_t accounted_ = 0;  // bytes that the budget knows of
    // Guides and several queues ask for the same state soon after one another.
    std::array<Listed, 8> listed_;
    std::vector<int32_t> values_;
};

}  // namespace goalward
