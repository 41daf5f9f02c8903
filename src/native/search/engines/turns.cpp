#include "search/engines/turns.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

namespace {
constexpr uint64_t shortest_turn = 5'000'000;  // in units of effort, which are about nanoseconds
constexpr uint64_t turns_so_far = 16;  // later turns are this part of the effort so far, so that there are not too many
}  // namespace

void Turns::add(Make make, double share, uint64_t delay) { members_.push_back({std::move(make), share, delay, nullptr}); }

std::optional<Status> Turns::advance(std::span<const int32_t> init) {
    const auto next = std::min_element(members_.begin(), members_.end(),
                                       [](const Member& a, const Member& b) { return a.due() < b.due(); });
    last_ = static_cast<std::size_t>(next - members_.begin());
    const uint64_t turn = members_.size() == 1 ? UINT64_MAX : std::max(shortest_turn, done_ / turns_so_far);
    done_ += turn;
    if (!next->search) {
        next->search = next->make();
        if (const auto status = next->search->start(init)) return status;
    }
    return next->search->advance(turn);
}

uint64_t Turns::effort() const {
    uint64_t total = 0;
    for (const Member& member : members_)
        if (member.search) total += member.search->effort();
    return total;
}

Statistics Turns::statistics() const {
    Statistics total;
    for (const Member& member : members_) {
        if (!member.search) continue;
        if (&member == &members_.front())
            total = member.search->statistics();
        else
            total.add(member.search->statistics());
    }
    return total;
}

}  // namespace goalward
