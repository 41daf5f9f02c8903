// Worker threads of one call.
#pragma once

#include <functional>

#include "search/core/limits.hpp"

namespace goalward {

// Runs `work` on n threads, or on fewer if the system cannot create more, and waits for all of them. Meanwhile the
// calling thread, which must have created the limits, calls their heartbeat. An exception from the work or the
// heartbeat cancels the limits and is rethrown when all threads have ended.
void run_threads(Limits& limits, int n, const std::function<void()>& work);

}  // namespace goalward
