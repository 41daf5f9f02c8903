// Goal agenda search (Koehler and Hoffmann 2000): makes the atoms of the goal true one after the other, in the order of
// a goal agenda (agenda.hpp), with many small searches instead of a large one.
//
// Each step searches from the current state for a state in which the next atom of the agenda and all atoms before it
// hold. Searches with h_FF and landmarks, and by novelty, take turns. The state that a step reaches is the start of the
// next. If a step takes too long, its atom is moved to the front of the agenda, and the search continues from the same
// state. If the next step that fails is not further in the agenda, or if its goal is unreachable, a new attempt with
// another agenda and more patience starts from the initial state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/engines/guidance.hpp"
#include "search/engines/scheduler.hpp"
#include "search/engines/search.hpp"
#include "task/goal.hpp"

namespace goalward {

class AgendaSearch final : public Search {
public:
    AgendaSearch(const Guidance& guidance, std::string name, uint64_t expansion_limit, Budget& budget);

    std::optional<Status> start(std::span<const int32_t> init) override;
    std::optional<Status> advance(uint64_t effort) override;

    uint64_t effort() const override;
    uint64_t bytes() const override { return step_ ? step_->searches.bytes() : 0; }
    Statistics statistics() const override;
    std::vector<int32_t> plan() override { return plan_; }
    const std::string& led_by() const override { return led_by_; }

private:
    struct Step {  // searches for the first n_atoms of the agenda
        std::size_t n_atoms;
        Goal goal;
        Scheduler searches;
    };

    void start_attempt();
    void start_step();
    void end_step();
    void follow(std::span<const int32_t> steps);
    uint64_t expanded() const;

    const Guidance& guidance_;
    const Problem& problem_;
    std::string name_, led_by_;
    uint64_t expansion_limit_;
    Budget& budget_;
    std::size_t attempt_ = 0;
    std::vector<int32_t> agenda_;
    std::size_t n_atoms_failed_ = 0;  // n_atoms of the last step that failed
    std::vector<Word> init_, state_;
    std::vector<int32_t> atoms_;  // of state_
    std::vector<int32_t> plan_;   // to state_
    std::unique_ptr<Step> step_;
    uint64_t patience_;  // maximum effort of a step
    uint64_t finished_effort_ = 0;  // of agendas and steps
    Statistics finished_;           // of steps
};

}  // namespace goalward
