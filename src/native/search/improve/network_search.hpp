// Searches the whole problem again with a network, wider each time: for plans that are cheaper than the best so far.
//
// A network has a value for every state, close to the true distance where it was trained well, and evaluates a million
// states a second. So a wide search that counts path costs finds plans that a greedy one misses. Two kinds:
//
//     weighted A*   expands the `width` best states by g + weight * h, evaluates their children together, and reopens
//     beam search   the same, but forgets all states except the children of the last expansion
//
// Both are bounded by the cost of the best plan, and a state from which any suffix of that plan makes the whole cheaper
// is a success, wherever the network was heading. A search ends when it has expanded `width` states for every step of
// that plan, which is what a beam of that width takes to come as far.
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
    int width = 1;     // states that are expanded before their children are evaluated
    bool beam = false;  // forget what is not among the best of a layer
    double weight = 1;
};

// One search of one width.
class WideSearch {
public:
    WideSearch(const Costs& costs, const Heuristic& network, const Word* init, const WideOptions& options, Budget& budget);

    // Searches for about so much effort, or until it finds something. The path may be another one in each call.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // Has it nothing left to expand, or expanded `width` states for every step of the path?
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
    bool counts_costs_;  // does the network estimate costs? If not, a step counts what one of the plan costs on average
    float scale_ = 1;
    StateSpace space_;
    Chunked<Node> nodes_;
    Heap<CostEntry> open_;
    bool exhausted_ = false;
    StateId first_unevaluated_ = 0;
    uint32_t order_ = 0;
    uint64_t evaluated_ = 0, expanded_ = 0, generated_ = 0;
    std::optional<Detour> best_;  // found by the present batch
    StateId best_end_ = no_state;

    // Reused from one batch to the next.
    std::vector<StateId> expanding_, children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> values_;
};

// Searches of growing width, one after the other. Each goes on while it finds something, and for as long again.
class NetworkSearch {
public:
    // A search that holds `most_bytes` is given up.
    NetworkSearch(const Costs& costs, const Heuristic& network, std::span<const Word> init, Budget& budget,
                  uint64_t most_bytes)
        : costs_(costs), network_(network), init_(init), budget_(budget), most_bytes_(most_bytes) {}

    // Searches for about so much effort, or until it finds something.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort);

    // Was the widest search the last?
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    void widen();

    const Costs& costs_;
    const Heuristic& network_;
    std::span<const Word> init_;
    Budget& budget_;
    uint64_t most_bytes_;
    std::unique_ptr<WideSearch> search_;
    std::size_t stage_ = 0;
    uint64_t success_at_ = 0;  // effort of the present search until it last found something
    uint64_t effort_ = 0;
    bool exhausted_ = false;
};

}  // namespace goalward
