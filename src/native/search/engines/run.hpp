// From options to a result: the limits of one call, and a scheduler that runs until its searches end.
#pragma once

#include <functional>
#include <span>

#include "search/engines/best_first.hpp"
#include "search/engines/scheduler.hpp"

namespace goalward {

// `add_searches` fills the scheduler; what the searches refer to must live until this returns.
inline SearchResult run_searches(const SearchOptions& options, std::span<const int32_t> init,
                                 const std::function<bool(const Statistics&)>& heartbeat,
                                 const std::function<void(Scheduler&)>& add_searches) {
    std::function<Statistics()> totals;
    Limits limits(options.time_limit, options.memory_limit, options.at_once,
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
    return result;
}

}  // namespace goalward
