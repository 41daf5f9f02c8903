// Walks forward from a state: uniform random ones, and along plans.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

// n walks of uniformly drawn steps; each gives its state after every number of steps in `stops` (ascending), n_words()
// words each, walk after walk. A walk that meets a state without applicable operators stays there. Walk i depends on the
// seed and i alone.
std::vector<Word> random_walks(const Problem& problem, std::span<const int32_t> init, int n,
                               std::span<const int32_t> stops, uint64_t seed);

// The states that a plan passes, the first and the last included, n_words() words each. Throws std::invalid_argument
// where a step is not applicable.
std::vector<Word> states_along(const Problem& problem, std::span<const int32_t> init, std::span<const int32_t> plan);

}  // namespace goalward
