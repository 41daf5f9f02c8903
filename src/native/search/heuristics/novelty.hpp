// Novelty of states: whether a state has an atom or a pair of atoms that no earlier state of its partition had.
//
// A state has novelty 1 if it is the first of its partition with some atom, 2 if it is the first with some pair of
// atoms, 3 otherwise (Lipovetzky and Geffner 2012, 2017). Each partition has a bit per atom and a bit per pair.
//
// Atoms are numbered, and the pairs form a triangular bit matrix: row i has a bit for each j < i, and there are no gaps
// between rows. For a fresh atom i, the pairs with smaller numbers are in row i and are tested word by word. The pair
// with a larger number j is a single bit in row j. Numbers are given to variables from the last to the first, because
// the first have the most atoms. So atoms that are often true together share words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/core/mapped.hpp"
#include "task/packing.hpp"

namespace goalward {

// The set of a state's atoms, as a bit set over their numbers.
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

    // The number of the atom that corresponds to a value of a variable. The value must not be 0.
    std::size_t number(int32_t variable, int32_t value) const {
        return first_[static_cast<std::size_t>(variable)] + static_cast<std::size_t>(value - 1);
    }
    std::size_t n_numbers() const { return n_; }

    // Limits the memory of all tables together. If the pairs of a partition do not fit, its states have novelty 1 or 3
    // until the limit is raised.
    void set_max_bytes(uint64_t bytes) { max_bytes_ = bytes; }
    // Returns the novelty of a state and adds its atoms and pairs to the partition. Only the atoms in `fresh` and their
    // pairs are tested: use this if all other atoms and pairs are known to be in the partition.
    int see(uint32_t partition, const NumberedAtoms& state, std::span<const int32_t> fresh);
    // The same, but tests all atoms and pairs of the state.
    int see(uint32_t partition, const NumberedAtoms& state);

    uint64_t bytes() const { return bytes_; }
    // The number of atoms and pairs tested so far.
    uint64_t effort() const { return effort_; }

private:
    struct Partition {
        std::vector<uint64_t> atoms;
        MappedArray<uint64_t> pairs;
    };

    Partition& at(uint32_t partition);

    std::vector<std::size_t> first_;   // number of each variable's first atom
    std::vector<std::size_t> number_;  // of each atom
    std::size_t n_ = 0;
    uint64_t max_bytes_ = 0, bytes_ = 0, effort_ = 0;
    std::vector<Partition> partitions_;
};

}  // namespace goalward
