// A search that can be advanced in steps of a given effort, so that several searches can share the time.
//
// Effort is counted and not timed, in units of about a nanosecond on a core of 2020. So a search does the same within a
// given effort in every run and on every machine, regardless of how the effort is divided into turns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/core/result.hpp"

namespace goalward {

class Search {
public:
    Search() = default;
    virtual ~Search() = default;
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // Evaluates the initial state. Returns a status if that ends the search. Throws OutOfBudget.
    virtual std::optional<Status> start(std::span<const int32_t> init) = 0;
    // Continues the search for about `effort` units. Returns a status if the search ends. After out_of_memory, it may
    // be advanced again once memory has been freed.
    virtual std::optional<Status> advance(uint64_t effort) = 0;

    virtual uint64_t effort() const = 0;
    virtual uint64_t bytes() const = 0;
    virtual Statistics statistics() const = 0;
    virtual std::vector<int32_t> plan() = 0;
    // The queue from which the goal was reached; empty if it was found before any queue was served.
    virtual const std::string& led_by() const = 0;
    // The state that would be expanded next, as bits over all atoms; empty if the search does not keep states in order.
    virtual std::vector<uint64_t> next_state() const { return {}; }
};

}  // namespace goalward
