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
    Rows plans;  // operators; empty where there is no plan
};

// Searches one state after another; `options` hold for each. `go_on` is asked about twenty times a second; when it
// returns false, the results so far are given.
ManyResults search_many(const Heuristic& heuristic, const Rows& inits, const SearchOptions& options,
                        const std::function<bool()>& go_on);

}  // namespace goalward
