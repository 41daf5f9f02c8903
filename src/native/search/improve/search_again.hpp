// Searches the whole problem again for a cheaper plan: lazy weighted A* from the initial state with h_FF and landmarks,
// bounded by the cost of the best plan so far. Searches with falling weights share the effort. Each begins when the one
// before it has had its head start, and goes on where it stopped when it is called again. Where there
// is no room for all of them, the largest ends.
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
    // All searches together hold about `most_bytes` at most.
    SearchAgain(const Costs& costs, const Guidance& guidance, std::span<const Word> init, Budget& budget, uint64_t most_bytes)
        : costs_(costs), guidance_(guidance), init_(init), budget_(budget), most_bytes_(most_bytes) {}

    // Searches for about so much effort, or until it finds something.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // Have all searches come to their end, for lack of states or of room?
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    struct Search {
        Search(const SearchAgain& parent, const Path& path, double weight);

        std::vector<std::unique_ptr<Guide>> guides;  // h_FF and landmarks
        DetourSearch states;
    };

    Search* next(const Path& path);
    void make_room();

    const Costs& costs_;
    const Guidance& guidance_;
    std::span<const Word> init_;
    Budget& budget_;
    uint64_t most_bytes_;
    std::vector<std::unique_ptr<Search>> searches_;  // those that are not over
    std::size_t begun_ = 0;
    uint64_t effort_ = 0;
    bool exhausted_ = false;
};

}  // namespace goalward
