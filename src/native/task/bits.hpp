// Batches of states as they cross the boundary: one row of bits per state, in 64-bit words.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

using Ints = nanobind::ndarray<const int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using BitRows = nanobind::ndarray<const uint64_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline std::size_t bit_words(int n_atoms) { return (static_cast<std::size_t>(n_atoms) + 63) / 64; }

inline void check_width(const Problem& problem, const BitRows& bits) {
    if (bits.shape(1) != bit_words(problem.packing().n_atoms()))
        throw std::invalid_argument("the bit rows do not fit the number of atoms");
}

inline void read_bits(const BitRows& bits, std::size_t row, int n_atoms, std::vector<int32_t>& atoms) {
    atoms.clear();
    const uint64_t* words = bits.data() + row * bits.shape(1);
    for (std::size_t w = 0; w < bits.shape(1); ++w)
        for (uint64_t rest = words[w]; rest; rest &= rest - 1) {
            const int atom = static_cast<int>(w * 64) + std::countr_zero(rest);
            if (atom >= n_atoms) throw std::invalid_argument("a bit beyond the last atom is set");
            atoms.push_back(atom);
        }
}

}  // namespace goalward
