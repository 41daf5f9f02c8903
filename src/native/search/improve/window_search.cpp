#include "search/improve/window_search.hpp"

#include <algorithm>

namespace goalward {

namespace {
constexpr int64_t boost = 1000;  // how often helpful actions go first after a new least h
}

struct WindowSearch::Run {
    Run(const Path& path_, SuffixIndex& index_, const Window& window_, int n_words, Budget& budget)
        : path(path_), index(index_), window(window_), bound(path.cost_between(window.from, window.to)),
          registry(n_words, budget) {}

    const Path& path;
    SuffixIndex& index;
    const Window& window;
    const Cost bound;
    Registry registry;
    Chunked<Node> nodes;
    Heap<Entry> open[2];
    int64_t served[2] = {0, 0};
    uint32_t order = 0;
    float least_h = dead_end;
    uint64_t evaluations = 0;

    uint64_t bytes() const { return registry.bytes() + nodes.bytes() + open[all].bytes() + open[helpful].bytes(); }
    Queue next_queue() const {
        if (open[all].empty() || open[helpful].empty()) return open[all].empty() ? helpful : all;
        return served[helpful] <= served[all] ? helpful : all;
    }
};

WindowSearch::WindowSearch(const Costs& costs, std::shared_ptr<const Problem> problem, Budget& budget)
    : costs_(costs), problem_(costs.problem), budget_(budget),
      relaxation_(std::move(problem), Relaxed::ff, costs.unit), values_(problem_.packing().n_variables()) {}

void WindowSearch::set_goal(const SuffixIndex& index, int to) {
    goal_.clear();
    index.atoms(to, goal_);
    relaxation_.set_goal(goal_);
}

float WindowSearch::estimate(const Path& path, const SuffixIndex& index, int from, int to) {
    set_goal(index, to);
    return relaxation_.evaluate(path.state(from));
}

std::optional<Detour> WindowSearch::run(const Path& path, SuffixIndex& index, const Window& window) {
    set_goal(index, window.to);
    cut_ = false;
    Run run(path, index, window, problem_.packing().n_words(), budget_);
    std::copy_n(path.state(window.from), problem_.packing().n_words(), run.registry.scratch());
    if (run.registry.insert_scratch().first == no_state) return std::nullopt;
    *run.nodes.next() = {no_state, -1, 0};
    run.nodes.commit();
    expand(run, 0);
    std::optional<Detour> found;
    uint64_t accounted = 0;
    while (!found && !(run.open[all].empty() && run.open[helpful].empty())) {
        cut_ = run.evaluations >= window.evaluations;
        const uint64_t before = std::exchange(accounted, run.bytes());
        if (cut_ || !budget_.fits(before, accounted) || budget_.exceeded()) break;
        const Queue queue = run.next_queue();
        ++run.served[queue];
        found = reach(run, run.open[queue].pop());
    }
    budget_.fits(accounted, 0);
    return found;
}

// Makes a successor; expands it unless it is the end of a detour.
std::optional<Detour> WindowSearch::reach(Run& run, const Entry& entry) {
    const Cost g = run.nodes[entry.parent]->g + costs_.of(entry.op);  // the parent may be cheaper by now
    effort_ += 100 + 8 * problem_.packing().n_words();
    problem_.apply(entry.op, run.registry[entry.parent], run.registry.scratch());
    const auto [id, fresh] = run.registry.insert_scratch();
    if (id == no_state) return std::nullopt;
    if (fresh) {
        run.nodes.next();
        run.nodes.commit();
    } else if (g >= run.nodes[id]->g) {
        return std::nullopt;
    }
    *run.nodes[id] = {entry.parent, entry.op, g};
    const Cost so_far = run.path.cost_to(run.window.from) + g;
    const int least = run.path.first_beyond(so_far);
    const int to = least <= run.path.length() ? run.index.furthest(run.registry[id], least) : -1;
    if (to < 0) {
        expand(run, id);
        return std::nullopt;
    }
    Detour result{run.window.from, to, run.path.cost_to(to) - so_far, {}};
    for (StateId at = id; run.nodes[at]->parent != no_state; at = run.nodes[at]->parent)
        result.steps.push_back(run.nodes[at]->op);
    std::reverse(result.steps.begin(), result.steps.end());
    return result;
}

void WindowSearch::expand(Run& run, StateId id) {
    const Word* state = run.registry[id];
    const Cost g = run.nodes[id]->g;
    const float h = relaxation_.evaluate(state);
    ++run.evaluations;
    if (h == dead_end || static_cast<double>(g) + h >= static_cast<double>(run.bound)) return;
    if (h < run.least_h) {
        run.least_h = h;
        run.served[helpful] -= boost;
    }
    helpful_.clear();
    relaxation_.append_helpful_actions(helpful_);
    problem_.packing().unpack(state, values_.data());
    operators_.clear();
    problem_.applicable(values_.data(), operators_);
    effort_ += 2 * values_.size() + 20 * operators_.size();
    const auto push = [&](Queue queue, int32_t op) {
        const Cost child_g = g + costs_.of(op);
        if (child_g < run.bound)
            run.open[queue].push({static_cast<double>(child_g) + run.window.weight * h, run.order++, id, op});
    };
    for (int32_t op : operators_) push(all, op);
    for (int32_t op : helpful_) push(helpful, op);
}

}  // namespace goalward
