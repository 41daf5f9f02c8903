#include "search/best_first.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

#include "search/chunked.hpp"
#include "search/open_list.hpp"
#include "search/registry.hpp"

namespace goalward {

namespace {

struct Node {  // how a state was reached
    StateId parent;
    int32_t op;
};
static_assert(sizeof(Node) == 8);

struct PathCost {  // only for searches that reopen
    double g;
    float h;
};

// Children are evaluated in slices, so that the clock is looked at often enough even when a state has thousands.
constexpr std::size_t slice = 256;

template <bool greedy>
class Search {
    using Entry = std::conditional_t<greedy, GreedyEntry, CostEntry>;

public:
    Search(const Problem& problem, Evaluator& evaluator, const SearchOptions& options,
           const std::function<bool(const Statistics&)>& heartbeat)
        : problem_(problem), evaluator_(evaluator), options_(options),
          budget_(options.time_limit, options.memory_limit,
                  [this, &heartbeat] { return !heartbeat || heartbeat(statistics()); }),
          registry_(problem.packing().n_words(), budget_), values_(problem.packing().n_variables()) {}

    SearchResult run(std::span<const int32_t> init) {
        try {
            const Status status = loop(init);
            return finish(status);
        } catch (const std::bad_alloc&) {
            return finish(Status::out_of_memory);
        }
    }

private:
    Status loop(std::span<const int32_t> init) {
        problem_.packing().pack(init, registry_.scratch());
        const StateId start = registry_.insert_scratch().first;
        add_node(start, no_state, -1);
        if constexpr (!greedy) path_cost(start).g = 0;
        if (problem_.is_goal(registry_[start])) goal_ = start;
        children_.push_back(start);
        const Word* state = registry_[start];
        float h = 0;
        evaluator_.evaluate({{&state, 1}, {}, {}}, {&h, 1});
        ++stats_.evaluated;
        stats_.initial_h = stats_.best_h = h;
        if (goal_ != no_state) return Status::solved;
        children_.clear();
        insert(start, h);
        while (!open_.empty()) {
            if (stopped()) return why();
            if (take_batch()) return Status::solved;
            for (std::size_t i = 0; i < expanding_.size(); ++i) {
                generate(static_cast<int32_t>(i));
                if (goal_ != no_state) return Status::solved;
                if (stopped()) return why();
            }
            if (!evaluate_children()) return why();
        }
        return stopped() ? why() : Status::exhausted;
    }

    // Pops the next states to expand; true when one of them is a goal, reached at the least f.
    bool take_batch() {
        expanding_.clear();
        parents_.clear();
        while (!open_.empty() && static_cast<int>(expanding_.size()) < options_.batch) {
            if constexpr (greedy) {
                expanding_.push_back(open_.pop().id());
            } else {
                const Entry entry = open_.top();
                const PathCost& known = path_cost(entry.state);
                if (entry.f > priority(known)) {  // a cheaper path has been found since
                    open_.pop();
                    continue;
                }
                if (problem_.is_goal(registry_[entry.state])) {
                    if (!expanding_.empty()) break;  // expand what is before it first: that may lead to a cheaper one
                    goal_ = entry.state;
                    return true;
                }
                open_.pop();
                expanding_.push_back(entry.state);
            }
        }
        for (StateId id : expanding_) parents_.push_back(registry_[id]);
        return false;
    }

    void generate(int32_t index) {
        const StateId parent = expanding_[index];
        const Word* state = parents_[index];
        problem_.packing().unpack(state, values_.data());
        operators_.clear();
        problem_.applicable(values_.data(), operators_);
        ++stats_.expanded;
        stats_.generated += operators_.size();
        for (int32_t op : operators_) {
            problem_.apply(op, state, registry_.scratch());
            const auto [child, fresh] = registry_.insert_scratch();
            if (budget_.why() != Stop::none) return;
            if constexpr (greedy) {
                if (!fresh) continue;
                add_node(child, parent, op);
                if (problem_.is_goal(registry_[child])) {
                    goal_ = child;
                    return;
                }
            } else {
                const double g = path_cost(parent).g + (options_.unit_costs ? 1 : problem_.cost(op));
                if (fresh) {
                    add_node(child, parent, op);
                } else {
                    PathCost& known = path_cost(child);
                    if (g >= known.g) continue;
                    *nodes_[child] = {parent, op};
                    known.g = g;
                    // A child of this very batch gets its place in the open list after its evaluation.
                    if (known.h != dead_end && evaluated(child)) {
                        ++stats_.reopened;
                        insert(child, known.h);
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
        for (StateId id : children_) states_.push_back(registry_[id]);
        values_of_.resize(children_.size());
        for (std::size_t from = 0; from < children_.size(); from += slice) {
            const std::size_t n = std::min(slice, children_.size() - from);
            evaluator_.evaluate({{states_.data() + from, n}, parents_, {origins_.data() + from, n}},
                                {values_of_.data() + from, n});
            stats_.evaluated += n;
            if (stopped()) return false;
        }
        for (std::size_t i = 0; i < children_.size(); ++i) insert(children_[i], values_of_[i]);
        first_unevaluated_ = static_cast<StateId>(registry_.size());
        children_.clear();
        origins_.clear();
        return true;
    }

    void insert(StateId id, float h) {
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

    void add_node(StateId, StateId parent, int32_t op) {
        *nodes_.next() = {parent, op};
        nodes_.commit();
        if constexpr (!greedy) {
            *costs_.next() = {0, 0};
            costs_.commit();
        }
    }
    PathCost& path_cost(StateId id) { return *costs_[id]; }

    uint64_t bytes() const {
        return registry_.bytes() + nodes_.bytes() + costs_.bytes() + open_.bytes() +
               children_.capacity() * (sizeof(StateId) + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float));
    }
    bool stopped() { return !budget_.fits(bytes()) || budget_.exceeded(); }
    Status why() const {
        switch (budget_.why()) {
            case Stop::time: return Status::out_of_time;
            case Stop::memory: return Status::out_of_memory;
            default: return Status::cancelled;
        }
    }

    Statistics statistics() const {
        Statistics s = stats_;
        s.stored = registry_.size();
        s.open = open_.size();
        s.bytes = bytes();
        s.seconds = budget_.elapsed();
        return s;
    }

    SearchResult finish(Status status) {
        SearchResult result;
        result.status = status;
        result.statistics = statistics();
        if (status == Status::solved) {
            for (StateId id = goal_; nodes_[id]->parent != no_state; id = nodes_[id]->parent)
                result.plan.push_back(nodes_[id]->op);
            std::reverse(result.plan.begin(), result.plan.end());
        }
        return result;
    }

    const Problem& problem_;
    Evaluator& evaluator_;
    const SearchOptions& options_;
    Budget budget_;
    Registry registry_;
    Chunked<Node> nodes_;
    Chunked<PathCost> costs_;
    OpenList<Entry> open_;
    StateId goal_ = no_state;
    StateId first_unevaluated_ = 1;
    uint32_t order_ = 0;
    Statistics stats_;

    // Reused from one batch to the next.
    std::vector<StateId> expanding_, children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> values_of_;
    std::vector<int32_t> values_, operators_;
};

}  // namespace

SearchResult best_first_search(const Problem& problem, Evaluator& evaluator, std::span<const int32_t> init,
                               const SearchOptions& options, const std::function<bool(const Statistics&)>& heartbeat) {
    if (options.greedy) return Search<true>(problem, evaluator, options, heartbeat).run(init);
    return Search<false>(problem, evaluator, options, heartbeat).run(init);
}

}  // namespace goalward
