#include "learning/table_sums.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "search/core/bit_matrix.hpp"
#include "search/network/kernels.hpp"

namespace goalward {

namespace {

// Rows are as wide as the network, which need not be a multiple of what kernels take.
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

// Calls function(atom) for the atoms that are true in `state` and not in `other`, which may be null, in ascending order.
template <class Function>
void for_each_beyond(const uint64_t* state, const uint64_t* other, std::size_t words, Function&& function) {
    for (std::size_t w = 0; w < words; ++w) {
        const uint64_t rest = other ? state[w] & ~other[w] : state[w];
        for_each_bit(&rest, 1, [&](int32_t bit) { function(w * 64 + static_cast<std::size_t>(bit)); });
    }
}

// Is it less work to say how `state` differs from `before` than which atoms are true in it?
bool nearly_same(const uint64_t* state, const uint64_t* before, std::size_t words) {
    int different = 0, own = 0;
    for (std::size_t w = 0; w < words; ++w) {
        different += std::popcount(state[w] ^ before[w]);
        own += std::popcount(state[w]);
    }
    return different < own;
}

std::size_t count(const TrueAtoms& states) { return states.words ? states.bits.size() / states.words : 0; }

const uint64_t* state_at(const TrueAtoms& states, std::size_t i) { return states.bits.data() + i * states.words; }

// The state before state i where only differences from it are looked at, null where all true atoms are.
const uint64_t* base_of(const TrueAtoms& states, std::size_t i) {
    if (i == 0 || !nearly_same(state_at(states, i), state_at(states, i - 1), states.words)) return nullptr;
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
        for_each_beyond(state, base, states.words, [&](std::size_t atom) { add(sum, table + atom * width, width); });
        if (base)
            for_each_beyond(base, state, states.words,
                            [&](std::size_t atom) { subtract(sum, table + atom * width, width); });
    }
}

void add_to_rows(const TrueAtoms& states, std::span<const float> gradients, std::size_t width, float* table) {
    // From the last state to the first: the gradients of all states that are said by their differences from this one.
    std::vector<float> later(width);
    for (std::size_t i = count(states); i-- > 0;) {
        const uint64_t *state = state_at(states, i), *base = base_of(states, i);
        add(later.data(), gradients.data() + i * width, width);
        for_each_beyond(state, base, states.words,
                        [&](std::size_t atom) { add(table + atom * width, later.data(), width); });
        if (base)
            for_each_beyond(base, state, states.words,
                            [&](std::size_t atom) { subtract(table + atom * width, later.data(), width); });
        else
            std::fill(later.begin(), later.end(), 0.0f);
    }
}

}  // namespace goalward
