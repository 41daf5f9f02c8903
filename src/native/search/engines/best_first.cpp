#include "search/engines/best_first.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "search/core/chunked.hpp"
#include "search/core/open_list.hpp"
#include "search/core/state_space.hpp"
#include "search/engines/run.hpp"
#include "search/engines/scheduler.hpp"

namespace goalward {

namespace {

struct PathCost {  // only for searches that reopen
    double g;
    float h;
};

// Children are evaluated in slices, so that the clock is checked often enough even if a state has thousands.
constexpr std::size_t slice = 256;
constexpr std::size_t slice_atoms = 1 << 22;  // makes slices smaller in tasks with many atoms
// Units of effort in addition to that of the heuristic.
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 100;
constexpr float worst = 1e30f;  // replaces infinity if the heuristic must not prune

template <class OpenList>
class BestFirst final : public Search {
    using Entry = typename OpenList::Entry;
    static constexpr bool greedy = std::is_same_v<Entry, GreedyEntry>;

public:
    BestFirst(const Heuristic& heuristic, const SearchOptions& options, int batch, std::string name, Budget& budget)
        : problem_(heuristic.problem()), evaluator_(heuristic.evaluator()),
          effort_per_state_(heuristic.effort_per_state()), options_(options), batch_(batch), name_(std::move(name)),
          budget_(budget), space_(problem_, budget) {}

    std::optional<Status> start(std::span<const int32_t> init) override {
        const StateId id = space_.add(init).id;
        if (id == no_state) return space_.why();  // no memory for a single state
        add_node();
        if (problem_.is_goal(space_[id])) goal_ = id;
        const Word* state = space_[id];
        float h = 0;
        evaluator_->evaluate({{&state, 1}, {}, {}}, {&h, 1});
        ++stats_.evaluated;
        stats_.initial_h = stats_.best_h = h;
        if (goal_ != no_state) return Status::solved;
        insert(id, h);
        return std::nullopt;
    }

    std::optional<Status> advance(uint64_t effort) override {
        const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
        while (!open_.empty()) {
            if (!space_.within_budget(other_bytes())) return space_.why();
            if (options_.expansion_limit && stats_.expanded >= options_.expansion_limit) return Status::out_of_expansions;
            if (take_batch()) return Status::solved;
            for (std::size_t i = 0; i < expanding_.size(); ++i) {
                generate(static_cast<int32_t>(i));
                if (goal_ != no_state) return Status::solved;
                if (space_.within_budget(other_bytes())) continue;
                if (budget_.out_of_time()) return space_.why();
                if (i + 1 < expanding_.size()) space_.mark_incomplete();  // the rest of the batch is not expanded
                break;
            }
            if (!evaluate_children()) return space_.why();
            if (this->effort() >= until) return std::nullopt;
        }
        return space_.within_budget(other_bytes()) ? space_.exhausted() : space_.why();
    }

    uint64_t effort() const override {
        return stats_.evaluated * effort_per_state_ + stats_.expanded * effort_of_expansion +
               stats_.generated * effort_of_child;
    }
    uint64_t bytes() const override { return space_.bytes() + other_bytes(); }
    Statistics statistics() const override {
        Statistics s = stats_;
        s.stored = space_.size();
        s.open = open_.size();
        s.bytes = bytes();
        if (name_.empty()) return s;
        s.expansions_by_queue.emplace_back(name_, s.expanded);
        s.evaluations_by_heuristic.emplace_back("network", s.evaluated);
        return s;
    }
    std::vector<int32_t> plan() override { return space_.path_to(goal_); }
    const std::string& led_by() const override { return name_; }
    std::vector<uint64_t> next_state() const override {
        if constexpr (greedy) {
            std::vector<uint64_t> bits(problem_.packing().n_bit_words());
            problem_.packing().write_bits(space_[open_.top().id()], bits.data());
            return bits;
        }
        return {};
    }

private:
    // Pops the next states to expand. True if one of them is a goal, which then has the minimum f.
    bool take_batch() {
        expanding_.clear();
        parents_.clear();
        const uint64_t remaining = options_.expansion_limit ? options_.expansion_limit - stats_.expanded : UINT64_MAX;
        const std::size_t max_size = std::min<uint64_t>(remaining, batch_);
        while (!open_.empty() && expanding_.size() < max_size) {
            if constexpr (greedy) {
                expanding_.push_back(open_.pop().id());
            } else {
                const Entry entry = open_.top();
                const PathCost& current = path_cost(entry.state);
                if (entry.f > priority(current)) {  // outdated: a cheaper path was found
                    open_.pop();
                    continue;
                }
                if (problem_.is_goal(space_[entry.state])) {
                    // Expand the states before it first, since they may lead to a cheaper goal. But a beam would drop
                    // it.
                    if (!expanding_.empty() && !options_.beam) break;
                    goal_ = entry.state;
                    return true;
                }
                open_.pop();
                expanding_.push_back(entry.state);
            }
        }
        if constexpr (!greedy)
            if (options_.beam) open_.clear();
        for (StateId id : expanding_) parents_.push_back(space_[id]);
        return false;
    }

    void generate(int32_t index) {
        const StateId parent = expanding_[index];
        const std::vector<int32_t>& operators = space_.applicable(parent);
        ++stats_.expanded;
        stats_.generated += operators.size();
        for (int32_t op : operators) {
            const auto [child, fresh] = space_.follow(parent, op);
            if (child == no_state) return;
            if constexpr (greedy) {
                if (!fresh) continue;
                add_node();
                if (problem_.is_goal(space_[child])) {
                    goal_ = child;
                    return;
                }
            } else {
                const double g = path_cost(parent).g + (options_.unit_costs ? 1 : problem_.cost(op));
                if (fresh) {
                    add_node();
                } else {
                    PathCost& current = path_cost(child);
                    if (g >= current.g) continue;
                    space_.set_parent(child, parent);
                    current.g = g;
                    // A child from the same batch is inserted in the open list later, after its evaluation.
                    if (current.h != dead_end && evaluated(child)) {
                        ++stats_.reopened;
                        insert(child, current.h);
                    }
                    continue;
                }
                path_cost(child).g = g;
            }
            children_.push_back(child);
            origins_.push_back({index, op});
        }
    }

    bool evaluated(StateId id) const { return id < first_unevaluated_; }

    bool evaluate_children() {
        states_.clear();
        for (StateId id : children_) states_.push_back(space_[id]);
        values_of_.resize(children_.size());
        const auto n_atoms = static_cast<std::size_t>(problem_.packing().n_atoms());
        const std::size_t slice_size = std::min(slice, slice_atoms / std::max<std::size_t>(n_atoms, 1) + 1);
        for (std::size_t from = 0; from < children_.size(); from += slice_size) {
            const std::size_t n = std::min(slice_size, children_.size() - from);
            evaluator_->evaluate({{states_.data() + from, n}, parents_, {origins_.data() + from, n}},
                                {values_of_.data() + from, n});
            stats_.evaluated += n;
            if (budget_.out_of_time()) return false;
        }
        for (std::size_t i = 0; i < children_.size(); ++i) insert(children_[i], values_of_[i]);
        first_unevaluated_ = static_cast<StateId>(space_.size());
        children_.clear();
        origins_.clear();
        return true;
    }

    void insert(StateId id, float h) {
        if (!options_.prunes) h = std::min(h, worst);
        if constexpr (!greedy) path_cost(id).h = h;
        if (h == dead_end) {
            ++stats_.dead_ends;
            return;
        }
        stats_.best_h = std::min(stats_.best_h, h);
        if constexpr (greedy)
            open_.push(Entry(h, id));
        else
            open_.push(Entry{priority(path_cost(id)), h, order_++, id});
    }

    double priority(const PathCost& c) const { return c.g + options_.weight * static_cast<double>(c.h); }

    void add_node() {
        if constexpr (!greedy) {
            *costs_.next() = {0, 0};
            costs_.commit();
        }
    }
    PathCost& path_cost(StateId id) { return *costs_[id]; }

    uint64_t other_bytes() const {
        return costs_.bytes() + open_.bytes() +
               children_.capacity() * (sizeof(StateId) + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float)) +
               expanding_.capacity() * (sizeof(StateId) + sizeof(Word*));
    }

    const Problem& problem_;
    std::unique_ptr<Evaluator> evaluator_;
    uint64_t effort_per_state_;
    const SearchOptions options_;
    int batch_;
    std::string name_;
    Budget& budget_;
    StateSpace space_;
    Chunked<PathCost> costs_;
    OpenList open_;
    StateId goal_ = no_state;
    StateId first_unevaluated_ = 1;
    uint32_t order_ = 0;
    Statistics stats_;

    // Scratch memory for one batch.
    std::vector<StateId> expanding_, children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> values_of_;
};

}  // namespace

std::unique_ptr<Search> make_best_first(const Heuristic& heuristic, const SearchOptions& options, int batch,
                                        std::string name, Budget& budget) {
    if (!options.greedy)
        return std::make_unique<BestFirst<Heap<CostEntry>>>(heuristic, options, batch, std::move(name), budget);
    if (heuristic.few_values())
        return std::make_unique<BestFirst<Buckets>>(heuristic, options, batch, std::move(name), budget);
    return std::make_unique<BestFirst<Heap<GreedyEntry>>>(heuristic, options, batch, std::move(name), budget);
}

SearchResult best_first_search(const Heuristic& heuristic, std::span<const int32_t> init, const SearchOptions& options,
                               const std::function<bool(const Statistics&)>& heartbeat) {
    if (options.batches.empty() || std::ranges::min(options.batches) < 1)
        throw std::invalid_argument("there must be at least one batch size, and each must be at least 1");
    const Problem& problem = heuristic.problem();
    const bool has_costs =
        std::ranges::any_of(problem.active_operators(), [&](int32_t o) { return problem.cost(o) != 1; });
    if (!options.greedy && has_costs && heuristic.unit_costs().value_or(options.unit_costs) != options.unit_costs)
        throw std::invalid_argument("the heuristic and the search count different costs");
    return run_searches(options, init, heartbeat, [&](Scheduler& scheduler) {
        for (int batch : options.batches)
            scheduler.add("", [&heuristic, &options, batch](Budget& budget) {
                return make_best_first(heuristic, options, batch, "", budget);
            }, 1, 0);
    });
}

}  // namespace goalward
