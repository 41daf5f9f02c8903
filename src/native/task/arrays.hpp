// Conversions between NumPy and C++: integer arrays, and batches of states as bit rows of 64-bit words.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "task/problem.hpp"

namespace goalward {

using Ints = nanobind::ndarray<const int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Bytes = nanobind::ndarray<const uint8_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using BitRows = nanobind::ndarray<const uint64_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline std::vector<int32_t> to_vector(const Ints& array) { return {array.data(), array.data() + array.size()}; }

// Arrays may come from a manipulated file. Python checks what it reads; this is the last check before native code uses
// the numbers as indices.
inline void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(std::string("damaged arrays: ") + what);
}
// Copies an array; throws unless all numbers are in [min, end).
inline std::vector<int32_t> to_vector(const Ints& array, int64_t min, int64_t end) {
    for (std::size_t i = 0; i < array.size(); ++i)
        require(array.data()[i] >= min && array.data()[i] < end, "a number is out of bounds");
    return to_vector(array);
}
// Rows of numbers in [0, end).
inline Rows to_rows(const Ints& offsets, const Ints& values, int64_t end) {
    const std::size_t n = offsets.size();
    require(n > 0 && offsets.data()[0] == 0, "rows do not start at 0");
    for (std::size_t i = 1; i < n; ++i) require(offsets.data()[i - 1] <= offsets.data()[i], "offsets are not ascending");
    require(static_cast<std::size_t>(offsets.data()[n - 1]) == values.size(), "rows do not cover their values");
    return {to_vector(offsets), to_vector(values, 0, end)};
}
// The same; each row must be strictly ascending.
inline Rows to_sorted_rows(const Ints& offsets, const Ints& values, int64_t end) {
    Rows rows = to_rows(offsets, values, end);
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 1; j < rows[i].size(); ++j)
            require(rows[i][j - 1] < rows[i][j], "a row is not sorted, or has duplicates");
    return rows;
}

// NumPy arrays that take over a vector's memory.
template <class T>
auto to_numpy(std::vector<T>&& values) {
    auto* vector = new std::vector<T>(std::move(values));
    nanobind::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(vector->data(), {vector->size()}, owner);
}
template <class T>
auto to_matrix(std::vector<T>&& values, std::size_t rows, std::size_t width) {
    auto* vector = new std::vector<T>(std::move(values));
    nanobind::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(vector->data(), {rows, width}, owner);
}
inline auto to_bit_rows(std::vector<uint64_t>&& values, std::size_t width) {
    const std::size_t rows = width ? values.size() / width : 0;
    return to_matrix(std::move(values), rows, width);
}

// Wraps the Python callback `go_on` for native loops, which call it about twenty times a second without holding the
// GIL. It also runs pending signal handlers, so that an exception from one (Ctrl-C) ends the loop and reaches the
// caller.
inline auto polling(const std::optional<nanobind::callable>& go_on) {
    return [&go_on] {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        return !go_on || nanobind::cast<bool>((*go_on)());
    };
}

inline std::size_t bit_words(int n_atoms) { return (static_cast<std::size_t>(n_atoms) + 63) / 64; }

inline void check_width(const Problem& problem, const BitRows& bits) {
    if (bits.shape(1) != bit_words(problem.packing().n_atoms()))
        throw std::invalid_argument("the width of the bit rows does not match the number of atoms");
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

struct PackedStates {  // a batch of states from Python, packed for a problem
    std::vector<Word> words;
    std::vector<const Word*> states;
};

inline PackedStates pack(const Problem& problem, const BitRows& bits) {
    PackedStates result;
    const std::size_t width = problem.packing().n_words(), n = bits.shape(0);
    check_width(problem, bits);
    result.words.resize(width * n);
    std::vector<int32_t> atoms;
    for (std::size_t i = 0; i < n; ++i) {
        read_bits(bits, i, problem.packing().n_atoms(), atoms);
        problem.packing().pack(atoms, result.words.data() + i * width);
        result.states.push_back(result.words.data() + i * width);
    }
    return result;
}

}  // namespace goalward
