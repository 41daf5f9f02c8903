// A search that can be advanced by a quantum of effort, so that several of them can share the time.
//
// Effort is counted, not timed, in units of about a nanosecond of one core of 2020: what a search does within an effort is
// the same on every run and every machine, however the effort is divided into turns.
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

    // Looks at the initial state; returns a status if that ends the search. Throws OutOfBudget.
    virtual std::optional<Status> start(std::span<const int32_t> init) = 0;
    // Searches on for about so much effort; returns a status if the search has come to its end. After out_of_memory it
    // may be advanced again once memory has been freed.
    virtual std::optional<Status> advance(uint64_t effort) = 0;

    virtual uint64_t effort() const = 0;
    virtual uint64_t bytes() const = 0;
    virtual Statistics statistics() const = 0;
    virtual std::vector<int32_t> plan() = 0;
    // The queue that led to the goal; empty if the goal was met while the initial state was expanded.
    virtual const std::string& led_by() const = 0;
};

}  // namespace goalward
