#include "search/budget.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace goalward {

Budget::Budget(double seconds, uint64_t memory_limit, std::function<bool()> heartbeat)
    : start_(Clock::now()), next_beat_(start_), heartbeat_(std::move(heartbeat)) {
    constexpr double forever = 1e9;
    deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(seconds > 0 && seconds < forever ? seconds : forever));
    if (memory_limit) {
        const uint64_t base = resident_memory();
        room_ = memory_limit > base ? memory_limit - base : 0;
    }
}

void Budget::check_clock() {
    const auto now = Clock::now();
    if (now >= deadline_) {
        stop_ = Stop::time;
    } else if (now >= next_beat_) {
        if (heartbeat_ && !heartbeat_()) stop_ = Stop::cancelled;
        next_beat_ = Clock::now() + std::chrono::milliseconds(50);
    }
}

uint64_t resident_memory() {
    uint64_t pages = 0;
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
        unsigned long total = 0, resident = 0;
        if (std::fscanf(f, "%lu %lu", &total, &resident) == 2) pages = resident;
        std::fclose(f);
        return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    }
    return peak_memory();
}

uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return static_cast<uint64_t>(usage.ru_maxrss);
#else
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace goalward
