#include "learning/table_sums.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "search/core/bit_matrix.hpp"
#include "search/network/kernels.hpp"

namespace goalward {

namespace {

// Rows are as wide as the network, which need not be a multiple of the kernels' panel width.
void add(float* to, const float* from, std::size_t width) {
    const Kernels& k = kernels();
    std::size_t i = width / k.panel * k.panel;
    k.accumulate(to, from, static_cast<int>(i));
    for (; i < width; ++i) to[i] += from[i];
}
void subtract(float* to, const float* from, std::size_t width) {
    const Kernels& k = kernels();
    std::size_t i = width / k.panel * k.panel;
    k.subtract(to, from, static_cast<int>(i));
    for (; i < width; ++i) to[i] -= from[i];
}

// Calls function(atom) for the atoms that are true in `state` and false in `other` (or null), in ascending order.
template <class Function>
void for_each_in_difference(const uint64_t* state, const uint64_t* other, std::size_t words, Function&& function) {
    for (std::size_t w = 0; w < words; ++w) {
        const uint64_t rest = other ? state[w] & ~other[w] : state[w];
        for_each_bit(&rest, 1, [&](int32_t bit) { function(w * 64 + static_cast<std::size_t>(bit)); });
    }
}

// True if `state` differs from `before` in fewer atoms than it has true ones.
bool is_similar(const uint64_t* state, const uint64_t* before, std::size_t words) {
    int n_different = 0, n_true = 0;
    for (std::size_t w = 0; w < words; ++w) {
        n_different += std::popcount(state[w] ^ before[w]);
        n_true += std::popcount(state[w]);
    }
    return n_different < n_true;
}

std::size_t count(const TrueAtoms& states) { return states.words ? states.bits.size() / states.words : 0; }

const uint64_t* state_at(const TrueAtoms& states, std::size_t i) { return states.bits.data() + i * states.words; }

// The state before state i if state i is computed from it, and null otherwise.
const uint64_t* base_of(const TrueAtoms& states, std::size_t i) {
    if (i == 0 || !is_similar(state_at(states, i), state_at(states, i - 1), states.words)) return nullptr;
    return state_at(states, i - 1);
}

}  // namespace

void sum_rows(const TrueAtoms& states, const float* table, std::size_t width, std::span<float> sums) {
    for (std::size_t i = 0; i < count(states); ++i) {
        const uint64_t *state = state_at(states, i), *base = base_of(states, i);
        float* sum = sums.data() + i * width;
        if (base)
            std::copy_n(sum - width, width, sum);
        else
            std::fill_n(sum, width, 0.0f);
        for_each_in_difference(state, base, states.words,
                               [&](std::size_t atom) { add(sum, table + atom * width, width); });
        if (base)
            for_each_in_difference(base, state, states.words,
                                   [&](std::size_t atom) { subtract(sum, table + atom * width, width); });
    }
}

void add_to_rows(const TrueAtoms& states, std::span<const float> gradients, std::size_t width, float* table) {
    // From the last state to the first. `accumulated` is the sum of the gradients of this state and of all later states
    // that are computed from it.
    std::vector<float> accumulated(width);
    for (std::size_t i = count(states); i-- > 0;) {
        const uint64_t *state = state_at(states, i), *base = base_of(states, i);
        add(accumulated.data(), gradients.data() + i * width, width);
        for_each_in_difference(state, base, states.words,
                               [&](std::size_t atom) { add(table + atom * width, accumulated.data(), width); });
        if (base)
            for_each_in_difference(
                base, state, states.words,
                [&](std::size_t atom) { subtract(table + atom * width, accumulated.data(), width); });
        else
            std::fill(accumulated.begin(), accumulated.end(), 0.0f);
    }
}

}  // namespace goalward
