// The data of one problem that searches with guides share: relaxed operators, landmark knowledge and goal agendas. It
// is thread-safe, and its parts are computed when they are first needed.
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
    // Makes h_FF and landmark count guides to a goal, which must outlive them.
    std::vector<std::unique_ptr<Guide>> guides(const Goal& goal, bool unit_costs) const;
    // The goal agenda of an attempt; each attempt has another one. Throws OutOfBudget if computing it takes too long.
    const Agenda& agenda(std::size_t attempt, Budget& budget) const;

private:
    std::shared_ptr<const Problem> problem_;
    std::shared_ptr<const RelaxedOperators> of_unit_costs_;
    std::shared_ptr<const LandmarkKnowledge> landmarks_;
    mutable std::once_flag made_of_costs_;
    mutable std::shared_ptr<const RelaxedOperators> of_costs_;
    mutable std::mutex mutex_;
    mutable std::deque<Agenda> agendas_;  // guarded by mutex_; growing does not move the elements
};

}  // namespace goalward
