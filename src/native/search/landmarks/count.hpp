// The landmark-count heuristic of LAMA (Richter and Westphal 2010) as a guide: the number of landmarks that are not
// reached or required again.
//
// Reached landmarks depend on the path, so each state has one bit per landmark. A landmark is reached if it holds and
// all landmarks that are reasonably ordered before it were reached earlier or are added in the same step. If a state is
// reached on several paths, a landmark counts as reached only if it is reached on all of them. A landmark that was
// reached and is false is required again if it is part of the goal, or a greedy-necessary predecessor of a landmark
// that is not reached.
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
    // The goal must outlive the guide.
    LandmarkGuide(std::shared_ptr<const LandmarkKnowledge> knowledge, const Goal& goal);

    void start(StateId id, StateSpace& space, Budget& budget) override;
    void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) override;
    // Prefers operators that add a landmark that is not reached and whose predecessors are all reached.
    float evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) override;

    uint64_t bytes() const override { return status_.bytes() + graph_.bytes() + before_.bytes(); }
    uint64_t effort() const override { return effort_; }
    const char* name() const override { return "landmarks"; }

    const LandmarkGraph& graph() const { return graph_; }
    const uint64_t* status(StateId id) const { return status_[id]; }

private:
    bool holds(int32_t landmark, const Word* state) const;
    void apply_reasonable_orders(const uint64_t* earlier, const Word* state);
    void store(StateId id);
    bool is_unreachable(int32_t landmark, const uint64_t* reached) const;
    void prefer(StateId id, StateSpace& space, std::vector<int32_t>& preferred);

    std::shared_ptr<const LandmarkKnowledge> knowledge_;
    const Problem& problem_;
    const Goal& goal_;

    LandmarkGraph graph_;
    std::size_t width_ = 0;  // width of a bit row in words
    Chunked<uint64_t> status_{1};
    Rows landmarks_of_;  // atom → landmarks that contain it
    BitMatrix before_;   // row: landmark; columns: landmarks that are ordered before it, by any kind of order
    std::vector<uint64_t> all_, goals_;
    std::vector<uint64_t> delayed_;  // landmarks with others reasonably ordered before them

    std::vector<uint64_t> row_, scratch_;
    uint64_t effort_ = 0;
};

}  // namespace goalward
