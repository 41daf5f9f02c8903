// Reasonable orders: if p has to be true together with q, or at the end like q, and reaching q destroys p, then q is
// better reached first; whoever reaches p before q must reach p again (Hoffmann, Porteous and Sebastia 2004).
#pragma once

#include <cstdint>
#include <vector>

#include "search/core/budget.hpp"
#include "search/landmarks/graph.hpp"
#include "task/problem.hpp"

namespace goalward {

class ReasonableOrders {
public:
    ReasonableOrders(const Problem& problem, Rows mutex_groups);

    // Fills graph.reasonable. Orders that follow from others are left out, and those that would close a cycle: the orders
    // that are no guesses all stay.
    void find(LandmarkGraph& graph, Budget& budget);

private:
    // Row q: the fact landmarks that reaching q destroys.
    BitMatrix interference(const LandmarkGraph& graph, Budget& budget);
    void exclude(int32_t atom, uint64_t* row) const;
    void add_side_effects(int32_t atom, uint64_t* row);

    const Problem& problem_;
    Rows mutex_groups_, groups_of_;  // groups_of_: atom → mutex groups
    Rows adders_;                    // atom → operators that add it
    std::vector<int32_t> fact_;      // of each atom: the number of its fact landmark, or -1
    std::vector<int32_t> added_, deleted_;  // one per atom, zeros between uses
};

}  // namespace goalward
