// Costs as values of a heuristic: the largest float that is not above the cost.
//
// Costs above 2^24 do not all fit into a float, and rounding one up would make an admissible heuristic inadmissible.
#pragma once

#include <cmath>
#include <cstdint>

namespace goalward {

inline float rounded_down(int32_t value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) > value ? std::nextafter(nearest, 0.0f) : nearest;
}

}  // namespace goalward
