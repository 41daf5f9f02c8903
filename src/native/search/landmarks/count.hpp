// The landmark-count heuristic of LAMA (Richter and Westphal 2010) as a guide: how many landmarks are still to be reached.
//
// Which landmarks have been reached depends on the path, so each state carries one bit per landmark. A landmark is reached
// when it holds and what is reasonably ordered before it was reached before or is added in the same step. Where a state
// is met on several paths, only what all of them reached counts: what one path has missed must lie ahead. A landmark that
// was reached and is false now counts again if it is needed again: by the goal, or in the step before a landmark that has
// not been reached.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/heuristics/guide.hpp"
#include "search/landmarks/graph.hpp"
#include "search/landmarks/knowledge.hpp"

namespace goalward {

class LandmarkGuide final : public Guide {
public:
    // Counts landmarks on the way to this goal, which belongs to the caller.
    LandmarkGuide(std::shared_ptr<const LandmarkKnowledge> knowledge, const Goal& goal);

    void start(StateId id, StateSpace& space, Budget& budget) override;
    void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) override;
    // Prefers operators that add a landmark that is next: not reached, and all that is ordered before it has been.
    float evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) override;

    uint64_t bytes() const override { return status_.bytes() + graph_.bytes() + before_.bytes(); }
    uint64_t effort() const override { return effort_; }
    const char* name() const override { return "landmarks"; }

    const LandmarkGraph& graph() const { return graph_; }
    const uint64_t* status(StateId id) const { return status_[id]; }

private:
    bool holds(int32_t landmark, const Word* state) const;
    void hold_back(const uint64_t* earlier, const Word* state);
    void store(StateId id);
    bool lost_for_good(int32_t landmark, const uint64_t* reached) const;
    void prefer(StateId id, StateSpace& space, std::vector<int32_t>& preferred);

    std::shared_ptr<const LandmarkKnowledge> known_;
    const Problem& problem_;
    const Goal& goal_;

    LandmarkGraph graph_;
    std::size_t width_ = 0;  // of a row of bits, in words
    Chunked<uint64_t> status_{1};
    Rows landmarks_of_;  // atom → landmarks that it makes true
    BitMatrix before_;   // row: landmark; columns: what is ordered before it, in any way
    std::vector<uint64_t> all_, goals_;
    std::vector<uint64_t> delayed_;  // landmarks with others reasonably ordered before them

    std::vector<uint64_t> row_, scratch_;
    uint64_t effort_ = 0;
};

}  // namespace goalward
