#include "search/engines/queue_search.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "search/core/path.hpp"

namespace goalward {

namespace {
// What the search itself does, in units of effort: beside what guides and networks count.
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 100;
constexpr std::size_t slice = 256;  // children made or evaluated between two looks at the clock
constexpr float worst = 1e30f;      // a value for what cannot be trusted to be a dead end
}  // namespace

QueueSearch::QueueSearch(const Problem& problem, const Goal& goal, std::vector<Guide*> guides, Evaluator* network,
                         const QueueSearchOptions& options, Budget& budget)
    : problem_(problem), wanted_(goal), guides_(std::move(guides)), network_(network), options_(options), budget_(budget),
      registry_(problem.packing().n_words(), budget), alternation_(options.boost),
      progress_(guides_.size() + (network ? 1 : 0)), values_(problem.packing().n_variables()),
      guide_values_(guides_.size()) {
    stats_.initial_h = dead_end;  // until a state has been evaluated
    for (std::size_t g = 0; g < guides_.size(); ++g) {
        add_queue(Kind::operators, g, guides_[g]->name());
        add_queue(Kind::preferred, g, std::string(guides_[g]->name()) + " preferred");
    }
    if (!network_) return;
    add_queue(Kind::children, guides_.size(), "network");
    if (!guides_.empty()) add_queue(Kind::preferred_children, guides_.size(), "network preferred");
}

void QueueSearch::add_queue(Kind kind, std::size_t guide, const std::string& name) {
    Queue& queue = queues_.emplace_back();
    queue.kind = kind;
    queue.guide = guide;
    queue.name = options_.prefix + name;
    alternation_.add(queue.only_preferred());
}

std::optional<Status> QueueSearch::start(std::span<const int32_t> init) {
    problem_.packing().pack(init, registry_.scratch());
    const StateId id = registry_.insert_scratch().first;
    if (id == no_state) return why();  // not even the first state fits
    add_node(no_state);
    const Word* state = registry_[id];
    earlier_effort_ = effort();
    for (Guide* guide : guides_) guide->start(id, state, budget_);
    const bool solved = wanted_.holds(state);
    if (guides_.empty()) {
        network_->evaluate({{&state, 1}, {}, {}}, {&stats_.initial_h, 1});
        progress_.back() = {1, stats_.initial_h};
    } else if (solved) {
        stats_.initial_h = guides_[0]->evaluate(id, state, nullptr);
        progress_[0] = {1, stats_.initial_h};
    }
    if (!solved) {
        expand(id);
        if (!guides_.empty()) stats_.initial_h = guide_values_[0];
    } else {
        goal_ = id;
    }
    return goal_ == no_state ? std::nullopt : std::optional(Status::solved);
}

std::optional<Status> QueueSearch::advance(uint64_t effort) {
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    while (this->effort() < until) {
        if (stopped()) return why();
        const int next = alternation_.next([&](int q) { return !queues_[q].empty(); });
        if (next < 0) {
            if (parents_.empty()) return Status::exhausted;
            if (!evaluate_children()) return why();
            continue;
        }
        serving_ = next;
        StateId state = no_state;
        if (!serve(queues_[next], state)) continue;
        alternation_.serve(next);
        if (goal_ != no_state) return Status::solved;
        if (state == no_state) continue;
        if (options_.expansion_limit && stats_.expanded >= options_.expansion_limit) return Status::out_of_expansions;
        expand(state);
        if (goal_ != no_state) return Status::solved;
        if (parents_.size() >= static_cast<std::size_t>(options_.batch) && !evaluate_children()) return why();
    }
    return std::nullopt;
}

bool QueueSearch::serve(Queue& queue, StateId& state) {
    if (network_) {
        while (!queue.empty()) {
            state = next_child(queue);
            if (!expanded_[state]) return true;
        }
        state = no_state;
        return false;
    }
    StateId parent;
    int32_t op;
    if (!next_operator(queue, parent, op)) return false;
    state = follow(parent, op);
    return true;
}

StateId QueueSearch::next_child(Queue& queue) {
    return queue.eager.empty() ? queue.guided.pop(child_lists_, network_values_) : queue.eager.pop().id();
}

bool QueueSearch::next_operator(Queue& queue, StateId& parent, int32_t& op) {
    while (!queue.lazy.empty()) {
        const LazyQueue::Item item = queue.lazy.first();
        std::span<const int32_t> operators;
        if (queue.kind == Kind::preferred) {
            std::tie(parent, operators) = preferred_lists_[item];
        } else {
            parent = item;
            if (queue.listed != parent) list_applicable(parent, queue.operators);
            queue.listed = parent;
            operators = queue.operators;
        }
        const std::size_t served = queue.lazy.served();
        if (served < operators.size()) op = operators[served];
        if (served + 1 < operators.size())
            queue.lazy.serve();
        else
            queue.lazy.drop();
        if (served < operators.size()) return true;  // otherwise a state without operators
    }
    return false;
}

void QueueSearch::list_applicable(StateId state, std::vector<int32_t>& operators) {
    problem_.packing().unpack(registry_[state], values_.data());
    operators.clear();
    problem_.applicable(values_.data(), operators);
    std::sort(operators.begin(), operators.end());
}

StateId QueueSearch::follow(StateId parent, int32_t op) {
    own_effort_ += effort_of_child;
    problem_.apply(op, registry_[parent], registry_.scratch());
    const auto [child, fresh] = registry_.insert_scratch();
    if (child == no_state) return no_state;
    ++stats_.generated;
    if (fresh) add_child(parent, op, child);
    return expanded_[child] ? no_state : child;
}

void QueueSearch::add_node(StateId parent) {
    *came_from_.next() = parent;
    came_from_.commit();
    expanded_.push_back(false);
    if (!network_ || guides_.empty()) return;
    *network_values_.next() = worst;  // until it has been evaluated
    network_values_.commit();
}

void QueueSearch::add_child(StateId parent, int32_t op, StateId child) {
    add_node(parent);
    for (Guide* guide : guides_) guide->reached(parent, op, child, registry_[child], true);
    if (wanted_.holds(registry_[child])) {
        goal_ = child;
        if (serving_ >= 0) led_by_ = queues_[serving_].name;
    }
}

void QueueSearch::expand(StateId state) {
    const Word* words = registry_[state];
    expanded_[state] = true;
    preferred_.clear();
    for (std::size_t g = 0; g < guides_.size(); ++g) {
        ++progress_[g].evaluations;
        float h = guides_[g]->evaluate(state, words, &preferred_);
        if (h == dead_end && !guides_[g]->safe()) h = worst;
        guide_values_[g] = h;
        if (h == dead_end) {
            ++stats_.dead_ends;
            return;
        }
    }
    own_effort_ += effort_of_expansion;
    ++stats_.expanded;
    if (serving_ >= 0) ++queues_[serving_].expanded;
    std::sort(preferred_.begin(), preferred_.end());
    preferred_.erase(std::unique(preferred_.begin(), preferred_.end()), preferred_.end());
    bool progress = false;
    for (std::size_t g = 0; g < guides_.size(); ++g) progress |= improves(progress_[g], guide_values_[g]);
    if (progress) alternation_.reward();
    if (network_) {
        make_children(state);
        return;
    }
    const PreferredOperators::Place place = preferred_.empty() ? 0 : preferred_lists_.add(state, preferred_);
    for (Queue& queue : queues_) {
        if (queue.kind == Kind::operators) queue.lazy.push(guide_values_[queue.guide], state);
        if (queue.kind == Kind::preferred && !preferred_.empty()) queue.lazy.push(guide_values_[queue.guide], place);
    }
}

// The first value is no progress: nothing was known before.
bool QueueSearch::improves(Progress& progress, float h) {
    const bool better = h < progress.best;
    const bool first = progress.best == dead_end;
    if (better) progress.best = h;
    return better && !first;
}

void QueueSearch::make_children(StateId parent) {
    const auto index = static_cast<int32_t>(parents_.size());
    parents_.push_back(registry_[parent]);
    parent_values_.insert(parent_values_.end(), guide_values_.begin(), guide_values_.end());
    list_applicable(parent, operators_);
    stats_.generated += operators_.size();
    own_effort_ += operators_.size() * effort_of_child;
    for (std::size_t i = 0; i < operators_.size(); ++i) {
        if (i % slice == slice - 1 && budget_.exceeded()) return;
        const int32_t op = operators_[i];
        problem_.apply(op, parents_.back(), registry_.scratch());
        const auto [child, fresh] = registry_.insert_scratch();
        if (child == no_state) return;
        if (!fresh && expanded_[child]) continue;
        const bool preferred = std::binary_search(preferred_.begin(), preferred_.end(), op);
        if (!guides_.empty()) reached_.push_back({index, child, preferred});
        if (!fresh) {
            for (Guide* guide : guides_) guide->reached(parent, op, child, registry_[child], false);
            continue;
        }
        add_child(parent, op, child);
        if (goal_ != no_state) return;
        children_.push_back(child);
        origins_.push_back({index, op});
        child_preferred_.push_back(preferred);
    }
}

bool QueueSearch::evaluate_children() {
    child_states_.clear();
    for (StateId id : children_) child_states_.push_back(registry_[id]);
    child_values_.resize(children_.size());
    for (std::size_t from = 0; from < children_.size(); from += slice) {
        const std::size_t n = std::min(slice, children_.size() - from);
        network_->evaluate({{child_states_.data() + from, n}, parents_, {origins_.data() + from, n}},
                           {child_values_.data() + from, n});
        progress_.back().evaluations += n;
        if (stopped()) return false;
    }
    bool progress = false;
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const float h = std::min(child_values_[i], worst);
        // Values are real numbers: only a whole step nearer to the goal counts as progress.
        progress |= improves(progress_.back(), std::floor(h));
        if (!guides_.empty()) *network_values_[children_[i]] = h;
        for (Queue& queue : queues_)
            if (queue.kind == Kind::children || (queue.kind == Kind::preferred_children && child_preferred_[i]))
                queue.eager.push({h, children_[i]});
    }
    list_children();
    if (progress) alternation_.reward();
    parents_.clear();
    parent_values_.clear();
    children_.clear();
    origins_.clear();
    child_preferred_.clear();
    reached_.clear();
    return true;
}

// For the queues of the guides: the children of each parent, the best by the network first.
void QueueSearch::list_children() {
    const auto rank = [this](const Reached& r) { return ordered(*network_values_[r.child]); };
    std::stable_sort(reached_.begin(), reached_.end(), [&](const Reached& a, const Reached& b) {
        return a.parent != b.parent ? a.parent < b.parent : rank(a) < rank(b);
    });
    for (std::size_t from = 0, end = 0; from < reached_.size(); from = end) {
        const int32_t parent = reached_[from].parent;
        while (end < reached_.size() && reached_[end].parent == parent) ++end;
        for (const bool only_preferred : {false, true}) {
            listed_.clear();
            for (std::size_t i = from; i < end; ++i)
                if (reached_[i].preferred || !only_preferred) listed_.push_back(reached_[i].child);
            if (listed_.empty()) continue;
            const ChildLists::Place place = child_lists_.add(listed_);
            for (Queue& queue : queues_)
                if (queue.kind == (only_preferred ? Kind::preferred : Kind::operators))
                    queue.guided.push(parent_values_[static_cast<std::size_t>(parent) * guides_.size() + queue.guide],
                                      *network_values_[listed_[0]], place);
        }
    }
}

uint64_t QueueSearch::effort() const {
    uint64_t total = own_effort_;
    for (const Guide* guide : guides_) total += guide->effort();
    if (network_) total += progress_.back().evaluations * network_->effort_per_state();
    return total - earlier_effort_;
}

Statistics QueueSearch::statistics() const {
    Statistics s = stats_;
    s.stored = registry_.size();
    s.evaluated = network_ ? s.stored : progress_.front().evaluations;
    s.best_h = progress_.front().best;
    s.bytes = bytes();
    for (const Queue& queue : queues_) {
        s.open += queue.lazy.size() + queue.guided.size() + queue.eager.size();
        s.expansions_by_queue.emplace_back(queue.name, queue.expanded);
    }
    for (std::size_t g = 0; g < guides_.size(); ++g)
        s.evaluations_by_heuristic.emplace_back(guides_[g]->name(), progress_[g].evaluations);
    if (network_) s.evaluations_by_heuristic.emplace_back("network", progress_.back().evaluations);
    return s;
}

std::vector<int32_t> QueueSearch::plan() { return path_to(goal_, problem_, registry_, came_from_); }

uint64_t QueueSearch::bytes() const {
    uint64_t total = registry_.bytes() + came_from_.bytes() + expanded_.size() / 8 + preferred_lists_.bytes() +
                     child_lists_.bytes() + network_values_.bytes() +
                     children_.capacity() * (sizeof(StateId) + 1 + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float)) +
                     parents_.capacity() * sizeof(Word*) + reached_.capacity() * sizeof(Reached);
    for (const Queue& queue : queues_) total += queue.lazy.bytes() + queue.guided.bytes() + queue.eager.bytes();
    for (const Guide* guide : guides_) total += guide->bytes();
    return total;
}

bool QueueSearch::stopped() {
    const uint64_t before = std::exchange(accounted_, bytes());
    return !budget_.fits(before, accounted_) || budget_.exceeded();
}

}  // namespace goalward
