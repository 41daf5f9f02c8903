#include "search/engines/best_first.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "search/core/chunked.hpp"
#include "search/core/open_list.hpp"
#include "search/core/path.hpp"
#include "search/core/registry.hpp"

namespace goalward {

namespace {

struct PathCost {  // only for searches that reopen
    double g;
    float h;
};

// Children are evaluated in slices, so that the clock is looked at often enough even when a state has thousands.
constexpr std::size_t slice = 256;
constexpr std::size_t slice_atoms = 1 << 22;  // a heuristic may look at every atom, and there may be many

template <class OpenList>
class Search {
    using Entry = typename OpenList::Entry;
    static constexpr bool greedy = std::is_same_v<Entry, GreedyEntry>;

public:
    Search(Evaluator& evaluator, const SearchOptions& options, int batch, Budget& budget)
        : problem_(evaluator.problem()), evaluator_(evaluator), options_(options), batch_(batch), budget_(budget),
          registry_(problem_.packing().n_words(), budget_), values_(problem_.packing().n_variables()) {}

    // Evaluates the initial state; a status where that is all there is to do.
    std::optional<Status> start(std::span<const int32_t> init) {
        problem_.packing().pack(init, registry_.scratch());
        const StateId id = registry_.insert_scratch().first;
        if (id == no_state) return why();  // not even the first state fits
        add_node(no_state);
        if (problem_.is_goal(registry_[id])) goal_ = id;
        const Word* state = registry_[id];
        float h = 0;
        evaluator_.evaluate({{&state, 1}, {}, {}}, {&h, 1});
        ++stats_.evaluated;
        stats_.initial_h = stats_.best_h = h;
        if (goal_ != no_state) return Status::solved;
        insert(id, h);
        return std::nullopt;
    }

    // Searches on for about so many evaluations; a status where the search has come to its end.
    std::optional<Status> advance(uint64_t evaluations) {
        const uint64_t until = stats_.evaluated + std::min(evaluations, UINT64_MAX / 2);
        while (!open_.empty()) {
            if (stopped()) return why();
            if (options_.expansion_limit && stats_.expanded >= options_.expansion_limit) return Status::out_of_expansions;
            if (take_batch()) return Status::solved;
            for (std::size_t i = 0; i < expanding_.size(); ++i) {
                generate(static_cast<int32_t>(i));
                if (goal_ != no_state) return Status::solved;
                if (stopped()) return why();
            }
            if (!evaluate_children()) return why();
            if (stats_.evaluated >= until) return std::nullopt;
        }
        return stopped() ? why() : Status::exhausted;
    }

    Statistics statistics() const {
        Statistics s = stats_;
        s.stored = registry_.size();
        s.open = open_.size();
        s.bytes = bytes();
        return s;
    }

    std::vector<int32_t> plan() { return path_to(goal_, problem_, registry_, came_from_); }

private:
    // Pops the next states to expand; true when one of them is a goal, reached at the least f.
    bool take_batch() {
        expanding_.clear();
        parents_.clear();
        const uint64_t left = options_.expansion_limit ? options_.expansion_limit - stats_.expanded : UINT64_MAX;
        const std::size_t most = std::min<uint64_t>(left, batch_);
        while (!open_.empty() && expanding_.size() < most) {
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
            if (child == no_state) return;
            if constexpr (greedy) {
                if (!fresh) continue;
                add_node(parent);
                if (problem_.is_goal(registry_[child])) {
                    goal_ = child;
                    return;
                }
            } else {
                const double g = path_cost(parent).g + (options_.unit_costs ? 1 : problem_.cost(op));
                if (fresh) {
                    add_node(parent);
                } else {
                    PathCost& known = path_cost(child);
                    if (g >= known.g) continue;
                    *came_from_[child] = parent;
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
        const auto n_atoms = static_cast<std::size_t>(problem_.packing().n_atoms());
        const std::size_t most = std::min(slice, slice_atoms / std::max<std::size_t>(n_atoms, 1) + 1);
        for (std::size_t from = 0; from < children_.size(); from += most) {
            const std::size_t n = std::min(most, children_.size() - from);
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

    void add_node(StateId parent) {
        *came_from_.next() = parent;
        came_from_.commit();
        if constexpr (!greedy) {
            *costs_.next() = {0, 0};
            costs_.commit();
        }
    }
    PathCost& path_cost(StateId id) { return *costs_[id]; }

    uint64_t bytes() const {
        return registry_.bytes() + came_from_.bytes() + costs_.bytes() + open_.bytes() +
               children_.capacity() * (sizeof(StateId) + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float)) +
               expanding_.capacity() * (sizeof(StateId) + sizeof(Word*));
    }
    bool stopped() {
        const uint64_t before = std::exchange(accounted_, bytes());
        return !budget_.fits(before, accounted_) || budget_.exceeded();
    }
    Status why() const { return status_of(budget_.why()); }

    const Problem& problem_;
    Evaluator& evaluator_;
    const SearchOptions& options_;
    int batch_;
    Budget& budget_;
    Registry registry_;
    Chunked<StateId> came_from_;
    Chunked<PathCost> costs_;
    OpenList open_;
    StateId goal_ = no_state;
    StateId first_unevaluated_ = 1;
    uint32_t order_ = 0;
    Statistics stats_;
    uint64_t accounted_ = 0;  // bytes that the budget knows of

    // Reused from one batch to the next.
    std::vector<StateId> expanding_, children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> values_of_;
    std::vector<int32_t> values_, operators_;
};

// Evaluations in the first turn of each search. Turns grow by half each round: what one search solves quickly does not
// wait long for the others, and long runs switch rarely.
constexpr uint64_t first_turn = 2048;

Statistics sum(const std::vector<Statistics>& parts, double seconds) {
    Statistics total = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        total.add(parts[i]);
        total.best_h = std::min(total.best_h, parts[i].best_h);
    }
    total.seconds = seconds;
    return total;
}

template <class OpenList>
SearchResult run(Evaluator& evaluator, std::span<const int32_t> init, const SearchOptions& options,
                 const std::function<bool(const Statistics&)>& heartbeat) {
    std::vector<std::unique_ptr<Search<OpenList>>> searches;
    std::vector<Statistics> parts(1);  // of the searches that have begun
    Budget* clock = nullptr;
    const auto totals = [&] {
        for (std::size_t i = 0; i < searches.size(); ++i) parts[i] = searches[i]->statistics();
        return sum(parts, clock->elapsed());
    };
    Budget budget(options.time_limit, options.memory_limit, options.at_once, [&] { return !heartbeat || heartbeat(totals()); });
    clock = &budget;
    SearchResult result;
    std::optional<Status> status;
    std::size_t turn = 0;
    try {
        uint64_t evaluations = first_turn;
        // A search begins with its first turn: short searches never pay for the others.
        for (; !status; turn = (turn + 1) % options.batches.size()) {
            if (turn == searches.size()) {
                searches.push_back(std::make_unique<Search<OpenList>>(evaluator, options, options.batches[turn], budget));
                parts.resize(searches.size());
                status = searches[turn]->start(init);
            }
            if (!status) status = searches[turn]->advance(options.batches.size() == 1 ? UINT64_MAX : evaluations);
            if (turn + 1 == options.batches.size()) evaluations += evaluations / 2;
            if (status) break;
        }
    } catch (const std::bad_alloc&) {
        status = Status::out_of_memory;
    } catch (const std::length_error&) {  // more states than there are numbers for
        status = Status::out_of_memory;
    }
    result.status = *status;
    result.statistics = totals();
    if (result.status == Status::solved) result.plan = searches[turn]->plan();
    return result;
}

}  // namespace

SearchResult best_first_search(Evaluator& evaluator, std::span<const int32_t> init, const SearchOptions& options,
                               const std::function<bool(const Statistics&)>& heartbeat) {
    if (options.batches.empty() || std::ranges::min(options.batches) < 1)
        throw std::invalid_argument("batches are one number of states or more, each at least 1");
    if (!options.greedy) return run<Heap<CostEntry>>(evaluator, init, options, heartbeat);
    if (evaluator.few_values()) return run<Buckets>(evaluator, init, options, heartbeat);
    return run<Heap<GreedyEntry>>(evaluator, init, options, heartbeat);
}

}  // namespace goalward
