#include "task/packing.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace goalward {

Packing::Packing(Rows variables, int n_atoms)
    : variables_(std::move(variables)), layout_(variables_.size()), slots_(n_atoms) {
    std::vector<int> order(variables_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto bits = [&](int v) { return std::bit_width(variables_[v].size()); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bits(a) > bits(b); });
    // First fit by decreasing width. `first_open` is the first word that is not full.
    std::vector<int> used;
    std::size_t first_open = 0;
    for (int v : order) {
        const int width = bits(v);
        n_bits_ += width;
        while (first_open < used.size() && used[first_open] == 32) ++first_open;
        std::size_t word = first_open;
        while (word < used.size() && used[word] + width > 32) ++word;
        if (word == used.size()) used.push_back(0);
        layout_[v] = {static_cast<uint32_t>(word), static_cast<uint32_t>(used[word]),
                      static_cast<uint32_t>((uint64_t{1} << width) - 1)};
        used[word] += width;
        int32_t next = 1;
        for (int32_t atom : variables_[v]) slots_.at(atom) = {v, next++};
    }
    n_words_ = std::max<int>(1, static_cast<int>(used.size()));
}

void Packing::pack(std::span<const int32_t> atoms, Word* state) const {
    std::fill_n(state, n_words_, 0);
    for (int32_t atom : atoms) {
        const Slot s = slots_.at(atom);
        if (s.variable < 0) continue;
        const int32_t before = value(state, s.variable);
        if (before != 0 && before != s.value)
            throw std::invalid_argument("atoms " + std::to_string(variables_[s.variable][before - 1]) + " and " +
                                        std::to_string(atom) + " exclude each other");
        const Variable v = layout_[s.variable];
        state[v.word] |= static_cast<Word>(s.value) << v.shift;
    }
}

}  // namespace goalward
