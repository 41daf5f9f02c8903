// Time, memory and the caller's wish to stop.
//
// One call has one `Limits`, which all its searches share and may ask from any thread. Each search has a `Budget` of its
// own: if the memory is used up, the searches notice one by one, and one that is ended frees memory for the others.
//
//     Limits limits(seconds, memory_limit, at_once, heartbeat);
//     Budget budget(limits);
//     while (!budget.exceeded()) …
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>

namespace goalward {

enum class Stop { none, time, memory, cancelled, interrupted };

// Thrown by work that has no other way to end before it is done; Budget::why() says why.
struct OutOfBudget {};

class Limits {
public:
    // memory_limit bounds the process's resident memory in bytes; 0: none. Memory that the process does not need for
    // anything else is shared equally by so many calls `at_once`. `heartbeat` is called at most every 50 ms, by the thread
    // that made the limits, and returns false to cancel.
    Limits(double seconds, uint64_t memory_limit, int at_once, std::function<bool()> heartbeat);
    ~Limits() { held_by_all_ -= held_; }
    Limits(const Limits&) = delete;
    Limits& operator=(const Limits&) = delete;

    // Is the time over, or has somebody cancelled? Cheap enough for every expansion.
    bool stopped() {
        if (stop_.load(std::memory_order_relaxed) == Stop::none) check_clock();
        return stop_.load(std::memory_order_relaxed) != Stop::none;
    }
    void cancel() { stop_ = Stop::cancelled; }
    Stop why() const { return stop_; }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    // Bytes that the searches of this call may hold together, and hold now.
    uint64_t room() const { return room_; }
    uint64_t held() const { return held_; }
    void hold(uint64_t before, uint64_t now) {
        held_ += now - before;
        held_by_all_ += now - before;
    }

private:
    using Clock = std::chrono::steady_clock;

    void check_clock();

    const Clock::time_point start_;
    Clock::time_point deadline_, next_beat_;
    uint64_t room_ = std::numeric_limits<uint64_t>::max();
    std::function<bool()> heartbeat_;
    const std::thread::id owner_ = std::this_thread::get_id();
    std::atomic<uint64_t> held_{0};
    std::atomic<Stop> stop_{Stop::none};
    static std::atomic<uint64_t> held_by_all_;  // by all calls at this time: memory that is not lost to a new one
};

class Budget {
public:
    explicit Budget(Limits& limits) : limits_(limits) {}
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    // Asked in the middle of an expansion, which only ends early if the whole search does.
    bool out_of_time() { return interrupted_.load(std::memory_order_relaxed) || limits_.stopped(); }
    // Asked between expansions.
    bool exceeded() { return full_.load(std::memory_order_relaxed) || out_of_time(); }
    // The search holds `now` bytes instead of `before`. False, until renew(), if that is too much.
    bool fits(uint64_t before, uint64_t now) {
        limits_.hold(before, now);
        return allows(0);
    }
    // May the search take so many bytes more? If not, the budget is exceeded until renew().
    bool allows(uint64_t extra) {
        if (limits_.held() + extra > limits_.room()) full_ = true;
        return !full_.load(std::memory_order_relaxed);
    }
    // Throws OutOfBudget if there is no time to go on, or no room for so many bytes more.
    void require(uint64_t extra = 0) {
        if (exceeded() || !allows(extra)) throw OutOfBudget();
    }
    // Others have freed memory: the search may go on.
    void renew() { full_ = false; }
    // Ends the search soon, from another thread.
    void interrupt() { interrupted_ = true; }

    Limits& limits() { return limits_; }
    uint64_t room() const { return limits_.room(); }
    Stop why() const {
        if (limits_.why() != Stop::none) return limits_.why();
        return interrupted_ ? Stop::interrupted : full_ ? Stop::memory : Stop::none;
    }

private:
    Limits& limits_;
    std::atomic<bool> full_{false}, interrupted_{false};
};

// Gives memory that was freed back to the system, so that it does not count as resident.
void give_back_free_memory();

// Resident memory of this process in bytes, now and at its highest; 0 if the system does not tell.
uint64_t resident_memory();
uint64_t peak_memory();

}  // namespace goalward
