// Full states drawn from pre-images, and their labels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "task/rows.hpp"

namespace goalward {

struct SampleSpace {
    int n_atoms = 0;
    std::vector<uint64_t> core;  // bit mask of the atoms that are sampled
    Rows groups;                 // mutex groups over those atoms
    Rows groups_of;              // per atom
    std::vector<int32_t> complement_of;  // per atom: the atom it negates, or -1
};

// Draws one state per entry of `chosen`, which is the index of a row of `forced` atoms, or -1 for no forced atoms.
//
// With an empty pool, each other atom is true with probability one half. Then mutex groups are repaired in random
// order: a group with several true atoms keeps a forced one or, if there is none, a random one. With a pool (bit rows),
// the other atoms are those of a random state of the pool, except that atoms that are mutex with a forced atom become
// false.
//
// `go_on` is called about twenty times a second; once it returns false, the states so far are returned, at least some.
std::vector<uint64_t> sample_states(const SampleSpace& space, const Rows& forced, std::span<const int32_t> chosen,
                                    std::span<const uint64_t> pool, uint64_t seed, const std::function<bool()>& go_on);

// Labels states (bit rows) with d(s) = min{depth of x : x ⊆ s}, or `otherwise` if s contains no pre-image. Once `go_on`
// returns false, the remaining states get -1. They are spread evenly over all states.
std::vector<int32_t> label_states(const Rows& preimages, std::span<const int32_t> depth, int n_atoms,
                                  std::span<const uint64_t> states, int32_t otherwise,
                                  const std::function<bool()>& go_on);

}  // namespace goalward
