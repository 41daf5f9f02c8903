#include "search/core/result.hpp"

#include <algorithm>

namespace goalward {

Status status_of(Stop stop) {
    switch (stop) {
        case Stop::time: return Status::out_of_time;
        case Stop::memory: return Status::out_of_memory;
        default: return Status::cancelled;
    }
}

namespace {

void add_counts(Statistics::Counts& total, const Statistics::Counts& others) {
    for (const auto& [name, count] : others) {
        const auto it = std::find_if(total.begin(), total.end(), [&](const auto& e) { return e.first == name; });
        if (it == total.end())
            total.emplace_back(name, count);
        else
            it->second += count;
    }
}

}  // namespace

void Statistics::add(const Statistics& other) {
    expanded += other.expanded;
    evaluated += other.evaluated;
    generated += other.generated;
    reopened += other.reopened;
    dead_ends += other.dead_ends;
    stored += other.stored;
    open += other.open;
    bytes += other.bytes;
    add_counts(evaluations_by_heuristic, other.evaluations_by_heuristic);
    add_counts(expansions_by_queue, other.expansions_by_queue);
    add_counts(effort_by_part, other.effort_by_part);
    evicted.insert(evicted.end(), other.evicted.begin(), other.evicted.end());
}

}  // namespace goalward
