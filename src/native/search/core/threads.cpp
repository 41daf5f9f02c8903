#include "search/core/threads.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace goalward {

void run_threads(Limits& limits, int n, const std::function<void()>& work) {
    constexpr auto heartbeat_interval = std::chrono::milliseconds(20);
    std::mutex mutex;
    std::condition_variable ended;
    int running = n;
    std::exception_ptr error;
    const auto guarded = [&](const auto& function) {
        try {
            function();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            limits.cancel();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(n));
    try {
        for (int i = 0; i < n; ++i)
            threads.emplace_back([&] {
                guarded(work);
                const std::lock_guard lock(mutex);
                --running;
                ended.notify_one();
            });
    } catch (const std::system_error&) {  // no more threads are available: use those that were created
        if (threads.empty()) throw;
        const std::lock_guard lock(mutex);
        running -= n - static_cast<int>(threads.size());
    }
    for (std::unique_lock lock(mutex); !ended.wait_for(lock, heartbeat_interval, [&] { return running == 0; });) {
        lock.unlock();
        guarded([&] { limits.stopped(); });
        lock.lock();
    }
    for (std::thread& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace goalward
