#include "search/improve/path.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace goalward {

bool applicable(const Problem& problem, int32_t op, const Word* state) {
    const auto pre = problem.op(op).pre;
    return std::all_of(pre.begin(), pre.end(), [&](int32_t atom) { return problem.packing().holds(state, atom); });
}

std::optional<Path> Path::along(const Costs& costs, std::span<const Word> init, std::vector<int32_t> plan) {
    const Problem& problem = costs.problem;
    Path path;
    path.plan_ = std::move(plan);
    path.n_words_ = problem.packing().n_words();
    path.states_.resize(path.n_words_ * (path.plan_.size() + 1));
    std::copy(init.begin(), init.end(), path.states_.begin());
    path.cost_to_.push_back(0);
    for (int i = 0; i < path.length(); ++i) {
        if (!applicable(problem, path.op(i), path.state(i))) return std::nullopt;
        problem.apply(path.op(i), path.state(i), path.states_.data() + (i + 1) * path.n_words_);
        path.cost_to_.push_back(path.cost_to_.back() + costs.of(path.op(i)));
    }
    if (!problem.is_goal(path.state(path.length()))) return std::nullopt;
    return path;
}

Path Path::of_plan(const Costs& costs, std::span<const Word> init, std::vector<int32_t> plan) {
    std::optional<Path> path = along(costs, init, std::move(plan));
    if (!path) throw std::logic_error("internal error: a change made by the plan improver is not a plan");
    return std::move(*path);
}

int Path::first_costlier(Cost cost) const {
    return static_cast<int>(std::upper_bound(cost_to_.begin(), cost_to_.end(), cost) - cost_to_.begin());
}

}  // namespace goalward
