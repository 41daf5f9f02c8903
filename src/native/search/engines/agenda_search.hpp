// Goal by goal: makes the atoms of the goal true one after the other, in the order of an agenda, and keeps those that are
// (goal agendas: Koehler and Hoffmann 2000; how ours is ordered: agenda.hpp).
//
// Each step is a search from the state that the last one has reached for one that has the next atom and all before it:
// with h_FF and landmarks, and by novelty, in turns. What a step has reached is kept, so that many small searches take
// the place of a large one. Where a step takes too long, its atom goes to the front of the agenda, and the search goes on
// from where it is. Where the next step that fails is no later one, or where an atom is out of reach because of something
// that cannot be undone, an attempt with another agenda and more patience begins from the initial state.
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
    struct Step {  // towards the first atoms of the agenda
        std::size_t n_atoms;
        Goal goal;
        Scheduler searches;
    };

    void begin_step();
    void end_step();
    void follow(std::span<const int32_t> steps);
    void begin_attempt();
    uint64_t expanded() const;

    const Guidance& guidance_;
    const Problem& problem_;
    std::string name_, led_by_;
    uint64_t expansion_limit_;
    Budget& budget_;
    std::size_t attempt_ = 0;
    std::vector<int32_t> agenda_;
    std::size_t failed_ = 0;  // atoms that the last step that failed was to reach
    std::vector<Word> init_, state_;
    std::vector<int32_t> atoms_;  // of state_
    std::vector<int32_t> plan_;   // to state_
    std::unique_ptr<Step> step_;
    uint64_t patience_;  // effort that a step may take
    uint64_t finished_effort_ = 0;  // of agendas and steps
    Statistics finished_;           // of steps
};

}  // namespace goalward
