#include "search/queues.hpp"

#include <algorithm>
#include <stdexcept>

namespace goalward {

PreferredOperators::Place PreferredOperators::add(StateId state, std::span<const int32_t> operators) {
    const std::size_t place = size_, needed = size_ + 2 + operators.size();
    if (needed > UINT32_MAX) throw std::length_error("more than 2^32 preferred operators");
    if (needed > cells_.size()) cells_.grow(std::max<std::size_t>(needed, 4096 + cells_.size() * 3 / 2));
    cells_[place] = static_cast<int32_t>(state);
    cells_[place + 1] = static_cast<int32_t>(operators.size());
    std::copy(operators.begin(), operators.end(), &cells_[place + 2]);
    size_ = needed;
    return static_cast<Place>(place);
}

}  // namespace goalward
