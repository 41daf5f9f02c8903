// Best-first search: greedy, A* and weighted A* from one loop, with batched expansion.
//
// A large batch looks wider and gets out of places where the heuristic misleads; a small one follows a good heuristic
// with fewer evaluations. Which is better depends on the state, so searches with different batches can share the time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/core/result.hpp"
#include "search/engines/search.hpp"
#include "search/heuristics/evaluator.hpp"

namespace goalward {

struct SearchOptions {
    bool greedy = true;      // order by h alone; otherwise by g + weight * h with reopening
    double weight = 1;
    bool beam = false;       // forget every state that is not among the best children of the last batch; not greedy
    bool unit_costs = true;  // what g counts
    // How many of the best states are expanded, and their children evaluated, at once. Several numbers: as many
    // searches, which share the effort until one of them ends.
    std::vector<int> batches{1};
    double time_limit = 0;   // seconds; 0: none
    uint64_t memory_limit = 0;  // resident bytes of the process; 0: none
    int at_once = 1;            // calls that run at the same time and share that memory
    uint64_t expansion_limit = 0;  // 0: none; the first of several searches to reach it ends them all
    int cores = 1;                 // threads for several searches
    bool prunes = true;            // may an infinite value of h cut off a state?
};

// One best-first search, for a scheduler. The heuristic belongs to the caller. A name is for statistics, if there are
// other searches beside it. Of the options, those about order, costs and expansions count.
std::unique_ptr<Search> make_best_first(const Heuristic& heuristic, const SearchOptions& options, int batch,
                                        std::string name, Budget& budget);

// `heartbeat` sees the statistics about twenty times a second and returns false to cancel.
SearchResult best_first_search(const Heuristic& heuristic, std::span<const int32_t> init, const SearchOptions& options,
                               const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
