#include "search/improve/search_again.hpp"

#include <algorithm>

namespace goalward {

namespace {
constexpr double weights[] = {5, 3, 2, 1};
constexpr uint64_t head_start = 30'000'000;
constexpr uint64_t most_bytes = 256 * 1024 * 1024;  // of each search
}  // namespace

// The landmark count is in steps: what a step of the plan costs on average makes it comparable with h_FF.
SearchAgain::Search::Search(const SearchAgain& parent, const Path& path, double weight)
    : ff(parent.guidance_.relaxation), landmarks(parent.guidance_.landmarks),
      states(parent.costs_,
             {{&ff, weight},
              {&landmarks, weight * static_cast<double>(path.cost()) / static_cast<double>(std::max(1, path.length()))}},
             parent.init_.data(), parent.budget_) {}

bool SearchAgain::Search::over() const { return states.exhausted() || states.bytes() > most_bytes; }

std::optional<Detour> SearchAgain::advance(const Path& path, SuffixIndex& index, uint64_t effort) {
    guidance_.relaxation.set_goal(costs_.problem.goal());
    for (const uint64_t until = effort_ + effort; effort_ < until && !budget_.exceeded();) {
        Search* search = next(path);
        exhausted_ = !search;
        if (exhausted_) break;
        const uint64_t before = search->states.effort();
        std::optional<Detour> found =
            search->states.advance(path, index, 0, path.cost(), std::min(until - effort_, head_start));
        effort_ += search->states.effort() - before + 1;
        if (found) return found;
    }
    return std::nullopt;
}

// The search with the least effort so far; a new one once every search has had its head start.
SearchAgain::Search* SearchAgain::next(const Path& path) {
    Search* least = nullptr;
    for (const auto& search : searches_)
        if (!search->over() && (!least || search->states.effort() < least->states.effort())) least = search.get();
    if (searches_.size() < std::size(weights) && (!least || least->states.effort() >= head_start)) {
        searches_.push_back(std::make_unique<Search>(*this, path, weights[searches_.size()]));
        least = searches_.back().get();
    }
    return least;
}

}  // namespace goalward
