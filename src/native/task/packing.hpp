// States packed by finite-domain variables.
//
// A variable is a set of atoms of which at most one is true. Its value is 0 if none is true, and i if its i-th atom is.
// A variable of k atoms takes ceil(log2(k + 1)) bits, all in one word, so reading and writing it needs a shift and a
// mask. Atoms outside all variables (irrelevant to the goal) are not stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/rows.hpp"

namespace goalward {

using Word = uint32_t;

class Packing {
public:
    struct Variable {
        uint32_t word;
        uint32_t shift;
        uint32_t mask;  // before shifting
    };
    struct Slot {
        int32_t variable = -1;  // -1: the atom is not stored
        int32_t value = 0;
    };

    Packing(Rows variables, int n_atoms);

    int n_words() const { return n_words_; }
    int n_bits() const { return n_bits_; }
    int n_atoms() const { return static_cast<int>(slots_.size()); }
    int n_variables() const { return static_cast<int>(layout_.size()); }
    int domain_size(int variable) const { return static_cast<int>(variables_[variable].size()) + 1; }
    Slot slot(int atom) const { return slots_[atom]; }
    Variable layout(int variable) const { return layout_[variable]; }

    int32_t value(const Word* state, int variable) const {
        const Variable v = layout_[variable];
        return static_cast<int32_t>((state[v.word] >> v.shift) & v.mask);
    }
    bool holds(const Word* state, int atom) const {
        const Slot s = slots_[atom];
        return value(state, s.variable) == s.value;
    }
    void unpack(const Word* state, int32_t* values) const {
        for (int v = 0; v < n_variables(); ++v) values[v] = value(state, v);
    }
    // Appends the true atoms, in the order of the variables.
    void true_atoms(const Word* state, std::vector<int32_t>& atoms) const {
        for (int v = 0; v < n_variables(); ++v)
            if (const int32_t x = value(state, v)) atoms.push_back(variables_[v][x - 1]);
    }
    // Writes a state as a bit row over all atoms; `bits` are n_bit_words() words that must be 0.
    std::size_t n_bit_words() const { return (slots_.size() + 63) / 64; }
    void write_bits(const Word* state, uint64_t* bits) const {
        for (int v = 0; v < n_variables(); ++v)
            if (const int32_t x = value(state, v)) {
                const int32_t atom = variables_[v][x - 1];
                bits[atom / 64] |= uint64_t{1} << (atom % 64);
            }
    }
    // Throws std::invalid_argument if two atoms belong to the same variable.
    void pack(std::span<const int32_t> atoms, Word* state) const;

private:
    Rows variables_;
    std::vector<Variable> layout_;
    std::vector<Slot> slots_;
    int n_words_ = 0;
    int n_bits_ = 0;
};

}  // namespace goalward
