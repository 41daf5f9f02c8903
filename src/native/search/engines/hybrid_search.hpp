// Greedy search with guides and a network: the queues of lazy_search.hpp, and two that are ordered by the network.
//
// All children of an expanded state are generated together. The network evaluates the new ones in a batch, and they are
// inserted in its queues with their own values. In the queues of the guides, the network breaks ties between children
// whose parents have the same value. A state may be in several queues and is expanded once. Only safe guides prune; the
// network never does.
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
#include "search/engines/lazy_search.hpp"
#include "search/engines/search.hpp"

namespace goalward {

class HybridSearch final : public Search {
public:
    // Goal and network must outlive the search. There is at least one guide. `batch` states are expanded before the
    // network evaluates their children together.
    HybridSearch(const Goal& goal, std::vector<std::unique_ptr<Guide>> guides, const Heuristic& network, int batch,
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
        static constexpr int by_network = -1;

        int guide;  // the guide whose values order the queue
        bool only_preferred;
        std::string name;
        ChildQueue guided;        // children by their parents' values
        Heap<GreedyEntry> eager;  // children by their network values
        uint64_t expanded = 0;

        bool empty() const { return guided.empty() && eager.empty(); }
    };
    struct Reached {  // a child, new or not, for the queues of the guides
        int32_t parent;
        StateId child;
        bool preferred;
    };

    void add_queue(int guide, bool only_preferred, const std::string& name);
    StateId next_child(Queue& queue);
    void add_node();
    void expand(StateId state);
    void make_children(StateId parent);
    bool evaluate_children();
    void list_children();
    uint64_t other_bytes() const;

    const Goal& target_;
    GuidedOptions options_;
    std::size_t batch_;
    Budget& budget_;
    StateSpace space_;
    GuideSet guides_;
    std::unique_ptr<Evaluator> network_;
    uint64_t effort_per_state_;  // of the network
    Progress network_progress_;
    std::vector<bool> expanded_;
    Chunked<float> network_values_;  // of all states
    std::vector<Queue> queues_;
    ChildLists child_lists_;
    Alternation alternation_;
    int serving_ = -1;  // the queue whose turn it is; -1 for the initial state
    std::string led_by_;
    StateId goal_ = no_state;
    Statistics stats_;
    uint64_t own_effort_ = 0;

    // The states expanded since the last evaluation by the network, and their children.
    std::vector<const Word*> parents_, child_states_;
    std::vector<float> parent_values_;  // for each parent, the values of all guides
    std::vector<StateId> children_;     // only new states
    std::vector<uint8_t> child_preferred_;
    std::vector<Batch::Origin> origins_;
    std::vector<float> child_values_;
    std::vector<Reached> reached_;
    std::vector<StateId> listed_;
};

}  // namespace goalward
