// A conjunction of atoms, compiled for tests on packed states: a problem's goal, or a part of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/packing.hpp"

namespace goalward {

class Goal {
public:
    // Atoms that are not stored count as true.
    Goal(std::vector<int32_t> atoms, const Packing& packing);

    std::span<const int32_t> atoms() const { return atoms_; }
    bool holds(const Word* state) const {
        for (const Test& t : tests_)
            if ((state[t.word] & t.mask) != t.bits) return false;
        return true;
    }

private:
    struct Test {
        uint32_t word, mask, bits;
    };

    std::vector<int32_t> atoms_;
    std::vector<Test> tests_;  // one per word
};

}  // namespace goalward
