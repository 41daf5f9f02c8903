// What is new in a state: an atom, or a pair of atoms, that no state of the same partition has had before.
//
// A state has novelty 1 if it is the first of its partition with some atom, 2 if it is the first with some pair of
// atoms, 3 otherwise (Lipovetzky and Geffner 2012, 2017). Each partition has a bit per atom and a bit per pair.
//
// The stored atoms are numbered, and the pairs form a triangle: row i has a bit for each j < i, and rows follow each
// other without gaps. For a fresh atom i, the pairs with smaller numbers are tested a word at a time in row i; those
// with larger numbers j are one bit each in row j. Variables are numbered from the last to the first, because the first
// have the most atoms: atoms that are often true together then share words, and the rest has few atoms per state.
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
    // The novelty of a state of this partition, which then counts as seen. `atoms` are all its stored atoms in the
    // order of Packing::true_atoms; only those in `fresh`, in any order, can be new by themselves or make a new pair.
    int see(uint32_t partition, std::span<const int32_t> atoms, std::span<const int32_t> fresh);

    uint64_t bytes() const { return bytes_; }
    // Atoms and pairs looked up so far.
    uint64_t effort() const { return effort_; }

private:
    struct Partition {
        std::vector<uint64_t> atoms;
        MappedArray<uint64_t> pairs;
    };
    struct Bits {  // those of a state in one word of a row
        uint32_t word;
        uint64_t bits;
    };

    Partition& at(uint32_t partition);
    bool claim_smaller(MappedArray<uint64_t>& pairs, std::size_t i) const;
    bool claim_larger(MappedArray<uint64_t>& pairs, std::size_t i) const;

    std::vector<int32_t> number_;  // of each stored atom
    std::size_t n_ = 0;
    uint64_t allowed_ = 0, bytes_ = 0, effort_ = 0;
    std::vector<Partition> partitions_;
    // Of the state in hand.
    std::vector<uint32_t> numbers_;  // descending
    std::vector<Bits> bits_;         // ascending, without empty words
};

}  // namespace goalward
