// Lazy greedy search with several guides. Each guide has a queue, and another one for preferred operators; the queues
// take turns, as in LAMA (Richter and Westphal 2010).
//
// When a state is expanded, the guides evaluate it, and it is inserted in the queues with their values. Its successors
// are generated one by one when the queues serve it. A state may be in several queues and is expanded once. Only safe
// guides prune.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/core/queues.hpp"
#include "search/core/state_space.hpp"
#include "search/engines/guide_set.hpp"
#include "search/engines/search.hpp"

namespace goalward {

struct GuidedOptions {
    std::string prefix;            // prefix of the names of the queues
    int64_t boost = 1000;          // extra turns for the queues of preferred operators after progress
    uint64_t expansion_limit = 0;  // 0: none
};

class LazySearch final : public Search {
public:
    // The goal must outlive the search. There is at least one guide.
    LazySearch(const Problem& problem, const Goal& goal, std::vector<std::unique_ptr<Guide>> guides,
               const GuidedOptions& options, Budget& budget);

    std::optional<Status> start(std::span<const int32_t> init) override;
    std::optional<Status> advance(uint64_t effort) override;

    uint64_t effort() const override;
    uint64_t bytes() const override { return space_.bytes() + other_bytes(); }
    Statistics statistics() const override;
    std::vector<int32_t> plan() override { return space_.path_to(goal_); }
    const std::string& led_by() const override { return led_by_; }

private:
    struct Queue {
        std::size_t guide;  // the guide whose values order the queue
        OperatorQueue operators;
        std::string name;
        uint64_t expanded = 0;
    };

    StateId follow(StateId parent, int32_t op);
    void expand(StateId state);
    uint64_t other_bytes() const;

    const Goal& target_;
    GuidedOptions options_;
    Budget& budget_;
    StateSpace space_;
    GuideSet guides_;
    std::vector<bool> expanded_;
    std::vector<Queue> queues_;
    PreferredOperators preferred_lists_;
    Alternation alternation_;
    int serving_ = -1;  // the queue whose turn it is; -1 for the initial state
    std::string led_by_;
    StateId goal_ = no_state;
    Statistics stats_;
    uint64_t own_effort_ = 0;
};

}  // namespace goalward
