#include "search/engines/novelty_search.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace goalward {

namespace {
// The size of novelty tables is limited by the number of states, so that they do not take more memory than these.
constexpr uint64_t initial_table_bytes = 1 << 20, table_bytes_per_state = 24, max_table_bytes = 256 << 20;
constexpr std::size_t slice = 16;  // number of children between two checks of the clock; each may take 0.1 ms
constexpr uint64_t max_remaining = 1024;  // larger numbers of remaining atoms of a relaxed plan count as equal
// In units of effort, about nanoseconds.
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 300, effort_of_lookup = 1, effort_of_settling = 4;
}  // namespace

NoveltySearch::NoveltySearch(const Problem& problem, std::shared_ptr<const RelaxedOperators> operators, const Goal& goal,
                             std::string name, uint64_t expansion_limit, Budget& budget)
    : problem_(problem), target_(goal), relaxation_(problem, Relaxed::ff, std::move(operators)), name_(std::move(name)),
      expansion_limit_(expansion_limit), budget_(budget), space_(problem, budget, OperatorOrder::ascending),
      novelty_(problem.packing()), partitions_(target_.atoms().size() + 1), values_(problem.packing().n_variables()) {
    relaxation_.set_goal(goal.atoms());
}

uint32_t NoveltySearch::missing_goals(const Word* state) const {
    uint32_t missing = 0;
    for (int32_t atom : target_.atoms()) missing += !problem_.packing().holds(state, atom);
    return missing;
}

std::optional<Status> NoveltySearch::start(std::span<const int32_t> init) {
    const StateId id = space_.add(init).id;
    if (id == no_state) return space_.why();  // no memory for a single state
    const Node node{missing_goals(space_[id]), none};
    stats_.initial_h = stats_.best_h = static_cast<float>(node.missing);
    problem_.packing().unpack(space_[id], values_.data());
    number_values(state_atoms_);
    add(id, node, nullptr);
    if (node.missing) return std::nullopt;
    goal_ = id;
    return Status::solved;
}

std::optional<Status> NoveltySearch::advance(uint64_t effort) {
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    while (this->effort() < until) {
        if (!space_.within_budget(other_bytes())) return space_.why();
        if (open_.empty()) return space_.exhausted();
        if (expansion_limit_ && stats_.expanded >= expansion_limit_) return Status::out_of_expansions;
        expand(open_.pop().id());
        if (goal_ != no_state) return Status::solved;
    }
    return std::nullopt;
}

// Computes the relaxed plan of a state. False if there is none, and so no plan.
bool NoveltySearch::make_plan(StateId state) {
    if (relaxation_.evaluate(space_[state]) == dead_end) return false;
    std::vector<int32_t>& plan = plans_.emplace_back();
    relaxation_.append_plan_atoms(plan);
    std::sort(plan.begin(), plan.end());
    plan.shrink_to_fit();
    plan_bytes_ += sizeof(plan) + plan.capacity() * sizeof(int32_t);
    const uint32_t record = nodes_[state]->record = add_record(plan.size());
    rows_[record + plan_at] = plans_.size() - 1;
    return true;
}

uint32_t NoveltySearch::add_record(std::size_t n_atoms) {
    const std::size_t at = n_rows_, end = at + bits_at + (n_atoms + 63) / 64;
    if (at >= none) throw std::length_error("more than 2^32 words of records of relaxed plans");
    if (end > rows_.size()) rows_.grow(std::max<std::size_t>(end + end / 2, 4096));
    n_rows_ = end;
    return static_cast<uint32_t>(at);
}

void NoveltySearch::expand(StateId state) {
    if (nodes_[state]->record == none && !make_plan(state)) {
        ++stats_.dead_ends;
        return;
    }
    ++stats_.expanded;
    own_effort_ += effort_of_expansion;
    const Word* words = space_[state];
    const Node node = *nodes_[state];
    const uint32_t parent_partition = partition(node);
    problem_.packing().unpack(words, values_.data());
    number_values(parent_atoms_);
    const std::vector<int32_t>& operators = space_.applicable(state);
    stats_.generated += operators.size();
    own_effort_ += operators.size() * effort_of_child;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (i % slice == slice - 1 && budget_.out_of_time()) return;
        const int32_t op = operators[i];
        const auto [child, fresh] = space_.follow(state, op);
        if (child == no_state) return;
        if (!fresh) continue;
        const Node next = follow(node, op, space_[child]);
        number_child(op, space_[child]);
        const bool same_partition = partition(next) == parent_partition;
        if (same_partition) {  // then only atoms that the operator has made true can be novel
            fresh_.clear();
            std::copy_if(problem_.op(op).add.begin(), problem_.op(op).add.end(), std::back_inserter(fresh_),
                         [&](int32_t atom) { return !problem_.packing().holds(words, atom); });
        }
        add(child, next, same_partition ? &fresh_ : nullptr);
        if (next.missing) continue;
        goal_ = child;
        led_by_ = name_;
        return;
    }
}

void NoveltySearch::number_values(NumberedAtoms& numbered) const {
    numbered.clear(novelty_.n_numbers());
    for (int v = 0; v < problem_.packing().n_variables(); ++v)
        if (values_[v]) numbered.insert(novelty_.number(v, values_[v]));
}

// Computes the atoms of a child from those of its parent and the variables that the operator changes.
void NoveltySearch::number_child(int32_t op, const Word* child) {
    state_atoms_ = parent_atoms_;
    const Packing& packing = problem_.packing();
    const auto change = [&](int32_t atom) {
        const int32_t variable = packing.slot(atom).variable;
        const int32_t before = values_[variable], after = packing.value(child, variable);
        if (before == after) return;
        if (before) state_atoms_.erase(novelty_.number(variable, before));
        if (after) state_atoms_.insert(novelty_.number(variable, after));
    };
    for (int32_t atom : problem_.op(op).del) change(atom);
    for (int32_t atom : problem_.op(op).add) change(atom);
}

NoveltySearch::Node NoveltySearch::follow(const Node& parent, int32_t op, const Word* child) {
    Node node{missing_goals(child), none};
    if (node.missing < parent.missing) return node;
    node.record = parent.record;
    const std::vector<int32_t>& plan = plans_[rows_[parent.record + plan_at]];
    for (int32_t atom : problem_.op(op).add) {
        const auto at = std::lower_bound(plan.begin(), plan.end(), atom);
        if (at == plan.end() || *at != atom) continue;
        const auto bit = static_cast<std::size_t>(at - plan.begin());
        if (rows_[node.record + bits_at + bit / 64] >> (bit % 64) & 1) continue;
        if (node.record == parent.record) {  // copy on write: states that reach no further atom share their parent's
            node.record = add_record(plan.size());
            std::copy_n(&rows_[parent.record], n_rows_ - node.record, &rows_[node.record]);
        }
        rows_[node.record + bits_at + bit / 64] |= uint64_t{1} << (bit % 64);
        ++rows_[node.record + reached_at];
    }
    return node;
}

uint64_t NoveltySearch::remaining(const Node& node) const {
    return node.record == none ? 0 : plans_[rows_[node.record + plan_at]].size() - rows_[node.record + reached_at];
}

uint32_t NoveltySearch::partition(const Node& node) {
    std::vector<uint32_t>& row = partitions_[node.missing];
    const uint64_t column = reached(node);
    if (column >= row.size()) row.resize(column + 1, none);
    if (row[column] == none) row[column] = n_partitions_++;
    return row[column];
}

// Adds a state, whose atoms must be in state_atoms_. Only `fresh` atoms can be novel; null: all atoms.
void NoveltySearch::add(StateId state, const Node& node, const std::vector<int32_t>* fresh) {
    *nodes_.next() = node;
    nodes_.commit();
    ++stats_.evaluated;
    stats_.best_h = std::min(stats_.best_h, static_cast<float>(node.missing));
    novelty_.set_max_bytes(std::min(
        {initial_table_bytes + space_.size() * table_bytes_per_state, max_table_bytes, budget_.room() / 4}));
    const uint32_t its_partition = partition(node);
    const auto novelty = static_cast<uint64_t>(fresh ? novelty_.see(its_partition, state_atoms_, *fresh)
                                                     : novelty_.see(its_partition, state_atoms_));
    const uint64_t rank = (novelty * partitions_.size() + node.missing) * max_remaining +
                          std::min(remaining(node), max_remaining - 1);
    open_.push({static_cast<uint32_t>(std::min<uint64_t>(rank, UINT32_MAX)), state});
}

uint64_t NoveltySearch::effort() const {
    return own_effort_ + novelty_.effort() * effort_of_lookup + relaxation_.effort() * effort_of_settling;
}

Statistics NoveltySearch::statistics() const {
    Statistics s = stats_;
    s.stored = space_.size();
    s.open = open_.size();
    s.bytes = bytes();
    s.expansions_by_queue.emplace_back(name_, s.expanded);
    s.evaluations_by_heuristic.emplace_back("novelty", s.evaluated);
    return s;
}

uint64_t NoveltySearch::other_bytes() const {
    return nodes_.bytes() + open_.bytes() + novelty_.bytes() + n_rows_ * sizeof(uint64_t) + plan_bytes_;
}

}  // namespace goalward
