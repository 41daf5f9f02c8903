// Steps forward from a state: all of them, uniform random walks, and along plans.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

struct Walks {
    std::size_t n = 0;
    std::vector<Word> states;  // of walk after walk, n_words() words each
};
// n walks of uniformly drawn steps; each gives its state after every number of steps in `stops` (ascending). A walk that
// meets a state without applicable operators stays there. Walk i depends on the seed and i alone. `go_on` is asked many
// times a second; when it returns false, the walk that is under way stays where it is, and no other begins.
Walks random_walks(const Problem& problem, std::span<const int32_t> init, int n, std::span<const int32_t> stops,
                   uint64_t seed, const std::function<bool()>& go_on);

struct Successors {
    std::vector<int32_t> operators;  // applicable, ascending
    std::vector<Word> states;        // what each leads to, n_words() words each
};
Successors successors(const Problem& problem, std::span<const int32_t> state);

// The states that a plan passes, the first and the last included, n_words() words each. Throws std::invalid_argument
// where a step is not applicable.
std::vector<Word> states_along(const Problem& problem, std::span<const int32_t> init, std::span<const int32_t> plan);

}  // namespace goalward
