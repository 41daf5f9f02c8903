#include "search/engines/agenda.hpp"

#include <algorithm>

#include "task/preimage.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {
constexpr int max_walks = 200;
constexpr uint64_t max_walk_length = 1000;
// Maximum number of actions examined by all walks of the first attempt, and of each later one.
constexpr uint64_t max_examined_first = 1'000'000, max_examined_later = 16'000'000;
constexpr uint64_t effort_of_examination = 10, effort_of_operator = 100;
}  // namespace

Agenda goal_agenda(const Problem& problem, const Rows& mutex_groups, int attempt, Budget& budget) {
    const auto goal = problem.goal().atoms();
    Agenda agenda{{goal.begin(), goal.end()}, 0};
    if (goal.size() < 2) return agenda;
    const uint64_t max_examined = attempt == 0 ? max_examined_first : max_examined_later;
    const RegressionTask task = regression_task(problem, mutex_groups);
    PreimageWalk walk(task);
    Random random(static_cast<uint64_t>(attempt));
    std::vector<uint64_t> undone(problem.packing().n_atoms());  // sum over the walks of the steps that undid an atom
    std::vector<int32_t> remaining;
    // Only long walks distinguish atoms that come early in the agenda. So a walk that has started may exceed the limit.
    for (int n = 0; n < max_walks && walk.effort() < max_examined; ++n) {
        walk.start();
        remaining = agenda.atoms;
        for (uint64_t step = 1; step <= max_walk_length && !remaining.empty(); ++step) {
            budget.require();
            const int32_t a = walk.effort() < 2 * max_examined ? walk.choose(Selection::uniform, random) : -1;
            if (a < 0) break;
            walk.apply(a);
            for (int32_t atom : task.add[a]) {
                const auto it = std::find(remaining.begin(), remaining.end(), atom);
                if (it == remaining.end() || walk.contains(atom)) continue;
                undone[atom] += step;
                remaining.erase(it);
            }
        }
        for (int32_t atom : remaining) undone[atom] += max_walk_length + 1;
        if (remaining.size() == agenda.atoms.size()) break;  // no action is valid in the goal, so all walks are equal
    }
    std::stable_sort(agenda.atoms.begin(), agenda.atoms.end(),
                     [&](int32_t a, int32_t b) { return undone[a] > undone[b]; });
    agenda.effort = walk.effort() * effort_of_examination + problem.active_operators().size() * effort_of_operator;
    return agenda;
}

}  // namespace goalward
