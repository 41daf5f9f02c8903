#include "search/improve/neighbourhood.hpp"

#include <algorithm>

namespace goalward {

Neighbourhood::Neighbourhood(const Costs& costs, const Path& path, SuffixIndex& index, Budget& budget,
                             uint64_t most_bytes)
    : costs_(costs), problem_(costs.problem), path_(path), index_(index), budget_(budget), most_bytes_(most_bytes),
      space_(problem_, budget) {
    for (int i = 0; i <= path.length(); ++i) {
        const auto [id, fresh] = space_.add(path.state(i));
        if (id == no_state || budget.exceeded()) {  // to look at all states of a long plan takes time
            full_ = true;
            return;
        }
        if (!fresh) continue;
        *g_.next() = path.cost_to(i);
        g_.commit();
        places_.push_back(i);
        layer_.push_back(id);
        look(id);
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
        // To find other detours in this layer now costs less than to come back here for them.
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
            // A cheaper way to a state that is known: it is expanded again, and so is what comes after it.
            if (child_g >= *g_[child]) continue;
            space_.set_parent(child, parent);
        }
        *g_[child] = child_g;
        next_.push_back(child);
        look(child);
    }
}

void Neighbourhood::look(StateId id) {
    const int least = path_.first_beyond(*g_[id]);
    if (least > path_.length()) return;
    if (const int to = index_.furthest(space_[id], least); to >= 0) found_.emplace_back(id, to);
}

Detour Neighbourhood::detour(StateId id, int to) {
    return {places_[space_.root_of(id)], to, path_.cost_to(to) - *g_[id], space_.path_to(id)};
}

bool Neighbourhood::stopped() {
    const uint64_t other = g_.bytes() + (layer_.capacity() + next_.capacity()) * sizeof(StateId);
    full_ = full_ || space_.bytes() + other > most_bytes_;
    return !space_.within_budget(other) || full_;
}

}  // namespace goalward
