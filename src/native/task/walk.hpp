// Steps forward from a state: all of them, uniform random walks, and along plans.
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

struct Successors {
    std::vector<int32_t> operators;  // applicable, ascending
    std::vector<Word> states;        // what each leads to, n_words() words each
};
Successors successors(const Problem& problem, std::span<const int32_t> state);

// The states that a plan passes, the first and the last included, n_words() words each. Throws std::invalid_argument
// where a step is not applicable.
std::vector<Word> states_along(const Problem& problem, std::span<const int32_t> init, std::span<const int32_t> plan);

}  // namespace goalward
