// A small and fast random generator (xoshiro256**, public domain algorithm by Blackman and Vigna). It gives the same
// numbers on every machine, which the standard library's distributions do not guarantee.
#pragma once

#include <cstdint>

namespace goalward {

class Random {
public:
    explicit Random(uint64_t seed) {
        for (uint64_t& s : state_) {  // splitmix64 expands the seed to the whole state
            uint64_t z = (seed += 0x9e3779b97f4a7c15);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
            s = z ^ (z >> 31);
        }
    }
    uint64_t next() {
        const uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotate(state_[3], 45);
        return result;
    }
    // Uniform in [0, n), n > 0, without modulo bias.
    uint32_t below(uint32_t n) {
        uint64_t product = (next() >> 32) * n;
        if (static_cast<uint32_t>(product) < n) {
            const uint32_t threshold = (0u - n) % n;
            while (static_cast<uint32_t>(product) < threshold) product = (next() >> 32) * n;
        }
        return static_cast<uint32_t>(product >> 32);
    }

private:
    static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    uint64_t state_[4];
};

}  // namespace goalward
