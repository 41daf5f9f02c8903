// A list of integer lists as compressed rows, like the Python class Rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace goalward {

struct Rows {
    std::vector<int32_t> offsets{0};
    std::vector<int32_t> values;

    std::size_t size() const { return offsets.size() - 1; }
    std::span<const int32_t> operator[](std::size_t i) const {
        return {values.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }
    void push_back(std::span<const int32_t> row) {
        if (values.size() + row.size() > static_cast<std::size_t>(std::numeric_limits<int32_t>::max()))
            throw std::overflow_error("more than 2^31 entries in one list");
        values.insert(values.end(), row.begin(), row.end());
        offsets.push_back(static_cast<int32_t>(values.size()));
    }
};

}  // namespace goalward
