#include "search/core/state_space.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

StateSpace::StateSpace(const Problem& problem, Budget& budget, OperatorOrder order)
    : problem_(problem), budget_(budget), order_(order), registry_(problem.packing().n_words(), budget),
      values_(problem.packing().n_variables()) {}

StateSpace::Added StateSpace::add(std::span<const int32_t> atoms) {
    packing().pack(atoms, registry_.scratch());
    return insert(no_state);
}

StateSpace::Added StateSpace::add(const Word* state) {
    std::copy_n(state, packing().n_words(), registry_.scratch());
    return insert(no_state);
}

StateSpace::Added StateSpace::insert(StateId parent) {
    const auto [id, fresh] = registry_.insert_scratch();
    if (fresh) {
        *parents_.next() = parent;
        parents_.commit();
    }
    incomplete_ = incomplete_ || id == no_state;
    return {id, fresh};
}

const std::vector<int32_t>& StateSpace::applicable(StateId id) {
    Listed& listed = listed_[id % listed_.size()];
    if (listed.id == id) return listed.operators;
    listed.id = id;
    listed.operators.clear();
    packing().unpack(registry_[id], values_.data());
    problem_.applicable(values_.data(), listed.operators);
    if (order_ == OperatorOrder::ascending) std::sort(listed.operators.begin(), listed.operators.end());
    return listed.operators;
}

std::vector<int32_t> StateSpace::path_to(StateId id) {
    const std::size_t n_words = packing().n_words();
    std::vector<int32_t> result;
    for (; parent(id) != no_state; id = parent(id)) {
        const Word* from = registry_[parent(id)];
        int32_t best = -1;
        for (int32_t op : applicable(parent(id))) {
            problem_.apply(op, from, registry_.scratch());
            if (!std::equal(registry_.scratch(), registry_.scratch() + n_words, registry_[id])) continue;
            if (best < 0 || problem_.cost(op) < problem_.cost(best)) best = op;
        }
        result.push_back(best);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

StateId StateSpace::root_of(StateId id) const {
    while (parent(id) != no_state) id = parent(id);
    return id;
}

bool StateSpace::within_budget(uint64_t other_bytes) {
    const uint64_t before = std::exchange(accounted_, bytes() + other_bytes);
    return budget_.fits(before, accounted_) && !budget_.exceeded();
}

}  // namespace goalward
