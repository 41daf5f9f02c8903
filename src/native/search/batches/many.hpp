// Searches from many states in one call, for learners that solve thousands of small problems.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/engines/best_first.hpp"
#include "task/rows.hpp"

namespace goalward {

struct ManyResults {  // one entry per state that was searched
    std::vector<Status> status;
    std::vector<int32_t> expanded;
    Rows plans;  // operators; empty if there is no plan
    // Bits over all atoms, only for searches that reached the limit on expansions: the state to be expanded next.
    std::vector<uint64_t> left_at;
};

// Runs a best-first search from each state; the limits in `options` apply to each. `go_on` is called about twenty times
// a second; once it returns false, the results so far are returned.
ManyResults search_many(const Heuristic& heuristic, const Rows& inits, const SearchOptions& options,
                        const std::function<bool()>& go_on);

}  // namespace goalward
