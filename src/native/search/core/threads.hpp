// Threads of one call.
#pragma once

#include <functional>

#include "search/core/limits.hpp"

namespace goalward {

// Runs `work` on so many threads at once, or on fewer if the system has no more, and waits for all of them. Meanwhile the calling thread, which must have made the
// limits, calls their heartbeat. An exception, of the work or of the heartbeat, cancels the limits and is thrown when all
// threads have ended.
void run_threads(Limits& limits, int n, const std::function<void()>& work);

}  // namespace goalward
