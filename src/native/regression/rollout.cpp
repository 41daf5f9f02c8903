#include "regression/rollout.hpp"

#include <algorithm>

#include "search/budget.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {

// One rollout's state: the pre-image x as flags and, per mutex group, its one atom in x.
//
// x never holds two atoms of a group: G does not, and an action whose precondition would bring a second one is not
// valid. So whether x meets e-Del(a) can be read off the groups of Pre(a).
class Rollout {
public:
    Rollout(const RegressionTask& task, const Rows& adders)
        : task_(task), adders_(adders), in_x_(adders.size(), 0), seen_(adders.size(), 0),
          atom_in_group_(task.n_groups, -1), stamp_(task.pre.size(), -1) {}

    void start() {
        for (int32_t atom : x_) leave(atom);
        x_.clear();
        std::fill(seen_.begin(), seen_.end(), 0);
        for (int32_t atom : task_.goal) enter(atom);
    }

    const std::vector<int32_t>& preimage() {
        std::sort(x_.begin(), x_.end());
        return x_;
    }

    // The action to regress through, or -1 when none is valid.
    int32_t choose(Selection selection, Random& random) {
        ++step_;
        int32_t chosen = -1;
        int best = -1;
        uint32_t ties = 0;
        for (int32_t atom : x_)
            for (int32_t a : adders_[atom]) {
                if (stamp_[a] == step_) continue;
                stamp_[a] = step_;
                if (!valid(a)) continue;
                const int score = selection == Selection::novelty ? novelty(a) : 0;
                if (score > best) {
                    best = score;
                    ties = 0;
                }
                // Keeping the k-th of equals with probability 1/k makes the choice among them uniform.
                if (score == best && random.below(++ties) == 0) chosen = a;
            }
        return chosen;
    }

    // x becomes (x \ Add(a)) ∪ Pre(a).
    void apply(int32_t a) {
        for (int32_t atom : task_.add[a])
            if (in_x_[atom]) leave(atom);
        std::erase_if(x_, [&](int32_t atom) { return !in_x_[atom]; });
        for (int32_t atom : task_.pre[a])
            if (!in_x_[atom]) enter(atom);
    }

private:
    bool valid(int32_t a) const {
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
    int novelty(int32_t a) const {
        int count = 0;
        for (int32_t p : task_.pre[a]) count += !seen_[p];
        return count;
    }

    void enter(int32_t atom) {
        in_x_[atom] = seen_[atom] = 1;
        for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = atom;
        x_.push_back(atom);
    }
    void leave(int32_t atom) {
        in_x_[atom] = 0;
        for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = -1;
    }

    const RegressionTask& task_;
    const Rows& adders_;
    std::vector<int32_t> x_;
    std::vector<uint8_t> in_x_, seen_;  // in x; in any pre-image of this rollout
    std::vector<int32_t> atom_in_group_;
    std::vector<int64_t> stamp_;
    int64_t step_ = 0;
};

}  // namespace

Rollouts regress(const RegressionTask& task, Selection selection, int n, int length, uint64_t seed,
                 const std::function<bool()>& go_on) {
    std::vector<std::vector<int32_t>> by_atom(task.groups_of.size());
    for (std::size_t a = 0; a < task.add.size(); ++a)
        for (int32_t atom : task.add[a]) by_atom[atom].push_back(static_cast<int32_t>(a));
    Rows adders;
    for (const auto& row : by_atom) adders.push_back(row);

    Rollouts result;
    Rollout rollout(task, adders);
    const auto record = [&](int j, int i, int32_t a) {
        result.preimages.push_back(rollout.preimage());
        result.depth.push_back(i);
        result.rollout.push_back(j);
        result.operators.push_back(a);
    };
    Random seeds(seed);
    Budget budget(0, 0, 1, go_on);
    for (int j = 0; j < n; ++j) {
        Random random(seeds.next());
        rollout.start();
        record(j, 0, -1);
        for (int i = 1; i <= length; ++i) {
            const int32_t a = rollout.choose(selection, random);
            if (a < 0) break;
            rollout.apply(a);
            record(j, i, a);
            if (budget.exceeded()) return result;
        }
        if (budget.exceeded()) return result;
    }
    return result;
}

}  // namespace goalward
