// Uniform random walks forward from a state.
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

}  // namespace goalward
