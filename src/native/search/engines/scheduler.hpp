// Searches that share the time until one of them ends.
//
// Each member has a share of the effort, and may begin later than the first. Its *due time* is its effort divided by its
// share, plus its delay; the member with the least due time is next. Effort is counted, so schedules repeat exactly.
//
// On one core, members take turns and the first to end decides. On several cores, idle threads take the member with the
// least due time, and the member that ends at the least due time decides, not the one whose thread was faster: members
// that are behind it are advanced that far first. So the result depends neither on timing nor on the number of threads,
// unless a limit on time or memory is reached.
//
// If the memory is used up, the member that holds most is evicted and the others go on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/core/limits.hpp"
#include "search/core/result.hpp"
#include "search/engines/search.hpp"

namespace goalward {

class Scheduler {
public:
    using Make = std::function<std::unique_ptr<Search>(Budget&)>;

    explicit Scheduler(Limits& limits) : limits_(limits) {}
    // As a part of a search that has a budget: its members share it, and nobody is evicted here.
    explicit Scheduler(Budget& budget) : limits_(budget.limits()), shared_(&budget) {}

    // A search is made with its first turn, so that short searches never pay for the others.
    void add(std::string name, Make make, double share, uint64_t delay);

    // One turn of the member that is due; a status if it has come to its end, and all with it.
    std::optional<Status> advance(std::span<const int32_t> init);
    // Advances the members on so many threads until one of them ends.
    Status run(std::span<const int32_t> init, int cores);
    // The search that decided how all of them end.
    Search& winner() { return *members_[winner_]->search; }

    uint64_t effort() const;
    uint64_t bytes() const;
    // Of all searches together; values of h are those of the first. While threads are running: as of their last turns.
    Statistics statistics() const;

private:
    struct Member {
        // Takes a turn; a status if the search has come to its end.
        std::optional<Status> advance(std::span<const int32_t> init, uint64_t effort);
        // Of a search that has begun.
        Statistics statistics() const;
        double due() const {
            return static_cast<double>(delay) + (search ? static_cast<double>(search->effort()) / share : 0);
        }

        std::string name;
        Make make;
        double share;
        uint64_t delay;
        std::unique_ptr<Budget> own_budget;
        Budget* budget;
        std::unique_ptr<Search> search;  // null before the first turn and after an eviction
        bool can_go_on = true;           // false if the search was stopped at a point where it cannot be resumed
        bool evicted = false;
    };
    class Threads;

    // Frees the memory of the member that holds most. False if nobody would be left to go on.
    bool evict(Member& full);
    void remove(Member& victim);

    Limits& limits_;
    Budget* shared_ = nullptr;
    std::vector<std::unique_ptr<Member>> members_;
    std::size_t winner_ = 0;
    uint64_t scheduled_ = 0;  // effort of all turns so far
    Statistics of_evicted_;
    uint64_t effort_of_evicted_ = 0;
    Threads* threads_ = nullptr;  // while they run
};

}  // namespace goalward
