// A growing array that never moves its elements, so that pointers stay valid and growth needs no copy.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace goalward {

// Elements of `width` items of T each (width 1 for a plain array).
template <class T>
class Chunked {
public:
    explicit Chunked(std::size_t width = 1) : width_(width) {
        constexpr std::size_t chunk_bytes = 256 * 1024;
        shift_ = static_cast<int>(std::bit_width(chunk_bytes / (width * sizeof(T)) | 1)) - 1;
    }
    std::size_t size() const { return size_; }
    uint64_t bytes() const { return chunks_.size() * (sizeof(T) * width_ << shift_); }
    T* operator[](std::size_t i) { return chunks_[i >> shift_].get() + (i & mask()) * width_; }
    const T* operator[](std::size_t i) const { return chunks_[i >> shift_].get() + (i & mask()) * width_; }

    // Space for one more element at the end, uninitialised; commit() adds it.
    T* next() {
        if ((size_ >> shift_) == chunks_.size()) chunks_.emplace_back(new T[width_ << shift_]);
        return (*this)[size_];
    }
    void commit() { ++size_; }

private:
    std::size_t mask() const { return (std::size_t{1} << shift_) - 1; }

    std::size_t width_, size_ = 0;
    int shift_;
    std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace goalward
