#include "search/engines/hybrid_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace goalward {

namespace {
// Units of effort in addition to those of guides and network.
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 100;
constexpr std::size_t slice = 256;  // number of children generated or evaluated between two checks of the clock
constexpr float worst = 1e30f;      // replaces infinity, because the network must not prune
}  // namespace

HybridSearch::HybridSearch(const Goal& goal, std::vector<std::unique_ptr<Guide>> guides, const Heuristic& network,
                           int batch, const GuidedOptions& options, Budget& budget)
    : target_(goal), options_(options), batch_(static_cast<std::size_t>(batch)), budget_(budget),
      space_(network.problem(), budget, OperatorOrder::ascending), guides_(std::move(guides)),
      network_(network.evaluator()), effort_per_state_(network.effort_per_state()), alternation_(options.boost) {
    stats_.initial_h = dead_end;  // until a state has been evaluated
    for (std::size_t g = 0; g < guides_.size(); ++g) {
        add_queue(static_cast<int>(g), false, guides_.name(g));
        add_queue(static_cast<int>(g), true, guides_.name(g) + " preferred");
    }
    add_queue(Queue::by_network, false, "network");
    add_queue(Queue::by_network, true, "network preferred");
}

void HybridSearch::add_queue(int guide, bool only_preferred, const std::string& name) {
    queues_.push_back({guide, only_preferred, options_.prefix + name, {}, {}});
    alternation_.add(only_preferred);
}

std::optional<Status> HybridSearch::start(std::span<const int32_t> init) {
    const StateId id = space_.add(init).id;
    if (id == no_state) return space_.why();  // no memory for a single state
    add_node();
    guides_.start(id, space_, budget_);
    if (target_.holds(space_[id])) {
        stats_.initial_h = guides_.first_value(id, space_);
        goal_ = id;
        return Status::solved;
    }
    expand(id);
    stats_.initial_h = guides_.value(0);
    return goal_ == no_state ? std::nullopt : std::optional(Status::solved);
}

std::optional<Status> HybridSearch::advance(uint64_t effort) {
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    while (this->effort() < until) {
        if (!space_.within_budget(other_bytes())) return space_.why();
        const int next = alternation_.next([&](int q) { return !queues_[q].empty(); });
        if (next < 0) {
            if (parents_.empty()) return space_.exhausted();
            if (!evaluate_children()) return space_.why();
            continue;
        }
        serving_ = next;
        const StateId state = next_child(queues_[next]);
        if (state == no_state) continue;
        alternation_.serve(next);
        if (options_.expansion_limit && stats_.expanded >= options_.expansion_limit) return Status::out_of_expansions;
        expand(state);
        if (goal_ != no_state) return Status::solved;
        if (parents_.size() >= batch_ && !evaluate_children()) return space_.why();
    }
    return std::nullopt;
}

// Pops children from a queue up to the first that was not expanded yet; no_state if there is none.
StateId HybridSearch::next_child(Queue& queue) {
    while (!queue.empty()) {
        const StateId state =
            queue.eager.empty() ? queue.guided.pop(child_lists_, network_values_) : queue.eager.pop().id();
        if (!expanded_[state]) return state;
    }
    return no_state;
}

void HybridSearch::add_node() {
    expanded_.push_back(false);
    *network_values_.next() = worst;  // until it has been evaluated
    network_values_.commit();
}

void HybridSearch::expand(StateId state) {
    expanded_[state] = true;
    if (!guides_.evaluate(state, space_)) {
        ++stats_.dead_ends;
        return;
    }
    own_effort_ += effort_of_expansion;
    ++stats_.expanded;
    if (serving_ >= 0) ++queues_[serving_].expanded;
    if (guides_.improve()) alternation_.reward();
    make_children(state);
}

void HybridSearch::make_children(StateId parent) {
    const auto index = static_cast<int32_t>(parents_.size());
    parents_.push_back(space_[parent]);
    parent_values_.insert(parent_values_.end(), guides_.values().begin(), guides_.values().end());
    const std::vector<int32_t>& operators = space_.applicable(parent);
    stats_.generated += operators.size();
    own_effort_ += operators.size() * effort_of_child;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (i % slice == slice - 1 && budget_.out_of_time()) return;
        const int32_t op = operators[i];
        const auto [child, fresh] = space_.follow(parent, op);
        if (child == no_state) return;
        if (!fresh && expanded_[child]) continue;
        const bool preferred = guides_.prefers(op);
        reached_.push_back({index, child, preferred});
        if (fresh) add_node();
        guides_.reached(parent, op, child, space_, fresh);
        if (!fresh) continue;
        if (target_.holds(space_[child])) {
            goal_ = child;
            if (serving_ >= 0) led_by_ = queues_[serving_].name;
            return;
        }
        children_.push_back(child);
        origins_.push_back({index, op});
        child_preferred_.push_back(preferred);
    }
}

bool HybridSearch::evaluate_children() {
    child_states_.clear();
    for (StateId id : children_) child_states_.push_back(space_[id]);
    child_values_.resize(children_.size());
    for (std::size_t from = 0; from < children_.size(); from += slice) {
        const std::size_t n = std::min(slice, children_.size() - from);
        network_->evaluate({{child_states_.data() + from, n}, parents_, {origins_.data() + from, n}},
                           {child_values_.data() + from, n});
        network_progress_.evaluations += n;
        if (budget_.out_of_time()) return false;
    }
    bool progress = false;
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const float h = std::min(child_values_[i], worst);
        // The network's values are fractional: only a whole step counts as progress.
        progress |= network_progress_.improve(std::floor(h));
        *network_values_[children_[i]] = h;
        for (Queue& queue : queues_)
            if (queue.guide == Queue::by_network && (!queue.only_preferred || child_preferred_[i]))
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

// Inserts the children of each parent in the queues of the guides, ordered by the network's value.
void HybridSearch::list_children() {
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
            const float* values = parent_values_.data() + static_cast<std::size_t>(parent) * guides_.size();
            for (Queue& queue : queues_)
                if (queue.guide != Queue::by_network && queue.only_preferred == only_preferred)
                    queue.guided.push(values[queue.guide], *network_values_[listed_[0]], place);
        }
    }
}

uint64_t HybridSearch::effort() const {
    return own_effort_ + guides_.effort() + network_progress_.evaluations * effort_per_state_;
}

Statistics HybridSearch::statistics() const {
    Statistics s = stats_;
    s.evaluated = s.stored = space_.size();
    s.best_h = guides_.best(0);
    s.bytes = bytes();
    for (const Queue& queue : queues_) {
        s.open += queue.guided.size() + queue.eager.size();
        s.expansions_by_queue.emplace_back(queue.name, queue.expanded);
    }
    guides_.report(s);
    s.evaluations_by_heuristic.emplace_back("network", network_progress_.evaluations);
    return s;
}

uint64_t HybridSearch::other_bytes() const {
    uint64_t total = expanded_.size() / 8 + child_lists_.bytes() + network_values_.bytes() + guides_.bytes() +
                     children_.capacity() * (sizeof(StateId) + 1 + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float)) +
                     parents_.capacity() * sizeof(Word*) + reached_.capacity() * sizeof(Reached);
    for (const Queue& queue : queues_) total += queue.guided.bytes() + queue.eager.bytes();
    return total;
}

}  // namespace goalward
