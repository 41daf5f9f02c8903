// What every search gives back.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/core/limits.hpp"

namespace goalward {

enum class Status { solved, exhausted, out_of_time, out_of_memory, cancelled, out_of_expansions };

// How a search ends whose budget has run out.
Status status_of(Stop stop);

struct Statistics {
    using Counts = std::vector<std::pair<std::string, uint64_t>>;

    uint64_t expanded = 0, evaluated = 0, generated = 0, reopened = 0, dead_ends = 0;
    uint64_t stored = 0;  // distinct states
    uint64_t open = 0;
    uint64_t bytes = 0;   // held for states, nodes and the open list
    float initial_h = 0, best_h = 0;
    double seconds = 0;
    // If a search has several heuristics or queues: how often each was used, under the name that users see.
    Counts evaluations_by_heuristic, expansions_by_queue;
    Counts effort_by_part;  // of a portfolio: counted effort, in about nanoseconds
    std::string led_by;  // the queue that led to the goal, if there are several
    std::vector<std::string> evicted;  // parts of a portfolio that were ended to free memory for the others

    // Adds what another search has done. The values of h and the seconds stay those of the first.
    void add(const Statistics& other);
};

struct SearchResult {
    Status status = Status::exhausted;
    std::vector<int32_t> plan;  // operators
    Statistics statistics;
};

}  // namespace goalward
