#include "search/engines/guidance.hpp"

#include <utility>

#include "search/heuristics/ff_guide.hpp"
#include "search/landmarks/count.hpp"

namespace goalward {

Guidance::Guidance(std::shared_ptr<const Problem> problem, Rows mutex_groups, std::vector<int32_t> kinds)
    : problem_(std::move(problem)), of_unit_costs_(shared_relaxed_operators(*problem_, true)),
      landmarks_(std::make_shared<LandmarkKnowledge>(problem_, std::move(mutex_groups), std::move(kinds),
                                                     LandmarkOptions{}, of_unit_costs_)) {}

std::shared_ptr<const RelaxedOperators> Guidance::relaxed(bool unit_costs) const {
    if (unit_costs) return of_unit_costs_;
    std::call_once(made_of_costs_, [this] { of_costs_ = shared_relaxed_operators(*problem_, false); });
    return of_costs_;
}

std::vector<std::unique_ptr<Guide>> Guidance::guides(const Goal& goal, bool unit_costs) const {
    auto ff = std::make_unique<FFGuide>(*problem_, relaxed(unit_costs));
    ff->set_goal(goal.atoms());
    std::vector<std::unique_ptr<Guide>> guides;
    guides.push_back(std::move(ff));
    guides.push_back(std::make_unique<LandmarkGuide>(landmarks_, goal));
    return guides;
}

const Agenda& Guidance::agenda(std::size_t attempt, Budget& budget) const {
    for (;;) {
        std::size_t next;
        {
            const std::lock_guard lock(mutex_);
            if (attempt < agendas_.size()) return agendas_[attempt];
            next = agendas_.size();
        }
        Agenda found = goal_agenda(*problem_, landmarks_->mutex_groups, static_cast<int>(next), budget);
        const std::lock_guard lock(mutex_);
        if (agendas_.size() == next) agendas_.push_back(std::move(found));  // otherwise another thread was faster
    }
}

}  // namespace goalward
