// What searches with guides are made from, for one problem: relaxed operators, what is needed to find landmarks, and orders
// of the goal's atoms. It may be shared by threads; the parts are made when they are first needed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "search/engines/agenda.hpp"
#include "search/heuristics/guide.hpp"
#include "search/heuristics/relaxed_operators.hpp"
#include "search/landmarks/knowledge.hpp"
#include "task/rows.hpp"

namespace goalward {

class Guidance {
public:
    // For mutex groups and kinds of atoms see LandmarkKnowledge.
    Guidance(std::shared_ptr<const Problem> problem, Rows mutex_groups, std::vector<int32_t> kinds);

    const Problem& problem() const { return *problem_; }
    std::shared_ptr<const RelaxedOperators> relaxed(bool unit_costs) const;
    // h_FF and the landmark count, on the way to a goal that must outlive them.
    std::vector<std::unique_ptr<Guide>> guides(const Goal& goal, bool unit_costs) const;
    // Orders of the goal's atoms; each attempt has another one. Throws OutOfBudget if finding it takes too long.
    const Agenda& agenda(std::size_t attempt, Budget& budget) const;

private:
    std::shared_ptr<const Problem> problem_;
    std::shared_ptr<const RelaxedOperators> of_unit_costs_;
    std::shared_ptr<const LandmarkKnowledge> landmarks_;
    mutable std::once_flag made_of_costs_;
    mutable std::shared_ptr<const RelaxedOperators> of_costs_;
    mutable std::mutex mutex_;
    mutable std::deque<Agenda> agendas_;  // under the lock; those that are there stay where they are
};

}  // namespace goalward
