#include "search/core/limits.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace goalward {

void give_back_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

std::atomic<uint64_t> Limits::held_by_all_{0};

Limits::Limits(double seconds, uint64_t memory_limit, int n_concurrent, std::function<bool()> heartbeat)
    : start_(Clock::now()), next_beat_(start_), heartbeat_(std::move(heartbeat)) {
    constexpr double max_seconds = 1e9;
    deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                             seconds > 0 && seconds < max_seconds ? seconds : max_seconds));
    if (memory_limit) {
        give_back_free_memory();  // memory freed by earlier searches must not count
        const uint64_t resident = resident_memory();
        const uint64_t base = resident - std::min(resident, held_by_all_.load());
        room_ = memory_limit > base ? (memory_limit - base) / static_cast<uint64_t>(std::max(n_concurrent, 1)) : 0;
    }
}

void Limits::check_clock() {
    const auto now = Clock::now();
    if (now >= deadline_) {
        stop_ = Stop::time;
    } else if (std::this_thread::get_id() == owner_ && now >= next_beat_) {
        if (heartbeat_ && !heartbeat_()) stop_ = Stop::cancelled;
        next_beat_ = Clock::now() + std::chrono::milliseconds(50);
    }
}

namespace {

// The value of a field of /proc/self/status in bytes; 0 if there is no such file.
uint64_t from_status(const char* field) {
    uint64_t result = 0;
    if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
        char line[256];
        const std::size_t length = std::strlen(field);
        while (std::fgets(line, sizeof line, file))
            if (!std::strncmp(line, field, length)) result = std::strtoull(line + length, nullptr, 10) * 1024;
        std::fclose(file);
    }
    return result;
}

}  // namespace

uint64_t resident_memory() {
    if (const uint64_t bytes = from_status("VmRSS:")) return bytes;
    return peak_memory();
}

// getrusage is not used on Linux, because there a process inherits its parent's peak.
uint64_t peak_memory() {
    if (const uint64_t bytes = from_status("VmHWM:")) return bytes;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return static_cast<uint64_t>(usage.ru_maxrss);
#else
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace goalward
