// Searches the whole problem again with a network, for plans that are cheaper than the best so far.
//
// A network evaluates about a million states per second, and its values are close to the true distance if it was
// trained well. So it pays to search widely and to count path costs: this finds cheaper plans than greedy search. There
// are two kinds of search, which are run with increasing width:
//
//     weighted A*   expands the `width` best states by g + weight * h, evaluates their children together, and reopens
//     beam search   the same, but drops all states except the children of the last batch
//
// States are pruned if g is at least the cost of the best plan. A search succeeds in any state from which a suffix of
// the best plan gives a cheaper plan, even if the network prefers another way to the goal. A search ends after `width`
// expansions per step of the best plan, which is what a beam of this width needs to get to the same depth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/core/open_list.hpp"
#include "search/core/state_space.hpp"
#include "search/heuristics/evaluator.hpp"
#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"

namespace goalward {

struct WideOptions {
    int width = 1;      // number of states that are expanded before their children are evaluated together
    bool beam = false;  // drop all states that are not among the best children of the last batch
    double weight = 1;
};

// One search with a fixed width.
class WideSearch {
public:
    WideSearch(const Costs& costs, const Heuristic& network, const Word* init, const WideOptions& options,
               Budget& budget);

    // Continues for about `effort` units, or until it finds a detour. The path may change between calls.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // True if no state is left to expand, or after `width` expansions per step of the path.
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const;
    uint64_t bytes() const { return space_.bytes() + other_bytes(); }

private:
    struct Node {
        Cost g;
        float h;
    };

    void take_batch(Cost bound);
    void generate(int32_t index, const Path& path, SuffixIndex& suffixes);
    bool evaluate_children();
    void insert(StateId id);
    Node& node(StateId id) { return *nodes_[id]; }
    uint64_t other_bytes() const;

    const Costs& costs_;
    const Problem& problem_;
    WideOptions options_;
    Budget& budget_;
    std::unique_ptr<Evaluator> network_;
    uint64_t effort_per_state_;
    bool network_counts_costs_;  // false if its values count steps or if that is unknown
    float scale_ = 1;  // average cost of a step of the first path, if plans count costs but the network does not
    StateSpace space_;
    Chunked<Node> nodes_;
    Heap<CostEntry> open_;
    bool exhausted_ = false;
    StateId first_unevaluated_ = 0;
    uint32_t order_ = 0;
    uint64_t evaluated_ = 0, expanded_ = 0, generated_ = 0;
    std::optional<Detour> best_;  // the best detour of the current batch
    StateId best_end_ = no_state;  // the state in which best_ ends

    // Scratch memory for one batch.
    std::vector<StateId> expanding_, children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> values_;
};

// A sequence of searches with increasing width. A search that has found a detour ends once its effort is twice what it
// was at the last detour.
class NetworkSearch {
public:
    // A search that needs more than `max_bytes` is ended.
    NetworkSearch(const Costs& costs, const Heuristic& network, std::span<const Word> init, Budget& budget,
                  uint64_t max_bytes)
        : costs_(costs), network_(network), init_(init), budget_(budget), max_bytes_(max_bytes) {}

    // Continues for about `effort` units, or until it finds a detour.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // True if the search with the maximum width has ended.
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    void widen();

    const Costs& costs_;
    const Heuristic& network_;
    std::span<const Word> init_;
    Budget& budget_;
    uint64_t max_bytes_;
    std::unique_ptr<WideSearch> search_;
    std::size_t stage_ = 0;
    uint64_t success_at_ = 0;  // effort of the current search at its last detour; 0: none yet
    uint64_t effort_ = 0;
    bool exhausted_ = false;
};

}  // namespace goalward
