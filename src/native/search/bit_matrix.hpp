// Rows of bits of equal width, in 64-bit words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace goalward {

class BitMatrix {
public:
    BitMatrix() = default;
    BitMatrix(std::size_t rows, std::size_t columns) : width_((columns + 63) / 64), words_(rows * width_) {}

    std::size_t width() const { return width_; }  // in words
    uint64_t* operator[](std::size_t row) { return words_.data() + row * width_; }
    const uint64_t* operator[](std::size_t row) const { return words_.data() + row * width_; }
    bool test(std::size_t row, std::size_t column) const { return (*this)[row][column / 64] >> (column % 64) & 1; }
    void set(std::size_t row, std::size_t column) { (*this)[row][column / 64] |= uint64_t{1} << (column % 64); }
    void reset(std::size_t row, std::size_t column) { (*this)[row][column / 64] &= ~(uint64_t{1} << (column % 64)); }

private:
    std::size_t width_ = 0;
    std::vector<uint64_t> words_;
};

// Calls function(column) for each set bit, in ascending order.
template <class Function>
void for_each_bit(const uint64_t* row, std::size_t width, Function&& function) {
    for (std::size_t w = 0; w < width; ++w)
        for (uint64_t rest = row[w]; rest; rest &= rest - 1)
            function(static_cast<int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
}

// Does every bit of `row` stand in `other` too?
inline bool is_subset(const uint64_t* row, const uint64_t* other, std::size_t width) {
    for (std::size_t w = 0; w < width; ++w)
        if (row[w] & ~other[w]) return false;
    return true;
}

}  // namespace goalward
