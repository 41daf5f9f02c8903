// Searches that work on for a given effort and then give way to others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/core/result.hpp"

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

// Several such searches that share the effort until one of them ends.
class Turns {
public:
    using Make = std::function<std::unique_ptr<TurnSearch>()>;

    // A search is made with its first turn, so that short searches never pay for the others. `share` is its part of the
    // effort, relative to the others; it begins when the effort of every search that has begun, divided by its share,
    // has reached `delay`: a head start for the others.
    void add(Make make, double share, uint64_t delay);
    // The search that is due takes a turn; a status where it has come to its end, and all with it.
    std::optional<Status> advance(std::span<const int32_t> init);
    // The search that has taken the last turn.
    TurnSearch& last() { return *members_[last_].search; }

    uint64_t effort() const;
    // Of all searches together; values of h are those of the first.
    Statistics statistics() const;

private:
    struct Member {
        Make make;
        double share;
        uint64_t delay;
        std::unique_ptr<TurnSearch> search;

        // Effort so far in proportion to the share; the search with the lowest number is next.
        double due() const {
            return static_cast<double>(delay) + (search ? static_cast<double>(search->effort()) / share : 0);
        }
    };

    std::vector<Member> members_;
    std::size_t last_ = 0;
    uint64_t done_ = 0;
};

}  // namespace goalward
