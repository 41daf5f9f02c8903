// The open list: a 4-ary heap whose entries compare as plain values; first in, first out among equals.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "search/mapped.hpp"

namespace goalward {

// Maps floats to integers of the same order; NaN counts as the largest.
inline uint32_t ordered(float x) {
    if (x != x) return 0xffffffff;
    const auto bits = std::bit_cast<uint32_t>(x + 0.0f);  // + 0 turns -0 into 0
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

// Greedy search puts every state in once, and ids count up in order of insertion: h and id in one word are both the
// priority and the FIFO tie-break.
struct GreedyEntry {
    uint64_t key;

    GreedyEntry(float h, uint32_t id) : key(uint64_t{ordered(h)} << 32 | id) {}
    uint32_t id() const { return static_cast<uint32_t>(key); }
    bool operator<(const GreedyEntry& other) const { return key < other.key; }
};
static_assert(sizeof(GreedyEntry) == 8);

// A* may put a state in again when it finds a cheaper path. Among equal f the lower h goes first.
struct CostEntry {
    double f;
    float h;
    uint32_t order;
    uint32_t state;

    bool operator<(const CostEntry& other) const {
        if (f != other.f) return f < other.f;
        if (h != other.h) return h < other.h;
        return order < other.order;
    }
};
static_assert(sizeof(CostEntry) == 24);

template <class Entry>
class OpenList {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    uint64_t bytes() const { return size_ * sizeof(Entry); }
    const Entry& top() const { return data_[0]; }

    void push(Entry entry) {
        if (size_ == data_.size()) data_.grow(size_ ? size_ + size_ / 2 : 4096);
        std::size_t i = size_++;
        while (i > 0) {
            const std::size_t parent = (i - 1) / 4;
            if (!(entry < data_[parent])) break;
            data_[i] = data_[parent];
            i = parent;
        }
        data_[i] = entry;
    }

    Entry pop() {
        const Entry result = data_[0];
        const Entry last = data_[--size_];
        std::size_t i = 0;
        for (;;) {
            const std::size_t first = 4 * i + 1;
            if (first >= size_) break;
            std::size_t best = first;
            const std::size_t end = first + 4 < size_ ? first + 4 : size_;
            for (std::size_t c = first + 1; c < end; ++c)
                if (data_[c] < data_[best]) best = c;
            if (!(data_[best] < last)) break;
            data_[i] = data_[best];
            i = best;
        }
        data_[i] = last;
        return result;
    }

private:
    MappedArray<Entry> data_;
    std::size_t size_ = 0;
};

}  // namespace goalward
