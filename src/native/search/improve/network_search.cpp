#include "search/improve/network_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace goalward {

namespace {

// Children are evaluated in slices, which fit into the cache. The clock is checked after each slice.
constexpr std::size_t slice = 256;
constexpr uint64_t effort_of_expansion = 500, effort_of_child = 100, effort_of_word = 8;
// Weighted A* needs the fewest expansions if the network is accurate. A beam reaches the goal even if it is not. Each
// kind alone gave plans of the same length (15-puzzle: 57.7 steps on average).
constexpr WideOptions stages[] = {{8, false, 2},   {32, true, 1},   {128, false, 2},  {512, true, 1},
                                  {2048, false, 2}, {8192, true, 1}, {32768, false, 2}, {131072, true, 1}};

}  // namespace

WideSearch::WideSearch(const Costs& costs, const Heuristic& network, const Word* init, const WideOptions& options,
                       Budget& budget)
    : costs_(costs), problem_(costs.problem), options_(options), budget_(budget), network_(network.evaluator()),
      effort_per_state_(network.effort_per_state()), network_counts_costs_(network.unit_costs() == false),
      space_(problem_, budget) {
    const StateId id = space_.add(init).id;
    if (id == no_state) {
        exhausted_ = true;
        return;
    }
    *nodes_.next() = {0, 0};
    nodes_.commit();
    children_.push_back(id);
}

std::optional<Detour> WideSearch::advance(const Path& path, SuffixIndex& index, uint64_t effort) {
    if (!costs_.unit && !network_counts_costs_ && evaluated_ == 0)
        scale_ = static_cast<float>(path.cost()) / static_cast<float>(std::max(1, path.length()));
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    while (!exhausted_ && this->effort() < until && space_.within_budget(other_bytes())) {
        if (!evaluate_children()) break;
        take_batch(path.cost());
        exhausted_ = expanding_.empty() || expanded_ > static_cast<uint64_t>(options_.width) * path.length();
        if (exhausted_) break;
        for (std::size_t i = 0; i < expanding_.size() && space_.within_budget(other_bytes()); ++i)
            generate(static_cast<int32_t>(i), path, index);
        if (best_) {
            best_->steps = space_.path_to(best_end_);
            return std::exchange(best_, std::nullopt);
        }
    }
    return std::nullopt;
}

// Pops the best states that can still be part of a cheaper plan.
void WideSearch::take_batch(Cost bound) {
    expanding_.clear();
    parents_.clear();
    while (!open_.empty() && expanding_.size() < static_cast<std::size_t>(options_.width)) {
        const CostEntry entry = open_.pop();
        const Node& known = node(entry.state);
        const double f = static_cast<double>(known.g) + options_.weight * static_cast<double>(known.h);
        if (entry.f > f || known.g >= bound) continue;  // outdated: a cheaper path or plan was found
        expanding_.push_back(entry.state);
        parents_.push_back(space_[entry.state]);
    }
    if (options_.beam) open_.clear();
}

void WideSearch::generate(int32_t index, const Path& path, SuffixIndex& suffixes) {
    const StateId parent = expanding_[index];
    ++expanded_;
    for (int32_t op : space_.applicable(parent)) {
        ++generated_;
        const Cost g = node(parent).g + costs_.of(op);
        if (g >= path.cost()) continue;
        const auto [child, fresh] = space_.follow(parent, op);
        if (child == no_state) return;
        if (fresh) {
            *nodes_.next() = {g, 0};
            nodes_.commit();
            children_.push_back(child);
            origins_.push_back({index, op});
        } else {
            Node& known = node(child);
            if (g >= known.g) continue;
            known.g = g;
            space_.set_parent(child, parent);
            if (child < first_unevaluated_) insert(child);  // children of this batch are inserted later
        }
        const int first = path.first_costlier(g);
        const int to = first <= path.length() ? suffixes.last_applicable(space_[child], first) : -1;
        if (to < 0) continue;
        const Cost gain = path.cost_to(to) - g;
        if (best_ && gain <= best_->gain) continue;
        best_ = Detour{0, to, gain, {}};
        best_end_ = child;
    }
}

bool WideSearch::evaluate_children() {
    states_.clear();
    for (StateId id : children_) states_.push_back(space_[id]);
    values_.resize(children_.size());
    for (std::size_t from = 0; from < children_.size(); from += slice) {
        const std::size_t n = std::min(slice, children_.size() - from);
        const std::span<const Batch::Origin> origins = origins_.empty() ? std::span<const Batch::Origin>()
                                                                       : std::span(origins_.data() + from, n);
        network_->evaluate({{states_.data() + from, n}, parents_, origins}, {values_.data() + from, n});
        evaluated_ += n;
        if (budget_.out_of_time()) return false;
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
        node(children_[i]).h = std::max(values_[i], 0.0f) * scale_;
        insert(children_[i]);
    }
    first_unevaluated_ = static_cast<StateId>(space_.size());
    children_.clear();
    origins_.clear();
    return true;
}

void WideSearch::insert(StateId id) {
    const Node& n = node(id);
    open_.push({static_cast<double>(n.g) + options_.weight * static_cast<double>(n.h), n.h, order_++, id});
}

uint64_t WideSearch::effort() const {
    return evaluated_ * effort_per_state_ + expanded_ * effort_of_expansion +
           generated_ * (effort_of_child + effort_of_word * problem_.packing().n_words());
}

uint64_t WideSearch::other_bytes() const {
    return nodes_.bytes() + open_.bytes() +
           children_.capacity() * (sizeof(StateId) + sizeof(Batch::Origin) + sizeof(Word*) + sizeof(float)) +
           expanding_.capacity() * (sizeof(StateId) + sizeof(Word*));
}

void NetworkSearch::widen() {
    search_.reset();  // frees its memory before the next search allocates
    exhausted_ = stage_ == std::size(stages);
    if (exhausted_) return;
    search_ = std::make_unique<WideSearch>(costs_, network_, init_.data(), stages[stage_++], budget_);
    success_at_ = 0;
}

std::optional<Detour> NetworkSearch::advance(const Path& path, SuffixIndex& index, uint64_t effort) {
    const uint64_t until = effort_ + effort;
    while (effort_ < until && !budget_.exceeded()) {
        if (!search_ || search_->exhausted() || search_->bytes() > max_bytes_ ||
            (success_at_ && search_->effort() > 2 * success_at_))
            widen();
        if (exhausted_) break;
        const uint64_t before = search_->effort();
        uint64_t quantum = until - effort_;
        if (success_at_) quantum = std::min(quantum, 2 * success_at_ - std::min(before, 2 * success_at_) + 1);
        std::optional<Detour> found = search_->advance(path, index, quantum);
        effort_ += search_->effort() - before + 1;
        if (!found) continue;
        success_at_ = search_->effort();
        return found;
    }
    return std::nullopt;
}

}  // namespace goalward
