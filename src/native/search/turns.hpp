// A search that works on for a given effort and then gives way to others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/result.hpp"

namespace goalward {

class TurnSearch {
public:
    virtual ~TurnSearch() = default;

    // Looks at the initial state; a status where that is all there is to do.
    virtual std::optional<Status> start(std::span<const int32_t> init) = 0;
    // Searches on for about so much effort (see Guide::effort); a status where the search has come to its end.
    virtual std::optional<Status> advance(uint64_t effort) = 0;

    virtual uint64_t effort() const = 0;
    virtual Statistics statistics() const = 0;
    virtual std::vector<int32_t> plan() = 0;
    // The queue that led to the goal; empty where the goal was met while the initial state was expanded.
    virtual const std::string& led_by() const = 0;
};

}  // namespace goalward
