#include "search/improve/search_again.hpp"

#include <algorithm>

namespace goalward {

namespace {
constexpr double weights[] = {5, 3, 2, 1};
constexpr uint64_t head_start = 30'000'000;
constexpr uint64_t memory_check_interval = 10'000'000;  // effort between two checks of the total memory
}  // namespace

// The landmark count is in steps. Its weight includes the average cost of a step, which makes it comparable with h_FF.
SearchAgain::Search::Search(const SearchAgain& parent, const Path& path, double weight)
    : guides(parent.guidance_.guides(parent.costs_.problem.goal(), parent.costs_.unit)),
      states(parent.costs_,
             {{guides[0].get(), weight},
              {guides[1].get(), weight * static_cast<double>(path.cost()) / static_cast<double>(std::max(1, path.length()))}},
             parent.init_.data(), parent.budget_) {}

std::optional<Detour> SearchAgain::advance(const Path& path, SuffixIndex& index, uint64_t effort) {
    for (const uint64_t until = effort_ + effort; effort_ < until && !budget_.exceeded();) {
        Search* search = next(path);
        exhausted_ = !search;
        if (exhausted_) break;
        const uint64_t before = search->states.effort();
        std::optional<Detour> found =
            search->states.advance(path, index, 0, path.cost(), std::min(until - effort_, memory_check_interval));
        effort_ += search->states.effort() - before + 1;
        limit_memory();
        if (found) return found;
    }
    return std::nullopt;
}

// The search with the minimum effort so far, or a new one if all searches have had their head start.
SearchAgain::Search* SearchAgain::next(const Path& path) {
    std::erase_if(searches_, [](const auto& search) { return search->states.exhausted(); });
    const auto next = std::min_element(searches_.begin(), searches_.end(), [](const auto& a, const auto& b) {
        return a->states.effort() < b->states.effort();
    });
    if (n_started_ < std::size(weights) && (next == searches_.end() || (*next)->states.effort() >= head_start)) {
        searches_.push_back(std::make_unique<Search>(*this, path, weights[n_started_++]));
        return searches_.back().get();
    }
    return next == searches_.end() ? nullptr : next->get();
}

void SearchAgain::limit_memory() {
    uint64_t bytes = 0;
    for (const auto& search : searches_) bytes += search->states.bytes();
    if (bytes <= max_bytes_) return;
    searches_.erase(std::max_element(searches_.begin(), searches_.end(), [](const auto& a, const auto& b) {
        return a->states.bytes() < b->states.bytes();
    }));
}

}  // namespace goalward
