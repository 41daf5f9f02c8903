// The table of native heuristics: the name and description of each, and a function that makes it for a problem.
//
// To add a heuristic, define a NativeHeuristic in the heuristic's own file and list it in the table below. The table in
// Python, the command line and its help are derived from it. The class `Mine` must be derived from Heuristic, or from
// StateFunction if it needs no scratch memory. In mine.cpp:
//
//     constinit const NativeHeuristic mine_heuristic{
//         "mine", "one phrase that says what it counts", admissible, "the paper", make_heuristic<Mine>};
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

// In the order in which they are shown to users.
extern const NativeHeuristic ff_heuristic, add_heuristic, hmax_heuristic, goalcount_heuristic, blind_heuristic;
inline constexpr const NativeHeuristic* native_heuristics[] = {
    &ff_heuristic, &add_heuristic, &hmax_heuristic, &goalcount_heuristic, &blind_heuristic,
};

}  // namespace goalward
