// Best-first search with batched expansion: greedy search, A*, weighted A* and beam search in one loop.
//
// Large batches escape from regions where the heuristic is misleading. Small batches need fewer evaluations if the
// heuristic is good. Which is better depends on the state, so searches with different batch sizes can share the time.
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
    bool greedy = true;      // order states by h; otherwise by g + weight * h with reopening
    double weight = 1;
    bool beam = false;       // drop all states that are not among the best children of the last batch; requires !greedy
    bool unit_costs = true;  // g counts steps; otherwise the costs of operators
    // The number of states that are expanded together, and whose children are evaluated together. With several numbers,
    // as many searches share the effort until one of them ends.
    std::vector<int> batches{1};
    double time_limit = 0;         // seconds; 0: none
    uint64_t memory_limit = 0;     // resident memory of the process in bytes; 0: none
    int n_concurrent = 1;          // number of calls that run at the same time and share the memory limit
    uint64_t expansion_limit = 0;  // 0: none; if one of several searches reaches it, all end
    int cores = 1;                 // number of threads for several searches
    bool prunes = true;            // prune states with infinite h
};

// Makes a best-first search for a scheduler. The heuristic must outlive it. A name is used in the statistics of several
// searches. Time limits, memory limits, batches and cores of the options are ignored.
std::unique_ptr<Search> make_best_first(const Heuristic& heuristic, const SearchOptions& options, int batch,
                                        std::string name, Budget& budget);

// `heartbeat` is called with the statistics about twenty times a second and returns false to cancel.
SearchResult best_first_search(const Heuristic& heuristic, std::span<const int32_t> init, const SearchOptions& options,
                               const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
