// Forward steps from a state: all successors, uniform random walks, and the states along a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

struct Walks {
    std::size_t n = 0;
    std::vector<Word> states;  // walk by walk, n_words() words each
};
// Runs n uniform random walks and records the state of each after every number of steps in `steps` (ascending). A walk
// stays in a state without applicable operators. Walk i depends only on the seed and i. `go_on` is called many times a
// second; once it returns false, the current walk stays in its state and is the last one.
Walks random_walks(const Problem& problem, std::span<const int32_t> init, int n, std::span<const int32_t> steps,
                   uint64_t seed, const std::function<bool()>& go_on);

struct Successors {
    std::vector<int32_t> operators;  // applicable, ascending
    std::vector<Word> states;        // the successor state of each, n_words() words each
};
Successors successors(const Problem& problem, std::span<const int32_t> state);

// The states that a plan visits, including the first and the last, n_words() words each. Throws std::invalid_argument
// if a step is not applicable.
std::vector<Word> states_along(const Problem& problem, std::span<const int32_t> init, std::span<const int32_t> plan);

}  // namespace goalward
