// The native heuristics that have a name: what users read of each, and how one is made for a problem.
//
// A heuristic describes itself in its own file, and its name in the table below makes it known; the Python table, the
// command line and its help follow from that. In mine.cpp, with Mine derived from Heuristic, or from
// StateFunction if it needs no scratch memory:
//
//     constinit const NativeHeuristic mine_heuristic{
//         "mine", "what it counts, in half a sentence", admissible, "the paper", make_heuristic<Mine>};
#pragma once

#include <memory>
#include <utility>

#include "search/heuristics/evaluator.hpp"

namespace goalward {

struct NativeHeuristic {
    const char* name;
    const char* summary;
    bool admissible;
    const char* reference;
    std::unique_ptr<Heuristic> (*make)(std::shared_ptr<const Problem> problem, bool unit_costs);
};

template <class Mine>
std::unique_ptr<Heuristic> make_heuristic(std::shared_ptr<const Problem> problem, bool unit_costs) {
    return std::make_unique<Mine>(std::move(problem), unit_costs);
}

// In the order in which users see them.
extern const NativeHeuristic ff_heuristic, add_heuristic, hmax_heuristic, goalcount_heuristic, blind_heuristic;
inline constexpr const NativeHeuristic* native_heuristics[] = {
    &ff_heuristic, &add_heuristic, &hmax_heuristic, &goalcount_heuristic, &blind_heuristic,
};

}  // namespace goalward
