// Lazy greedy search with several guides: a queue for each, and one for the operators that they prefer, take turns.
//
// A state is expanded when a queue leads to it: the guides evaluate it, and it enters the queues with their values. Its
// successors are made one by one when the queues serve it. Optionally a network looks ahead: all children of an
// expanded state are made at once, the new ones are evaluated in one batch, and they enter two more queues with their
// own values. In the queues of the guides, too, the network decides then between children whose parents have the same
// value: where a guide sees no difference, there often is one. A state may stand in several queues and is expanded once.
// Only a safe guide prunes; the network never does.
//
// The search knows neither which heuristics there are nor of time: it works on for a given effort, and what it does
// depends on nothing else. The scheme of queues is LAMA's (Richter and Westphal 2010).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/engines/best_first.hpp"
#include "search/core/budget.hpp"
#include "search/core/chunked.hpp"
#include "search/heuristics/evaluator.hpp"
#include "search/heuristics/guide.hpp"
#include "search/core/queues.hpp"
#include "search/core/registry.hpp"
#include "search/engines/turns.hpp"

namespace goalward {

struct QueueSearchOptions {
    std::string prefix;            // of the names of the queues
    int batch = 1;                 // states that are expanded before the network evaluates their children together
    int64_t boost = 1000;          // turns that progress is worth to the queues of preferred operators
    uint64_t expansion_limit = 0;  // 0: none
};

class QueueSearch final : public TurnSearch {
public:
    // Goal, guides and network belong to the caller; of the latter two there is at least one.
    QueueSearch(const Problem& problem, const Goal& goal, std::vector<Guide*> guides, Evaluator* network,
                const QueueSearchOptions& options, Budget& budget);
    ~QueueSearch() override { budget_.fits(accounted_, 0); }
    QueueSearch(const QueueSearch&) = delete;
    QueueSearch& operator=(const QueueSearch&) = delete;

    std::optional<Status> start(std::span<const int32_t> init) override;
    std::optional<Status> advance(uint64_t effort) override;

    uint64_t effort() const override;
    Statistics statistics() const override;
    std::vector<int32_t> plan() override;
    const std::string& led_by() const override { return led_by_; }

private:
    enum class Kind { operators, preferred, children, preferred_children };
    struct Queue {
        Kind kind;
        std::size_t guide;  // whose values order it, where it is not the network
        std::string name;
        LazyQueue lazy;            // of states (operators) or of places (preferred)
        ChildQueue guided;         // of children, in its place where there is a network
        Heap<GreedyEntry> eager;   // of children by the network's value alone
        StateId listed = no_state;  // the state whose applicable operators are in `operators`
        std::vector<int32_t> operators;
        uint64_t expanded = 0;

        bool empty() const { return lazy.empty() && guided.empty() && eager.empty(); }
        bool only_preferred() const { return kind == Kind::preferred || kind == Kind::preferred_children; }
    };
    struct Progress {  // of one heuristic
        uint64_t evaluations = 0;
        float best = dead_end;
    };

    void add_queue(Kind kind, std::size_t guide, const std::string& name);
    // Lets a queue lead somewhere; false if it had nothing to serve. `state` is to be expanded, or no_state.
    bool serve(Queue& queue, StateId& state);
    StateId next_child(Queue& queue);
    bool next_operator(Queue& queue, StateId& parent, int32_t& op);
    StateId follow(StateId parent, int32_t op);
    void add_node(StateId parent);
    void add_child(StateId parent, int32_t op, StateId child);
    void expand(StateId state);
    static bool improves(Progress& progress, float h);
    void list_applicable(StateId state, std::vector<int32_t>& operators);
    void make_children(StateId parent);
    bool evaluate_children();
    void list_children();

    uint64_t bytes() const;
    bool stopped();
    Status why() const { return status_of(budget_.why()); }

    const Problem& problem_;
    const Goal& wanted_;
    std::vector<Guide*> guides_;
    Evaluator* network_;
    QueueSearchOptions options_;
    Budget& budget_;
    Registry registry_;
    Chunked<StateId> came_from_;
    std::vector<bool> expanded_;
    std::vector<Queue> queues_;
    PreferredOperators preferred_lists_;
    ChildLists child_lists_;
    Chunked<float> network_values_;  // of all states, where guides take part
    Alternation alternation_;
    std::vector<Progress> progress_;  // of the guides, then of the network
    int serving_ = -1;                // the queue whose turn it is; -1: the search begins
    std::string led_by_;
    StateId goal_ = no_state;
    Statistics stats_;
    uint64_t own_effort_ = 0, earlier_effort_ = 0;  // of guides, before this search
    uint64_t accounted_ = 0;  // bytes that the budget knows of

    // Reused from one expansion to the next.
    std::vector<int32_t> values_, operators_, preferred_;
    std::vector<float> guide_values_;
    std::vector<const Word*> parents_, child_states_;
    std::vector<float> parent_values_;  // by the guides, one after the other
    std::vector<StateId> children_;     // new ones
    std::vector<uint8_t> child_preferred_;
    std::vector<Batch::Origin> origins_;
    std::vector<float> child_values_;
    struct Reached {  // a child, new or not, to which the queues of the guides may lead
        int32_t parent;
        StateId child;
        bool preferred;
    };
    std::vector<Reached> reached_;
    std::vector<StateId> listed_;
};

}  // namespace goalward
