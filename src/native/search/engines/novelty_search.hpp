// Best-first width search, a variant of BFWS(f5) by Lipovetzky and Geffner (2017): expands novel states first, and
// among these the states with the fewest missing goal atoms.
//
// The novelty of a state is relative to the states of its partition, which agree in two numbers: missing goal atoms,
// and atoms of a relaxed plan that were reached on the path. The relaxed plan is that of the last state on the path
// with fewer missing goal atoms than its parent. States are ordered by novelty, by missing goal atoms, and by the
// remaining atoms of the relaxed plan. Few relaxed plans are needed, and the search does not follow a heuristic into
// plateaus, so it often finds plans if h_FF and landmarks are misleading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/core/open_list.hpp"
#include "search/core/state_space.hpp"
#include "search/engines/search.hpp"
#include "search/heuristics/novelty.hpp"
#include "search/heuristics/relaxation.hpp"

namespace goalward {

class NoveltySearch final : public Search {
public:
    // The goal must outlive the search.
    NoveltySearch(const Problem& problem, std::shared_ptr<const RelaxedOperators> operators, const Goal& goal,
                  std::string name, uint64_t expansion_limit, Budget& budget);

    std::optional<Status> start(std::span<const int32_t> init) override;
    std::optional<Status> advance(uint64_t effort) override;

    uint64_t effort() const override;
    uint64_t bytes() const override { return space_.bytes() + other_bytes(); }
    Statistics statistics() const override;
    std::vector<int32_t> plan() override { return space_.path_to(goal_); }
    const std::string& led_by() const override { return led_by_; }

private:
    struct Node {
        uint32_t missing;  // number of missing goal atoms
        uint32_t record;   // index of its record in rows_; none: expansion makes a relaxed plan
    };
    // A record in rows_: the index of a relaxed plan, the number of its atoms that were reached, and a bit for each.
    static constexpr uint32_t plan_at = 0, reached_at = 1, bits_at = 2;
    static constexpr uint32_t none = 0xffffffff;

    uint32_t missing_goals(const Word* state) const;
    bool make_plan(StateId state);
    void expand(StateId state);
    Node follow(const Node& parent, int32_t op, const Word* child);
    uint64_t reached(const Node& node) const { return node.record == none ? 0 : rows_[node.record + reached_at]; }
    uint64_t remaining(const Node& node) const;
    uint32_t partition(const Node& node);
    void number_values(NumberedAtoms& numbered) const;
    void number_child(int32_t op, const Word* child);
    void add(StateId state, const Node& node, const std::vector<int32_t>* fresh);
    uint32_t add_record(std::size_t n_atoms);
    uint64_t other_bytes() const;

    const Problem& problem_;
    const Goal& target_;
    RelaxationEvaluator relaxation_;
    std::string name_, led_by_;
    uint64_t expansion_limit_;
    Budget& budget_;
    StateSpace space_;
    Chunked<Node> nodes_;
    Buckets open_;
    NoveltyTables novelty_;
    std::vector<std::vector<int32_t>> plans_;        // atoms of relaxed plans, sorted
    MappedArray<uint64_t> rows_;                     // records, see Node
    std::size_t n_rows_ = 0;
    std::vector<std::vector<uint32_t>> partitions_;  // by missing goals and atoms reached
    uint32_t n_partitions_ = 0;
    StateId goal_ = no_state;
    Statistics stats_;
    uint64_t own_effort_ = 0, plan_bytes_ = 0;

    std::vector<int32_t> values_, fresh_;
    NumberedAtoms parent_atoms_, state_atoms_;  // of the state that is expanded, and of the one that is added
};

}  // namespace goalward
