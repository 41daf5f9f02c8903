#include "search/batches/many.hpp"

namespace goalward {

ManyResults search_many(const Heuristic& heuristic, const Rows& inits, const SearchOptions& options,
                        const std::function<bool()>& go_on) {
    ManyResults results;
    for (std::size_t i = 0; i < inits.size(); ++i) {
        const SearchResult result =
            best_first_search(heuristic, inits[i], options, [&](const Statistics&) { return go_on(); });
        if (result.status == Status::cancelled) break;
        results.status.push_back(result.status);
        results.expanded.push_back(static_cast<int32_t>(result.statistics.expanded));
        results.plans.push_back(result.plan);
        results.left_at.insert(results.left_at.end(), result.next_state.begin(), result.next_state.end());
        if (i % 64 == 63 && !go_on()) break;
    }
    return results;
}

}  // namespace goalward
