// A matrix of bits, stored in rows of 64-bit words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace goalward {

// Creating a large matrix is cheap: the operating system provides zeroed memory when a page is first written to.
class BitMatrix {
public:
    BitMatrix() = default;
    BitMatrix(std::size_t rows, std::size_t columns) : width_((columns + 63) / 64), rows_(rows) {
        words_.reset(static_cast<uint64_t*>(std::calloc(rows * width_ + 1, sizeof(uint64_t))));
        if (!words_) throw std::bad_alloc();
    }

    std::size_t width() const { return width_; }  // in words
    uint64_t bytes() const { return rows_ * width_ * sizeof(uint64_t); }
    uint64_t* operator[](std::size_t row) { return words_.get() + row * width_; }
    const uint64_t* operator[](std::size_t row) const { return words_.get() + row * width_; }
    bool test(std::size_t row, std::size_t column) const { return (*this)[row][column / 64] >> (column % 64) & 1; }
    void set(std::size_t row, std::size_t column) { (*this)[row][column / 64] |= uint64_t{1} << (column % 64); }
    void reset(std::size_t row, std::size_t column) { (*this)[row][column / 64] &= ~(uint64_t{1} << (column % 64)); }

private:
    struct Free {
        void operator()(uint64_t* words) const { std::free(words); }
    };

    std::size_t width_ = 0, rows_ = 0;
    std::unique_ptr<uint64_t[], Free> words_;
};

// Calls function(column) for each set bit, in ascending order.
template <class Function>
void for_each_bit(const uint64_t* row, std::size_t width, Function&& function) {
    for (std::size_t w = 0; w < width; ++w)
        for (uint64_t rest = row[w]; rest; rest &= rest - 1)
            function(static_cast<int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
}

// Sets all bits that are set in another row. Does not write to words of which the other row has no bits.
inline void include(uint64_t* row, const uint64_t* other, std::size_t width) {
    for (std::size_t w = 0; w < width; ++w)
        if (other[w]) row[w] |= other[w];
}

// True if all bits of `row` are set in `other`.
inline bool is_subset(const uint64_t* row, const uint64_t* other, std::size_t width) {
    for (std::size_t w = 0; w < width; ++w)
        if (row[w] & ~other[w]) return false;
    return true;
}

}  // namespace goalward
