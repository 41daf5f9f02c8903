// The first layer of a network as training needs it: rows of a table summed over the true atoms of states, and gradients
// of these sums handed back to the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace goalward {

// States as rows of `words` words of bits each. Where a state differs from the one before it in fewer atoms than are true
// in it, as the successors of one state do, only the differences are looked at.
struct TrueAtoms {
    std::span<const uint64_t> bits;
    std::size_t words;
};

// sums[i] = Σ table[atom] over the atoms that are true in state i; rows of `width` floats.
void sum_rows(const TrueAtoms& states, const float* table, std::size_t width, std::span<float> sums);
// table[atom] += Σ gradients[i] over the states i in which the atom is true.
void add_to_rows(const TrueAtoms& states, std::span<const float> gradients, std::size_t width, float* table);

}  // namespace goalward
