// Reasonable orders: if p has to be true together with q, or at the end like q, and reaching q destroys p, then q is
// better reached first; whoever reaches p before q must reach p again (Hoffmann, Porteous and Sebastia 2004).
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

    // Fills graph.reasonable. Orders that follow from others are left out, and those that would close a cycle: the orders
    // that are no guesses all stay.
    void find(LandmarkGraph& graph, Budget& budget);

private:
    // Row q: the fact landmarks that reaching q destroys.
    BitMatrix interference(const LandmarkGraph& graph, Budget& budget);
    void exclude(int32_t atom, uint64_t* row) const;
    void add_side_effects(int32_t atom, uint64_t* row);

    const LandmarkKnowledge& known_;
    std::vector<int32_t> fact_;  // of each atom: the number of its fact landmark, or -1
    std::vector<int32_t> added_, deleted_;  // one per atom, zeros between uses
};

}  // namespace goalward
