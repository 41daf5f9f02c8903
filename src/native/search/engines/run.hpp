// Runs the searches of one call with a scheduler and returns the result.
#pragma once

#include <functional>
#include <span>

#include "search/engines/best_first.hpp"
#include "search/engines/scheduler.hpp"

namespace goalward {

// `add_searches` adds the searches to the scheduler. Everything they refer to must outlive this call.
inline SearchResult run_searches(const SearchOptions& options, std::span<const int32_t> init,
                                 const std::function<bool(const Statistics&)>& heartbeat,
                                 const std::function<void(Scheduler&)>& add_searches) {
    std::function<Statistics()> totals;
    Limits limits(options.time_limit, options.memory_limit, options.n_concurrent,
                  [&] { return !heartbeat || heartbeat(totals()); });
    Scheduler scheduler(limits);
    totals = [&] {
        Statistics total = scheduler.statistics();
        total.seconds = limits.elapsed();
        return total;
    };
    add_searches(scheduler);
    SearchResult result;
    result.status = scheduler.run(init, options.cores);
    result.statistics = totals();
    if (result.status == Status::solved) {
        result.plan = scheduler.winner().plan();
        result.statistics.led_by = scheduler.winner().led_by();
    }
    if (result.status == Status::out_of_expansions) result.next_state = scheduler.winner().next_state();
    return result;
}

}  // namespace goalward
