// Reasonable orders (Hoffmann, Porteous and Sebastia 2004): if p and q must hold at the same time, for example in the
// goal, and reaching q makes p false, then q should be reached first. Otherwise p must be reached twice.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/limits.hpp"
#include "search/landmarks/graph.hpp"
#include "search/landmarks/knowledge.hpp"

namespace goalward {

class ReasonableOrders {
public:
    explicit ReasonableOrders(const LandmarkKnowledge& knowledge);

    // Fills graph.reasonable, without orders that are implied by others or would close a cycle with them.
    void find(LandmarkGraph& graph, Budget& budget);

private:
    // Row q: the fact landmarks that become false when q is reached.
    BitMatrix interference(const LandmarkGraph& graph, Budget& budget);
    void exclude(int32_t atom, uint64_t* row) const;
    void add_side_effects(int32_t atom, uint64_t* row);

    const LandmarkKnowledge& knowledge_;
    std::vector<int32_t> fact_;             // by atom: the number of its fact landmark, or -1
    std::vector<int32_t> added_, deleted_;  // by atom; all 0 between uses
};

}  // namespace goalward
