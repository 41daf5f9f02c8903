// Best-first width search after BFWS(f5) of Lipovetzky and Geffner (2017): what is new goes first, and of that what has
// more of the goal.
//
// The novelty of a state is told among states that agree in two numbers: goal atoms that are missing, and atoms of a
// relaxed plan that have come true on the way. The relaxed plan is that of the last state on the way that missed fewer
// goal atoms than the one before it. States are ordered by novelty, missing goal atoms, and what is left of the relaxed
// plan. Relaxed plans are made for few states, and no heuristic is followed into its plateaus: where h_FF and landmarks
// mislead, it often finds a way.
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
    // The goal belongs to the caller.
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
        uint32_t missing;  // goal atoms
        uint32_t record;   // where rows_ tells what has been reached; none: a relaxed plan is made when it is expanded
    };
    // In rows_: the number of a relaxed plan, how many of its atoms have come true, and a bit for each of them.
    static constexpr uint32_t plan_at = 0, reached_at = 1, bits_at = 2;
    static constexpr uint32_t none = 0xffffffff;

    uint32_t missing_goals(const Word* state) const;
    bool make_plan(StateId state);
    void expand(StateId state);
    Node follow(const Node& parent, int32_t op, const Word* child);
    uint64_t reached(const Node& node) const { return node.record == none ? 0 : rows_[node.record + reached_at]; }
    uint64_t left(const Node& node) const;
    uint32_t partition(const Node& node);
    void number_values(NumberedAtoms& numbered) const;
    void number_child(int32_t op, const Word* child);
    void add(StateId state, const Node& node, const std::vector<int32_t>* fresh);
    uint32_t add_record(std::size_t n_atoms);
    uint64_t other_bytes() const;

    const Problem& problem_;
    const Goal& wanted_;
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
