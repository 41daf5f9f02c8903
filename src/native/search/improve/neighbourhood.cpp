#include "search/improve/neighbourhood.hpp"

#include <algorithm>

namespace goalward {

Neighbourhood::Neighbourhood(const Costs& costs, const Path& path, SuffixIndex& index, Budget& budget,
                             uint64_t most_bytes)
    : costs_(costs), problem_(costs.problem), path_(path), index_(index), budget_(budget), most_bytes_(most_bytes),
      registry_(problem_.packing().n_words(), budget), values_(problem_.packing().n_variables()) {
    for (int i = 0; i <= path.length(); ++i) {
        std::copy_n(path.state(i), problem_.packing().n_words(), registry_.scratch());
        const auto [id, fresh] = registry_.insert_scratch();
        if (id == no_state || budget.exceeded()) {  // to look at all states of a long plan takes time
            full_ = true;
            return;
        }
        if (!fresh) continue;
        *nodes_.next() = {no_state, -1 - i, path.cost_to(i)};
        nodes_.commit();
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
    const Word* state = registry_[parent];
    const Cost g = nodes_[parent]->g;
    problem_.packing().unpack(state, values_.data());
    operators_.clear();
    problem_.applicable(values_.data(), operators_);
    generated_ += operators_.size();
    effort_ += 2 * values_.size() + operators_.size() * (100 + 8 * problem_.packing().n_words());
    for (int32_t op : operators_) {
        const Cost child_g = g + costs_.of(op);
        if (child_g >= path_.cost()) continue;
        problem_.apply(op, state, registry_.scratch());
        const auto [child, fresh] = registry_.insert_scratch();
        if (child == no_state) {
            full_ = true;
            return;
        }
        if (fresh) {
            *nodes_.next() = {parent, op, child_g};
            nodes_.commit();
        } else {
            // A cheaper way to a state that is known: it is expanded again, and so is what comes after it.
            if (child_g >= nodes_[child]->g) continue;
            *nodes_[child] = {parent, op, child_g};
        }
        next_.push_back(child);
        look(child);
    }
}

void Neighbourhood::look(StateId id) {
    const int least = path_.first_beyond(nodes_[id]->g);
    if (least > path_.length()) return;
    if (const int to = index_.furthest(registry_[id], least); to >= 0) found_.emplace_back(id, to);
}

Detour Neighbourhood::detour(StateId id, int to) const {
    Detour result{0, to, path_.cost_to(to) - nodes_[id]->g, {}};
    for (; nodes_[id]->parent != no_state; id = nodes_[id]->parent) result.steps.push_back(nodes_[id]->op);
    result.from = -1 - nodes_[id]->op;
    std::reverse(result.steps.begin(), result.steps.end());
    return result;
}

bool Neighbourhood::stopped() {
    const uint64_t before = std::exchange(accounted_, registry_.bytes() + nodes_.bytes() +
                                                          (layer_.capacity() + next_.capacity()) * sizeof(StateId));
    full_ = full_ || accounted_ > most_bytes_;
    return !budget_.fits(before, accounted_) || budget_.exceeded() || full_;
}

}  // namespace goalward
