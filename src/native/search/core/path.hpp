// The way back from a state to the initial one.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/core/registry.hpp"
#include "task/problem.hpp"

namespace goalward {

// The operators from the initial state to `state`, where `came_from` holds the parent of each stored state. Between a
// parent and its child the cheapest operator counts, the first one among equals: it is found again rather than stored,
// which saves four bytes per state.
std::vector<int32_t> path_to(StateId state, const Problem& problem, Registry& registry,
                             const Chunked<StateId>& came_from);

}  // namespace goalward
