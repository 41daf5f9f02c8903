#include "task/preimage.hpp"

#include <algorithm>

namespace goalward {

RegressionTask regression_task(const Problem& problem, const Rows& mutex_groups) {
    RegressionTask task;
    for (int32_t o : problem.active_operators()) {
        const Problem::Operator op = problem.op(o);
        task.pre.push_back(op.pre);
        task.add.push_back(op.add);
        task.del.push_back(op.del);
    }
    std::vector<std::vector<int32_t>> groups_of(problem.packing().n_atoms());
    for (std::size_t group = 0; group < mutex_groups.size(); ++group)
        for (int32_t atom : mutex_groups[group]) groups_of[atom].push_back(static_cast<int32_t>(group));
    for (const auto& groups : groups_of) task.groups_of.push_back(groups);
    task.n_groups = static_cast<int>(mutex_groups.size());
    task.goal.assign(problem.goal().atoms().begin(), problem.goal().atoms().end());
    return task;
}

PreimageWalk::PreimageWalk(const RegressionTask& task)
    : task_(task), in_x_(task.groups_of.size(), 0), seen_(in_x_.size(), 0), atom_in_group_(task.n_groups, -1),
      stamp_(task.pre.size(), -1) {
    std::vector<std::vector<int32_t>> by_atom(in_x_.size());
    for (std::size_t a = 0; a < task.add.size(); ++a)
        for (int32_t atom : task.add[a]) by_atom[atom].push_back(static_cast<int32_t>(a));
    for (const auto& row : by_atom) adders_.push_back(row);
}

void PreimageWalk::start() {
    for (int32_t atom : x_) leave(atom);
    x_.clear();
    std::fill(seen_.begin(), seen_.end(), 0);
    for (int32_t atom : task_.goal) enter(atom);
}

const std::vector<int32_t>& PreimageWalk::preimage() {
    std::sort(x_.begin(), x_.end());
    return x_;
}

int32_t PreimageWalk::choose(Selection selection, Random& random) {
    ++step_;
    int32_t chosen = -1;
    int best = -1;
    uint32_t ties = 0;
    for (int32_t atom : x_)
        for (int32_t a : adders_[atom]) {
            if (stamp_[a] == step_) continue;
            stamp_[a] = step_;
            ++effort_;
            if (!valid(a)) continue;
            const int score = selection == Selection::novelty ? novelty(a) : 0;
            if (score > best) {
                best = score;
                ties = 0;
            }
            // Keeping the k-th of the best actions with probability 1/k makes the choice uniform.
            if (score == best && random.below(++ties) == 0) chosen = a;
        }
    return chosen;
}

void PreimageWalk::apply(int32_t a) {
    for (int32_t atom : task_.add[a])
        if (in_x_[atom]) leave(atom);
    std::erase_if(x_, [&](int32_t atom) { return !in_x_[atom]; });
    for (int32_t atom : task_.pre[a])
        if (!in_x_[atom]) enter(atom);
}

bool PreimageWalk::valid(int32_t a) const {
    for (int32_t atom : task_.del[a])
        if (in_x_[atom]) return false;
    const auto add = task_.add[a];
    for (int32_t p : task_.pre[a])
        for (int32_t group : task_.groups_of[p]) {
            const int32_t q = atom_in_group_[group];
            if (q >= 0 && q != p && std::find(add.begin(), add.end(), q) == add.end()) return false;
        }
    return true;
}

// μ⁺(a, τ) = |Pre(a) \ ∪τ|
int PreimageWalk::novelty(int32_t a) const {
    int count = 0;
    for (int32_t p : task_.pre[a]) count += !seen_[p];
    return count;
}

void PreimageWalk::enter(int32_t atom) {
    in_x_[atom] = seen_[atom] = 1;
    for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = atom;
    x_.push_back(atom);
}

void PreimageWalk::leave(int32_t atom) {
    in_x_[atom] = 0;
    for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = -1;
}

}  // namespace goalward
