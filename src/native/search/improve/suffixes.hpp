// The preconditions of each suffix of a plan, and an index of the shortest suffix that is applicable in a state.
//
// The plan is regressed from the goal: x_n = G, x_{j-1} = (x_j \ Add) ∪ Pre. From a state that contains x_j, the steps
// from state j on lead to the goal.
//
//     SuffixIndex index(problem, path);
//     const int j = index.last_applicable(state, first);   // the largest j >= first with x_j ⊆ state, or -1
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/improve/path.hpp"

namespace goalward {

// x_0 … x_n, packed like states: a mask of the variables with a condition, and the values that they must have.
class Suffixes {
public:
    Suffixes(const Problem& problem, const Path& path);

    int length() const { return n_; }
    // True if x_j ⊆ state.
    bool covered(int j, const Word* state) const {
        const std::size_t at = static_cast<std::size_t>(j) * n_words_;
        for (std::size_t w = 0; w < n_words_; ++w)
            if ((state[w] & mask_[at + w]) != bits_[at + w]) return false;
        return true;
    }
    // The values that x_j asks for, as packed words. They are equal only for equal x_j.
    std::span<const Word> values(int j) const { return {bits_.data() + static_cast<std::size_t>(j) * n_words_, n_words_}; }
    // Appends the atoms of x_j.
    void atoms(int j, std::vector<int32_t>& result) const {
        packing_->true_atoms(values(j).data(), result);
    }
    uint64_t bytes() const { return (mask_.capacity() + bits_.capacity()) * sizeof(Word); }

protected:
    const Packing* packing_;
    int n_;
    std::size_t n_words_;
    std::vector<Word> mask_, bits_;
};

// The test is bit-parallel for blocks of 64 suffixes. A block has a table with one word for each value of each variable
// on which one of the suffixes has a condition; bit p is set if the p-th suffix allows the value. AND-ing the words of
// the state's values gives the applicable suffixes. Usually few variables rule out all 64, so variables that did so
// recently are moved towards the front. The tables are made at the first lookup, because many plans are not looked up.
class SuffixIndex : public Suffixes {
public:
    using Suffixes::Suffixes;

    int last_applicable(const Word* state, int first) {
        if (blocks_.empty()) make_blocks();
        const int last = n_ - first;  // positions are counted from the goal: position 0 is x_n
        for (int b = 0; b * 64 <= last; ++b) {
            const int spare = b * 64 + 63 - last;
            const uint64_t wanted = spare > 0 ? ~uint64_t{0} >> spare : ~uint64_t{0};
            if (const uint64_t fits = matching(blocks_[b], state, wanted)) return n_ - b * 64 - std::countr_zero(fits);
        }
        return -1;
    }
    uint64_t bytes() const {
        uint64_t total = Suffixes::bytes() + blocks_.capacity() * sizeof(Block);
        for (const Block& b : blocks_)
            total += b.tests.capacity() * sizeof(Test) + b.table.capacity() * sizeof(uint64_t);
        return total;
    }

private:
    struct Test {
        Packing::Variable variable;
        uint32_t table;  // index of the variable's first word
    };
    struct Block {
        std::vector<Test> tests;
        std::vector<uint64_t> table;
    };

    static uint64_t matching(Block& block, const Word* state, uint64_t fits) {
        for (std::size_t i = 0; i < block.tests.size(); ++i) {
            const Test t = block.tests[i];
            fits &= block.table[t.table + ((state[t.variable.word] >> t.variable.shift) & t.variable.mask)];
            if (!fits) {
                std::swap(block.tests[i], block.tests[i / 2]);
                return 0;
            }
        }
        return fits;
    }
    void make_blocks();
    Block make_block(int first_position) const;

    std::vector<Block> blocks_;
};

}  // namespace goalward
