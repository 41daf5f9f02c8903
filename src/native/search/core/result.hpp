// The results of searches: status, plan and statistics.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/core/limits.hpp"

namespace goalward {

enum class Status { solved, exhausted, out_of_time, out_of_memory, cancelled, out_of_expansions };

// The status of a search whose budget is exceeded.
Status status_of(Stop stop);

struct Statistics {
    using Counts = std::vector<std::pair<std::string, uint64_t>>;

    uint64_t expanded = 0, evaluated = 0, generated = 0, reopened = 0, dead_ends = 0;
    uint64_t stored = 0;  // distinct states
    uint64_t open = 0;
    uint64_t bytes = 0;   // held for states, nodes and the open list
    float initial_h = 0, best_h = 0;
    double seconds = 0;
    // Counts for each heuristic or queue, by the name that users see, if a search has several.
    Counts evaluations_by_heuristic, expansions_by_queue;
    Counts effort_by_part;  // of a portfolio, in units of about a nanosecond
    std::string led_by;  // the queue from which the goal was reached, if there are several
    std::vector<std::string> evicted;  // parts of a portfolio that were ended early to free memory for others

    // Adds the counts of another search. Values of h and the time stay as they are.
    void add(const Statistics& other);
};

struct SearchResult {
    Status status = Status::exhausted;
    std::vector<int32_t> plan;  // operators
    // After out_of_expansions of a greedy search: the state that it would have expanded next, as bits over all atoms.
    std::vector<uint64_t> next_state;
    Statistics statistics;
};

}  // namespace goalward
