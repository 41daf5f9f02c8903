// Searches the whole problem again for a cheaper plan: lazy weighted A* from the initial state with h_FF and landmarks,
// bounded by the cost of the best plan so far. Searches with decreasing weights share the effort. Each starts when the
// one before has had its head start. If they hold too much memory, the largest ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/engines/guidance.hpp"
#include "search/improve/detour_search.hpp"

namespace goalward {

class SearchAgain {
public:
    // All searches together hold at most about `max_bytes`.
    SearchAgain(const Costs& costs, const Guidance& guidance, std::span<const Word> init, Budget& budget,
                uint64_t max_bytes)
        : costs_(costs), guidance_(guidance), init_(init), budget_(budget), max_bytes_(max_bytes) {}

    // Searches for about `effort` units, or until it finds a detour.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // True if all searches have ended because they were exhausted or held too much memory.
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    struct Search {
        Search(const SearchAgain& parent, const Path& path, double weight);

        std::vector<std::unique_ptr<Guide>> guides;  // h_FF and landmarks
        DetourSearch states;
    };

    Search* next(const Path& path);
    void limit_memory();

    const Costs& costs_;
    const Guidance& guidance_;
    std::span<const Word> init_;
    Budget& budget_;
    uint64_t max_bytes_;
    std::vector<std::unique_ptr<Search>> searches_;  // that have not ended
    std::size_t n_started_ = 0;
    uint64_t effort_ = 0;
    bool exhausted_ = false;
};

}  // namespace goalward
