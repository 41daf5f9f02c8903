// Plan neighbourhood search: breadth first around all states of a plan at once, for cheaper ways back onto it.
//
// A state that is reached at cost g and contains what the plan needs from state j on makes a cheaper plan where g is less
// than what the plan has paid up to there. A layer is completed where that costs little, so that one round may find
// detours in different places, which are then taken together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"
#include "search/core/state_space.hpp"

namespace goalward {

class Neighbourhood {
public:
    // The path and its index must stay as they are; beyond `most_bytes` it grows no further.
    Neighbourhood(const Costs& costs, const Path& path, SuffixIndex& index, Budget& budget, uint64_t most_bytes);

    // Goes on for about so much effort, or until it finds something.
    std::vector<Detour> advance(uint64_t effort);

    // Every state that can be reached for less than the plan costs has been seen: there is no cheaper plan.
    bool exhausted() const { return !full_ && at_ == layer_.size() && next_.empty() && found_.empty(); }
    bool full() const { return full_; }
    uint64_t effort() const { return effort_; }  // about nanoseconds, but counted
    uint64_t generated() const { return generated_; }

private:
    void expand(StateId parent);
    void look(StateId id);
    Detour detour(StateId id, int to);
    bool stopped();

    const Costs& costs_;
    const Problem& problem_;
    const Path& path_;
    SuffixIndex& index_;
    Budget& budget_;
    uint64_t most_bytes_;
    StateSpace space_;
    Chunked<Cost> g_;            // of each state
    std::vector<int> places_;    // of the first states: where they stand on the path
    std::vector<StateId> layer_, next_;
    std::size_t at_ = 0;  // in layer_
    std::vector<std::pair<StateId, int>> found_;
    uint64_t effort_ = 0, generated_ = 0;
    bool full_ = false;
};

}  // namespace goalward
