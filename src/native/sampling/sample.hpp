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
    std::vector<uint64_t> core;  // bit mask of the atoms that are sampled at all
    Rows groups;                 // mutex groups over those atoms
    Rows groups_of;              // per atom
    std::vector<int32_t> complement_of;  // per atom: the atom it negates, or -1
};

// One state per entry of `chosen`, which names a row of `forced` or is -1 for a state with nothing forced.
//
// With an empty pool an unforced atom is true with probability one half, and mutex groups are then visited in random
// order: a group with several true atoms keeps a forced one if there is one, else a random one. With a pool (bit rows)
// the unforced atoms come from one of its states, drawn at random, and give way where they exclude a forced atom.
//
// `go_on` is asked about twenty times a second; when it returns false, the states so far are given, at least some.
std::vector<uint64_t> sample_states(const SampleSpace& space, const Rows& forced, std::span<const int32_t> chosen,
                                    std::span<const uint64_t> pool, uint64_t seed, const std::function<bool()>& go_on);

// d(s) = min{depth of x : x ⊆ s}, or `otherwise` where no pre-image holds, for states given as bit rows. When `go_on`
// returns false, the states that have no label yet, spread over all of them, get -1.
std::vector<int32_t> label_states(const Rows& preimages, std::span<const int32_t> depth, int n_atoms,
                                  std::span<const uint64_t> states, int32_t otherwise,
                                  const std::function<bool()>& go_on);

}  // namespace goalward
