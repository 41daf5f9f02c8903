// Time, memory and the caller's wish to stop, asked from inside the loops.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace goalward {

enum class Stop { none, time, memory, cancelled };

// Thrown by work that has no other way to end before it is done; Budget::why() says why.
struct OutOfBudget {};

class Budget {
public:
    using Clock = std::chrono::steady_clock;

    // memory_limit bounds the process's resident memory in bytes; 0 means none. Of what the process does not need for
    // anything else, so many searches `at_once` have the same share each. `heartbeat` is called at most every 50 ms and
    // returns false to cancel.
    Budget(double seconds, uint64_t memory_limit, int at_once, std::function<bool()> heartbeat);
    ~Budget() { held_by_all_ -= held_; }
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    // Cheap enough for every expansion.
    bool exceeded() {
        if (stop_ == Stop::none) check_clock();
        return stop_ != Stop::none;
    }
    // A search holds `now` bytes where it held `before`; may it? Remembers if not.
    bool fits(uint64_t before, uint64_t now) {
        held_ += now - before;
        held_by_all_ += now - before;
        if (held_ > room_) stop_ = Stop::memory;
        return stop_ == Stop::none;
    }
    // May a search take so many bytes more, before it reports them? Remembers if not.
    bool allows(uint64_t extra) {
        if (held_ + extra > room_) stop_ = Stop::memory;
        return stop_ == Stop::none;
    }
    // Throws where there is no time to go on, or no room for so many bytes more.
    void require(uint64_t extra = 0) {
        if (exceeded() || !allows(extra)) throw OutOfBudget();
    }
    // Bytes that searches may hold together.
    uint64_t room() const { return room_; }
    Stop why() const { return stop_; }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    void check_clock();

    Clock::time_point start_, deadline_, next_beat_;
    uint64_t room_ = std::numeric_limits<uint64_t>::max(), held_ = 0;
    std::function<bool()> heartbeat_;
    Stop stop_ = Stop::none;
    static std::atomic<uint64_t> held_by_all_;  // by all budgets there are: memory that is not lost to a new one
};

// Resident memory of this process in bytes, now and at its highest; 0 where the system does not tell.
uint64_t resident_memory();
uint64_t peak_memory();

}  // namespace goalward
