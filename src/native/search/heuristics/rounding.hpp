// Costs as floats.
#pragma once

#include <cmath>
#include <cstdint>

namespace goalward {

// Large costs do not fit into a float; rounding them up would make a heuristic inadmissible.
inline float rounded_down(int32_t value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) > value ? std::nextafter(nearest, 0.0f) : nearest;
}

}  // namespace goalward
