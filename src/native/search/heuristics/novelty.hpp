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

// The stored atoms of a state as bits at their numbers.
class NumberedAtoms {
public:
    std::span<const uint64_t> words() const { return words_; }
    std::size_t size() const { return size_; }
    void clear(std::size_t n_numbers) {
        words_.assign((n_numbers + 63) / 64, 0);
        size_ = 0;
    }
    void insert(std::size_t number) {
        size_ += !(words_[number / 64] >> (number % 64) & 1);
        words_[number / 64] |= uint64_t{1} << (number % 64);
    }
    void erase(std::size_t number) {
        size_ -= words_[number / 64] >> (number % 64) & 1;
        words_[number / 64] &= ~(uint64_t{1} << (number % 64));
    }

private:
    std::vector<uint64_t> words_;
    std::size_t size_ = 0;
};

class NoveltyTables {
public:
    explicit NoveltyTables(const Packing& packing);

    // The number of the atom that a value of a variable stands for; the value is not 0.
    std::size_t number(int32_t variable, int32_t value) const {
        return first_[static_cast<std::size_t>(variable)] + static_cast<std::size_t>(value - 1);
    }
    std::size_t n_numbers() const { return n_; }

    // From now on tables may take so many bytes together. A partition that finds no room for its pairs goes without
    // them until there is.
    void allow(uint64_t bytes) { allowed_ = bytes; }
    // The novelty of a state of this partition, which then counts as seen. Only those of its atoms that are in `fresh`
    // can be new by themselves or make a new pair.
    int see(uint32_t partition, const NumberedAtoms& state, std::span<const int32_t> fresh);
    // The same if any atom of the state can be new.
    int see(uint32_t partition, const NumberedAtoms& state);

    uint64_t bytes() const { return bytes_; }
    // Atoms and pairs looked up so far.
    uint64_t effort() const { return effort_; }

private:
    struct Partition {
        std::vector<uint64_t> atoms;
        MappedArray<uint64_t> pairs;
    };

    Partition& at(uint32_t partition);

    std::vector<std::size_t> first_;   // number of each variable's first atom
    std::vector<std::size_t> number_;  // of each stored atom
    std::size_t n_ = 0;
    uint64_t allowed_ = 0, bytes_ = 0, effort_ = 0;
    std::vector<Partition> partitions_;
};

}  // namespace goalward
