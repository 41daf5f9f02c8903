#include "learning/table_sums.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "search/kernels.hpp"

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

// Calls function(atom) for each set bit of word(w), w being the place of a word, in ascending order.
template <class WordAt, class Function>
void for_each_atom(std::size_t words, WordAt&& word, Function&& function) {
    for (std::size_t w = 0; w < words; ++w)
        for (uint64_t rest = word(w); rest; rest &= rest - 1)
            function(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
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

}  // namespace

void sum_rows(const TrueAtoms& states, const float* table, std::size_t width, std::span<float> sums) {
    const std::size_t words = states.words;
    const auto row = [&](std::size_t atom) { return table + atom * width; };
    for (std::size_t i = 0; i < count(states); ++i) {
        const uint64_t* state = states.bits.data() + i * words;
        const uint64_t* before = i ? state - words : nullptr;
        float* sum = sums.data() + i * width;
        if (before && nearly_same(state, before, words)) {
            std::copy_n(sum - width, width, sum);
            for_each_atom(words, [&](std::size_t w) { return state[w] & ~before[w]; },
                          [&](std::size_t atom) { add(sum, row(atom), width); });
            for_each_atom(words, [&](std::size_t w) { return before[w] & ~state[w]; },
                          [&](std::size_t atom) { subtract(sum, row(atom), width); });
        } else {
            std::fill_n(sum, width, 0.0f);
            for_each_atom(words, [&](std::size_t w) { return state[w]; },
                          [&](std::size_t atom) { add(sum, row(atom), width); });
        }
    }
}

void add_to_rows(const TrueAtoms& states, std::span<const float> gradients, std::size_t width, float* table) {
    const std::size_t words = states.words;
    const auto row = [&](std::size_t atom) { return table + atom * width; };
    // From the last state to the first: the gradients of all states that are said by their differences from this one.
    std::vector<float> later(width);
    for (std::size_t i = count(states); i-- > 0;) {
        const uint64_t* state = states.bits.data() + i * words;
        const uint64_t* before = i ? state - words : nullptr;
        add(later.data(), gradients.data() + i * width, width);
        if (before && nearly_same(state, before, words)) {
            for_each_atom(words, [&](std::size_t w) { return state[w] & ~before[w]; },
                          [&](std::size_t atom) { add(row(atom), later.data(), width); });
            for_each_atom(words, [&](std::size_t w) { return before[w] & ~state[w]; },
                          [&](std::size_t atom) { subtract(row(atom), later.data(), width); });
        } else {
            for_each_atom(words, [&](std::size_t w) { return state[w]; },
                          [&](std::size_t atom) { add(row(atom), later.data(), width); });
            std::fill(later.begin(), later.end(), 0.0f);
        }
    }
}

}  // namespace goalward
