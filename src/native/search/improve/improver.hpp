// Makes a plan cheaper for as long as it is let, and never dearer.
//
// Several things take turns: steps that can go (eliminate.hpp), the states around the plan (neighbourhood.hpp), parts of
// it searched again (windows.hpp), and the whole searched again (search_again.hpp). Each goes on while it finds something
// and gives way after a certain effort without success, which doubles whenever none of them has found anything. On several
// cores they work at the same time from the same plan, and what they find is put together after each round. Turns are
// measured by counted effort, not by the clock, so that the same seed and the same limit on effort give the same plans on
// every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/engines/guidance.hpp"
#include "search/improve/path.hpp"

namespace goalward {

struct ImproveOptions {
    bool unit_costs = true;
    uint64_t seed = 0;
    double time_limit = 0;      // seconds; 0: none
    uint64_t memory_limit = 0;  // resident bytes of the process; 0: none
    int at_once = 1;            // searches that run at the same time and share that memory
    uint64_t effort_limit = 0;  // 0: none; a unit is about a nanosecond of one core of 2020
    // Up to here, a better plan puts the limit off to twice the sum of it and the effort so far.
    uint64_t most_effort = 0;
    int cores = 1;  // threads
    double network_share = 0.5;  // of the effort, at least, for searches with the network if there is one
};

enum class ImproveStatus { optimal, nothing_left, out_of_time, out_of_memory, out_of_effort, cancelled };

struct BetterPlan {
    std::shared_ptr<const std::vector<int32_t>> plan;  // shared by copies: plans are long, and copied often
    Cost cost;
    double seconds;   // since the start
    uint64_t effort;  // until then
    const char* by;
};

struct ImproveResult {
    ImproveStatus status = ImproveStatus::nothing_left;
    std::vector<BetterPlan> better;  // each better than the one before it, the first better than the plan given
    uint64_t effort = 0;
    uint64_t generated = 0;  // states around the plan
    double seconds = 0;
};

// `heartbeat` sees what has been found so far about twenty times a second and returns false to stop. Nothing where the
// steps are no plan.
std::optional<ImproveResult> improve(const Guidance& guidance, const Heuristic* network, std::span<const int32_t> init,
                                     std::span<const int32_t> plan, const ImproveOptions& options,
                                     const std::function<bool(const ImproveResult&)>& heartbeat);

}  // namespace goalward
