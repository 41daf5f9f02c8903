// The first layer of a network in training. Forward: sums of the table's rows of all true atoms. Backward: gradients of
// the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace goalward {

// States as bit rows of `words` words each. If a state differs from the one before in fewer atoms than it has true
// ones, as successors of the same state do, only the difference is computed.
struct TrueAtoms {
    std::span<const uint64_t> bits;
    std::size_t words;
};

// sums[i] = Σ table[atom] over the atoms that are true in state i; rows of `width` floats.
void sum_rows(const TrueAtoms& states, const float* table, std::size_t width, std::span<float> sums);
// table[atom] += Σ gradients[i] over the states i in which the atom is true.
void add_to_rows(const TrueAtoms& states, std::span<const float> gradients, std::size_t width, float* table);

}  // namespace goalward
