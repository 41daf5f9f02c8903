// Uniform random walks forward from a state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

// The end states of n walks of at most `steps` steps, n_words() words each. A walk that meets a state without
// applicable operators ends there. Walk i depends on the seed and i alone.
std::vector<Word> random_walks(const Problem& problem, std::span<const int32_t> init, int n, int steps, uint64_t seed);

}  // namespace goalward
