// Large arrays in memory of their own (mmap), which is returned to the operating system when they are freed. In the
// C library's heap, arrays that grow step by step would leave unused holes.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace goalward {

template <class T>
class MappedArray {
public:
    MappedArray() = default;
    explicit MappedArray(std::size_t size) : size_(size) {
        if (!size) return;
        void* memory = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<T*>(memory);  // zero-initialised
    }
    MappedArray(MappedArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    MappedArray& operator=(MappedArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~MappedArray() {
        if (data_) munmap(static_cast<void*>(data_), size_ * sizeof(T));
    }

    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    // Grows the array to at least `needed` elements, by half of its size or more, so that it does not grow often.
    void ensure_size(std::size_t needed) {
        if (needed > size_) grow(std::max<std::size_t>(needed, 4096 + size_ * 3 / 2));
    }

    // Uses mremap on Linux, which moves pages without copying them.
    void grow(std::size_t size) {
#ifdef __linux__
        if (data_) {
            void* memory = mremap(static_cast<void*>(data_), size_ * sizeof(T), size * sizeof(T), MREMAP_MAYMOVE);
            if (memory == MAP_FAILED) throw std::bad_alloc();
            data_ = static_cast<T*>(memory);
            size_ = size;
            return;
        }
#endif
        MappedArray larger(size);
        if (size_) std::memcpy(static_cast<void*>(larger.data_), static_cast<const void*>(data_), size_ * sizeof(T));
        *this = std::move(larger);
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace goalward
