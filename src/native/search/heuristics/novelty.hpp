// What is new in a state: an atom, or a pair of atoms, that no state of the same partition has had before.
//
// A state has novelty 1 if it is the first of its partition with some atom, 2 if it is the first with some pair of
// atoms, 3 otherwise (Lipovetzky and Geffner 2012, 2017). Each partition has a bit per atom and a bit per pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/core/mapped.hpp"
#include "task/packing.hpp"

namespace goalward {

class NoveltyTables {
public:
    explicit NoveltyTables(const Packing& packing);

    // From now on tables may take so many bytes together. A partition that finds no room for its pairs goes without
    // them until there is.
    void allow(uint64_t bytes) { allowed_ = bytes; }
    // The novelty of a state of this partition, which then counts as seen. `atoms` are all its stored atoms; only those
    // in `fresh` can be new by themselves or make a new pair.
    int see(uint32_t partition, std::span<const int32_t> atoms, std::span<const int32_t> fresh);

    uint64_t bytes() const { return bytes_; }
    // Atoms and pairs looked up so far.
    uint64_t effort() const { return effort_; }

private:
    struct Partition {
        std::vector<uint64_t> atoms;
        MappedArray<uint64_t> pairs;
    };

    Partition& at(uint32_t partition);

    std::vector<int32_t> number_;  // of each stored atom
    std::size_t n_ = 0;
    uint64_t allowed_ = 0, bytes_ = 0, effort_ = 0;
    std::vector<Partition> partitions_;
    std::vector<int32_t> numbers_;
};

}  // namespace goalward
