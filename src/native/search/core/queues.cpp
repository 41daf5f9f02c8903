#include "search/core/queues.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace goalward {

PreferredOperators::Place PreferredOperators::add(StateId state, std::span<const int32_t> operators) {
    const std::size_t place = size_, needed = size_ + 2 + operators.size();
    if (needed > UINT32_MAX) throw std::length_error("more than 2^32 preferred operators");
    cells_.ensure_size(needed);
    cells_[place] = static_cast<int32_t>(state);
    cells_[place + 1] = static_cast<int32_t>(operators.size());
    std::copy(operators.begin(), operators.end(), &cells_[place + 2]);
    size_ = needed;
    return static_cast<Place>(place);
}

std::optional<OperatorQueue::Served> OperatorQueue::next(StateSpace& space, const PreferredOperators& preferred) {
    while (!items_.empty()) {
        StateId state = items_.first();
        std::span<const int32_t> operators;
        if (only_preferred_)
            std::tie(state, operators) = preferred[items_.first()];
        else
            operators = space.applicable(state);
        const bool listed = !only_preferred_ && std::exchange(listed_, state) != state;
        const std::size_t served = items_.served();
        if (served + 1 < operators.size())
            items_.serve();
        else
            items_.drop();
        if (served < operators.size()) return Served{state, operators[served], listed};
    }
    return std::nullopt;
}

ChildLists::Place ChildLists::add(std::span<const StateId> children) {
    const std::size_t place = size_, needed = size_ + children.size() + 1;
    if (needed > UINT32_MAX) throw std::length_error("more than 2^32 children");
    cells_.ensure_size(needed);
    std::copy(children.begin(), children.end(), &cells_[place]);
    cells_[needed - 1] = no_state;
    size_ = needed;
    return static_cast<Place>(place);
}

StateId ChildQueue::pop(const ChildLists& lists, const Chunked<float>& values) {
    const Entry entry = entries_.pop();
    if (const StateId next = lists[entry.place + 1]; next != no_state)
        entries_.push({entry.parent, ordered(*values[next]), entry.place + 1});
    return lists[entry.place];
}

}  // namespace goalward
