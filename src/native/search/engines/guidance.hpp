// What searches with guides are made from, for one problem: h_FF, a finder of landmarks, and an order of the goal's
// atoms. Made once, used for many searches, one after the other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "search/engines/agenda.hpp"
#include "search/landmarks/discovery.hpp"
#include "search/heuristics/relaxation.hpp"
#include "task/rows.hpp"

namespace goalward {

struct Guidance {
    // For mutex groups and kinds of atoms see LandmarkFinder.
    Guidance(std::shared_ptr<const Problem> the_problem, bool unit_costs, Rows mutex_groups, std::vector<int32_t> kinds)
        : problem(std::move(the_problem)), of_unit_costs(shared_relaxed_operators(*problem, true)),
          relaxation(problem, Relaxed::ff, unit_costs,
                     unit_costs ? of_unit_costs : shared_relaxed_operators(*problem, false)),
          landmarks(std::make_shared<LandmarkFinder>(problem, mutex_groups, std::move(kinds), LandmarkOptions{},
                                                     of_unit_costs)),
          mutex_groups_(std::move(mutex_groups)) {}

    // Orders of the goal's atoms, found when first asked for; each attempt has another one.
    const Agenda& agenda(std::size_t attempt) {
        for (std::size_t next = agendas_.size(); next <= attempt; ++next)
            agendas_.push_back(goal_agenda(*problem, mutex_groups_, static_cast<int>(next)));
        return agendas_[attempt];
    }

    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const RelaxedOperators> of_unit_costs;
    RelaxationEvaluator relaxation;
    std::shared_ptr<LandmarkFinder> landmarks;

private:
    Rows mutex_groups_;
    std::vector<Agenda> agendas_;
};

}  // namespace goalward
