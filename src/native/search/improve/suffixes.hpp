// What each suffix of a plan needs, and the furthest suffix that a state can go on with.
//
// The plan is regressed from the goal: x_n = G, x_{j-1} = (x_j \ Add) ∪ Pre. A state that contains x_j reaches the goal
// by the plan's steps from j on, whatever else holds in it.
//
//     SuffixIndex index(problem, path);
//     const int j = index.furthest(state, least);   // the largest j >= least with x_j ⊆ state, or -1
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/improve/path.hpp"

namespace goalward {

// x_0 … x_n, packed like states: a mask of the variables that are asked about, and the values that they must have.
class Suffixes {
public:
    Suffixes(const Problem& problem, const Path& path);

    int length() const { return n_; }
    // Is x_j ⊆ state?
    bool covered(int j, const Word* state) const {
        const std::size_t at = static_cast<std::size_t>(j) * n_words_;
        for (std::size_t w = 0; w < n_words_; ++w)
            if ((state[w] & mask_[at + w]) != bits_[at + w]) return false;
        return true;
    }
    // Appends the atoms of x_j.
    void atoms(int j, std::vector<int32_t>& result) const {
        packing_->true_atoms(bits_.data() + static_cast<std::size_t>(j) * n_words_, result);
    }
    uint64_t bytes() const { return (mask_.capacity() + bits_.capacity()) * sizeof(Word); }

protected:
    const Packing* packing_;
    int n_;
    std::size_t n_words_;
    std::vector<Word> mask_, bits_;
};

// The test is bit-parallel: for 64 suffixes at a time there is a table with one word per value of each variable that one
// of them asks about, in which bit p says that the p-th of them has nothing against that value. AND-ing the words of the
// state's values leaves the suffixes that it can go on with. Few variables suffice to rule out all 64, and those that
// did so last are asked first.
class SuffixIndex : public Suffixes {
public:
    SuffixIndex(const Problem& problem, const Path& path);

    int furthest(const Word* state, int least) {
        const int last = n_ - least;  // positions count back from the goal: position 0 is x_n
        for (int b = 0; b * 64 <= last; ++b) {
            const int spare = b * 64 + 63 - last;
            const uint64_t wanted = spare > 0 ? ~uint64_t{0} >> spare : ~uint64_t{0};
            if (const uint64_t fits = ask(blocks_[b], state, wanted)) return n_ - b * 64 - std::countr_zero(fits);
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
        uint32_t table;  // where the variable's words begin
    };
    struct Block {
        std::vector<Test> tests;
        std::vector<uint64_t> table;
    };

    static uint64_t ask(Block& block, const Word* state, uint64_t fits) {
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
    Block make_block(int first_position) const;

    std::vector<Block> blocks_;
};

}  // namespace goalward
