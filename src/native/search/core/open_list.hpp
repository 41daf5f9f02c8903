// Open lists: priority queues of states that were evaluated but not expanded yet. Ties are broken first in, first out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>

#include "search/core/mapped.hpp"

namespace goalward {

// Maps floats to integers in the same order; NaN is the largest.
inline uint32_t ordered(float x) {
    if (x != x) return 0xffffffff;
    const auto bits = std::bit_cast<uint32_t>(x + 0.0f);  // + 0 turns -0 into 0
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

// Greedy search inserts every state once, and ids ascend in order of insertion. So one word with h and id has both the
// priority and the first-in, first-out tie-breaking.
struct GreedyEntry {
    uint64_t key;

    GreedyEntry(float h, uint32_t id) : GreedyEntry(ordered(h), id) {}
    GreedyEntry(uint32_t rank, uint32_t id) : key(uint64_t{rank} << 32 | id) {}
    uint32_t id() const { return static_cast<uint32_t>(key); }
    uint32_t rank() const { return static_cast<uint32_t>(key >> 32); }
    bool operator<(const GreedyEntry& other) const { return key < other.key; }
};
static_assert(sizeof(GreedyEntry) == 8);

// A* inserts a state again if it finds a cheaper path. Lower h breaks ties of f.
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

// A 4-ary heap whose entries compare as plain values.
template <class EntryType>
class Heap {
public:
    using Entry = EntryType;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    uint64_t bytes() const { return size_ * sizeof(Entry); }
    const Entry& top() const { return data_[0]; }
    void clear() { size_ = 0; }

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

// An open list for greedy search with a heuristic that has few distinct values: one queue of ids for each value. It
// needs half the memory of a heap and no sifting. Queues are linked lists of small blocks from one array with a free
// list.
class Buckets {
public:
    using Entry = GreedyEntry;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    uint64_t bytes() const { return used_ * sizeof(Block); }

    void push(Entry entry) {
        Queue& queue = queues_[entry.rank()];
        if (queue.end == block_size) {
            const uint32_t block = take_block();
            if (queue.tail == none)
                queue.head = block;
            else
                blocks_[queue.tail].next = block;
            queue.tail = block;
            queue.end = 0;
        }
        blocks_[queue.tail].ids[queue.end++] = entry.id();
        ++size_;
    }

    Entry top() const {
        const auto& [rank, queue] = *queues_.begin();
        return {rank, blocks_[queue.head].ids[queue.begin]};
    }

    Entry pop() {
        const auto best = queues_.begin();
        Queue& queue = best->second;
        const Entry result(best->first, blocks_[queue.head].ids[queue.begin++]);
        --size_;
        const bool last = queue.head == queue.tail && queue.begin == queue.end;
        if (last || queue.begin == block_size) {
            const uint32_t block = queue.head;
            queue.head = blocks_[block].next;
            queue.begin = 0;
            blocks_[block].next = free_;
            free_ = block;
        }
        if (last) queues_.erase(best);
        return result;
    }

private:
    static constexpr uint32_t none = 0xffffffff;
    static constexpr uint32_t block_size = 31;
    struct Block {
        uint32_t next;
        uint32_t ids[block_size];
    };
    struct Queue {
        uint32_t head = none, tail = none;
        uint32_t begin = 0, end = block_size;  // index in the first block, and in the last one
    };

    uint32_t take_block() {
        uint32_t block = free_;
        if (block != none) {
            free_ = blocks_[block].next;
        } else {
            if (used_ == blocks_.size()) blocks_.grow(used_ ? used_ + used_ / 2 : 256);
            block = static_cast<uint32_t>(used_++);
        }
        blocks_[block].next = none;
        return block;
    }

    MappedArray<Block> blocks_;
    std::size_t used_ = 0, size_ = 0;
    uint32_t free_ = none;
    std::map<uint32_t, Queue> queues_;
};

}  // namespace goalward
