#include "search/improve/neighbourhood.hpp"

#include <algorithm>

namespace goalward {

Neighbourhood::Neighbourhood(const Costs& costs, const Path& path, SuffixIndex& index, Budget& budget,
                             uint64_t max_bytes)
    : costs_(costs), problem_(costs.problem), path_(path), index_(index), budget_(budget), max_bytes_(max_bytes),
      space_(problem_, budget) {
    for (int i = 0; i <= path.length(); ++i) {
        const auto [id, fresh] = space_.add(path.state(i));
        if (id == no_state || budget.exceeded()) {  // checked here because a plan may be long
            full_ = true;
            return;
        }
        if (!fresh) continue;
        *g_.next() = path.cost_to(i);
        g_.commit();
        places_.push_back(i);
        layer_.push_back(id);
        check_suffixes(id);
    }
}

std::vector<Detour> Neighbourhood::advance(uint64_t effort) {
    uint64_t until = effort_ + effort;
    while (effort_ < until && !stopped()) {
        if (at_ == layer_.size()) {
            if (!found_.empty() || next_.empty()) break;
            layer_.swap(next_);
            next_.clear();
            at_ = 0;
        }
        const bool nothing_yet = found_.empty();
        expand(layer_[at_++]);
        // Finding other detours in this layer now costs less than starting again.
        if (nothing_yet && !found_.empty()) until = std::min(until, 2 * effort_);
    }
    std::vector<Detour> result;
    for (const auto& [id, to] : found_) result.push_back(detour(id, to));
    found_.clear();
    return result;
}

void Neighbourhood::expand(StateId parent) {
    const Cost g = *g_[parent];
    const std::vector<int32_t>& operators = space_.applicable(parent);
    generated_ += operators.size();
    effort_ += 2 * static_cast<uint64_t>(problem_.packing().n_variables()) +
               operators.size() * (100 + 8 * static_cast<uint64_t>(problem_.packing().n_words()));
    for (int32_t op : operators) {
        const Cost child_g = g + costs_.of(op);
        if (child_g >= path_.cost()) continue;
        const auto [child, fresh] = space_.follow(parent, op);
        if (child == no_state) {
            full_ = true;
            return;
        }
        if (fresh) {
            g_.next();
            g_.commit();
        } else {
            // A cheaper path to a state: expand it and its successors again.
            if (child_g >= *g_[child]) continue;
            space_.set_parent(child, parent);
        }
        *g_[child] = child_g;
        next_.push_back(child);
        check_suffixes(child);
    }
}

void Neighbourhood::check_suffixes(StateId id) {
    const int first = path_.first_costlier(*g_[id]);
    if (first > path_.length()) return;
    if (const int to = index_.last_applicable(space_[id], first); to >= 0) found_.emplace_back(id, to);
}

Detour Neighbourhood::detour(StateId id, int to) {
    return {places_[space_.root_of(id)], to, path_.cost_to(to) - *g_[id], space_.path_to(id)};
}

bool Neighbourhood::stopped() {
    const uint64_t other = g_.bytes() + (layer_.capacity() + next_.capacity()) * sizeof(StateId);
    full_ = full_ || space_.bytes() + other > max_bytes_;
    return !space_.within_budget(other) || full_;
}

}  // namespace goalward
