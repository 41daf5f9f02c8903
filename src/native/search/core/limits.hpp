// Limits on time and memory, and cancellation by the caller.
//
// All searches of one call share one `Limits`, which may be used from any thread. Each search has its own `Budget`: if
// the memory limit is reached, the searches notice one by one, and ending one of them frees memory for the others.
//
//     Limits limits(seconds, memory_limit, n_concurrent, heartbeat);
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

// Thrown to end work early if it cannot return a status; Budget::why() gives the reason.
struct OutOfBudget {};

class Limits {
public:
    // `memory_limit` is for the resident memory of the process in bytes; 0: none. What the process does not need for
    // anything else is shared equally by `n_concurrent` calls. `heartbeat` is called at most every 50 ms, by the thread
    // that created the limits, and returns false to cancel.
    Limits(double seconds, uint64_t memory_limit, int n_concurrent, std::function<bool()> heartbeat);
    ~Limits() { held_by_all_ -= held_; }
    Limits(const Limits&) = delete;
    Limits& operator=(const Limits&) = delete;

    // True if the time is over or the call was cancelled. Cheap enough to be called for every expansion.
    bool stopped() {
        if (stop_.load(std::memory_order_relaxed) == Stop::none) check_clock();
        return stop_.load(std::memory_order_relaxed) != Stop::none;
    }
    void cancel() { stop_ = Stop::cancelled; }
    Stop why() const { return stop_; }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    // Bytes that all searches of this call together may hold, and that they hold now.
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
    static std::atomic<uint64_t> held_by_all_;  // by all current calls; does not reduce the share of a new call
};

class Budget {
public:
    explicit Budget(Limits& limits) : limits_(limits) {}
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    // To be checked during an expansion, which must not be interrupted if only memory is short.
    bool out_of_time() { return interrupted_.load(std::memory_order_relaxed) || limits_.stopped(); }
    // To be checked between expansions.
    bool exceeded() { return full_.load(std::memory_order_relaxed) || out_of_time(); }
    // Reports that the search holds `now` bytes instead of `before`. False, until renew(), if that is too much.
    bool fits(uint64_t before, uint64_t now) {
        limits_.hold(before, now);
        return allows(0);
    }
    // True if the search may allocate `extra` bytes. Otherwise the budget is exceeded until renew().
    bool allows(uint64_t extra) {
        if (limits_.held() + extra > limits_.room()) full_ = true;
        return !full_.load(std::memory_order_relaxed);
    }
    // Throws OutOfBudget if the budget is exceeded or does not allow `extra` bytes.
    void require(uint64_t extra = 0) {
        if (exceeded() || !allows(extra)) throw OutOfBudget();
    }
    // Lets the search continue after other searches have freed memory.
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

// Returns freed memory to the operating system, so that it no longer counts as resident.
void give_back_free_memory();

// Current and peak resident memory of this process in bytes; 0 if unknown.
uint64_t resident_memory();
uint64_t peak_memory();

}  // namespace goalward
