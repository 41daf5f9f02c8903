#include "search/improve/detours.hpp"

#include <algorithm>
#include <utility>

namespace goalward {

namespace {

constexpr int max_failures = 32;  // stop after this number of detours that cannot be combined with the others

std::vector<int32_t> spliced(const Path& path, const std::vector<const Detour*>& detours) {
    const std::vector<int32_t>& old = path.plan();
    std::vector<int32_t> plan;
    int at = 0;
    for (const Detour* d : detours) {
        plan.insert(plan.end(), old.begin() + at, old.begin() + d->from);
        plan.insert(plan.end(), d->steps.begin(), d->steps.end());
        at = d->to;
    }
    plan.insert(plan.end(), old.begin() + at, old.end());
    return plan;
}

}  // namespace

Path take_detours(const Costs& costs, const Path& path, std::vector<Detour> detours, Budget& budget) {
    std::stable_sort(detours.begin(), detours.end(), [](const Detour& a, const Detour& b) { return a.gain > b.gain; });
    const std::vector<Word> init(path.state(0), path.state(0) + costs.problem.packing().n_words());
    Path best = path;
    std::vector<const Detour*> taken;  // in the order of the path
    int failures = 0;
    for (const Detour& d : detours) {
        if (!taken.empty() && budget.exceeded()) break;
        const auto after = std::find_if(taken.begin(), taken.end(), [&](const Detour* t) { return t->to > d.from; });
        if (after != taken.end() && (*after)->from < d.to) continue;  // they overlap
        std::vector<const Detour*> tried(taken.begin(), after);
        tried.push_back(&d);
        tried.insert(tried.end(), after, taken.end());
        // A detour may be inapplicable after earlier ones, because other atoms hold than on the original path.
        if (std::optional<Path> together = Path::along(costs, init, spliced(path, tried))) {
            best = std::move(*together);
            taken = std::move(tried);
        } else if (++failures == max_failures) {
            break;
        }
    }
    return best;
}

}  // namespace goalward
