// Runs several searches that share the time until one of them ends.
//
// Each member has a share of the effort and a delay before it starts. Its *due time* is its effort divided by its
// share, plus its delay; the member with the minimum due time is next. Effort is counted, so schedules are repeatable.
//
// On one core, members take turns, and the first member that ends decides the result. On several cores, idle threads
// take the member with the minimum due time. The member that ends at the minimum due time decides the result, even if
// another thread was faster: members with an earlier due time are first advanced to that point. So the result depends
// neither on timing nor on the number of threads, unless a time or memory limit is reached.
//
// If the memory limit is reached, the member that holds the most memory is evicted and the others continue.
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
    // For a scheduler within a search: its members share the budget of that search, and none is evicted.
    explicit Scheduler(Budget& budget) : limits_(budget.limits()), shared_(&budget) {}

    // The search is created in its first turn, so that it costs nothing if another one ends before.
    void add(std::string name, Make make, double share, uint64_t delay);

    // Gives one turn to the member that is due. Returns a status if it ends, and all others with it.
    std::optional<Status> advance(std::span<const int32_t> init);
    // Advances the members on up to `cores` threads until one of them ends.
    Status run(std::span<const int32_t> init, int cores);
    // The search that decided the result.
    Search& winner() { return *members_[winner_]->search; }

    uint64_t effort() const;
    uint64_t bytes() const;
    // The sum over all searches, with the h values of the first. While threads are running: after their last turns.
    Statistics statistics() const;

private:
    struct Member {
        // Takes a turn. Returns a status if the search ends.
        std::optional<Status> advance(std::span<const int32_t> init, uint64_t effort);
        // Requires that the search has started.
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

    // Evicts the member that holds the most memory. False if no member would be left.
    bool evict(Member& full);
    void remove(Member& victim);

    Limits& limits_;
    Budget* shared_ = nullptr;
    std::vector<std::unique_ptr<Member>> members_;
    std::size_t winner_ = 0;
    uint64_t scheduled_ = 0;  // effort of all turns so far
    Statistics of_evicted_;
    uint64_t effort_of_evicted_ = 0;
    Threads* threads_ = nullptr;  // while threads are running
};

}  // namespace goalward
