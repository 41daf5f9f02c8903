#include "search/engines/agenda.hpp"

#include <algorithm>

#include "task/preimage.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {
constexpr int most_walks = 200;
constexpr uint64_t longest_walk = 1000;
constexpr uint64_t first_looks = 1'000'000, later_looks = 16'000'000;  // at actions, by all walks together
constexpr uint64_t effort_of_look = 10, effort_of_operator = 100;
}  // namespace

Agenda goal_agenda(const Problem& problem, const Rows& mutex_groups, int attempt, Budget& budget) {
    const auto goal = problem.goal().atoms();
    Agenda agenda{{goal.begin(), goal.end()}, 0};
    if (goal.size() < 2) return agenda;
    const uint64_t looks = attempt == 0 ? first_looks : later_looks;
    const RegressionTask task = regression_task(problem, mutex_groups);
    PreimageWalk walk(task);
    Random random(static_cast<uint64_t>(attempt));
    std::vector<uint64_t> undone(problem.packing().n_atoms());  // the sum of steps after which an atom was undone
    std::vector<int32_t> left;
    // Only a whole walk tells early atoms apart: one begins while there are looks left, and may end beyond them.
    for (int n = 0; n < most_walks && walk.effort() < looks; ++n) {
        walk.start();
        left = agenda.atoms;
        int32_t a = 0;
        for (uint64_t step = 1; step <= longest_walk && !left.empty() && a >= 0; ++step) {
            budget.require();
            a = walk.effort() < 2 * looks ? walk.choose(Selection::uniform, random) : -1;
            if (a < 0) break;
            walk.apply(a);
            for (int32_t atom : task.add[a])
                if (const auto at = std::find(left.begin(), left.end(), atom); at != left.end() && !walk.contains(atom)) {
                    undone[atom] += step;
                    left.erase(at);
                }
        }
        for (int32_t atom : left) undone[atom] += longest_walk + 1;
        if (left.size() == agenda.atoms.size()) break;  // there is no way back: all walks will be like this one
    }
    std::stable_sort(agenda.atoms.begin(), agenda.atoms.end(),
                     [&](int32_t a, int32_t b) { return undone[a] > undone[b]; });
    agenda.effort = walk.effort() * effort_of_look + problem.active_operators().size() * effort_of_operator;
    return agenda;
}

}  // namespace goalward
