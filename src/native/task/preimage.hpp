// Steps backwards: from a set of atoms x to the pre-image (x \ Add(a)) ∪ Pre(a) of an action a.
//
//     PreimageWalk walk(task);
//     walk.start();                                     // x = G
//     const int32_t a = walk.choose(Selection::uniform, random);
//     if (a >= 0) walk.apply(a);
//
// A valid action adds an atom of x, deletes none of it, and its precondition excludes none of its other atoms by a mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "task/problem.hpp"
#include "task/random.hpp"
#include "task/rows.hpp"

namespace goalward {

struct RegressionTask {
    Rows pre, add, del;  // per operator
    Rows groups_of;      // per atom, the mutex groups it belongs to
    std::vector<int32_t> goal;
    int n_groups = 0;
    std::vector<int32_t> opposite;  // per atom, the one that is true exactly where it is false, or -1
};

// The stored atoms and active operators of a problem. `opposite` is left empty: walks do not need it.
RegressionTask regression_task(const Problem& problem, const Rows& mutex_groups);

enum class Selection { uniform, novelty };  // RSL, N-RSL

// x as flags and, per mutex group, its one atom in x.
//
// x never holds two atoms of a group: G does not, and an action whose precondition would bring a second one is not
// valid. So whether x meets e-Del(a) can be read off the groups of Pre(a).
class PreimageWalk {
public:
    // The task belongs to the caller.
    explicit PreimageWalk(const RegressionTask& task);

    void start();
    // x, sorted.
    const std::vector<int32_t>& preimage();
    bool contains(int32_t atom) const { return in_x_[atom]; }
    // An action to regress through, drawn uniformly among the valid ones, or among those of them with the most
    // preconditions that are new to the walk (μ⁺); -1 where none is valid.
    int32_t choose(Selection selection, Random& random);
    // x becomes (x \ Add(a)) ∪ Pre(a).
    void apply(int32_t a);
    // Actions looked at so far: a measure of work that repeats exactly.
    uint64_t effort() const { return effort_; }

private:
    bool valid(int32_t a) const;
    int novelty(int32_t a) const;
    void enter(int32_t atom);
    void leave(int32_t atom);

    const RegressionTask& task_;
    Rows adders_;
    std::vector<int32_t> x_;
    std::vector<uint8_t> in_x_, seen_;  // in x; in any pre-image of this walk
    std::vector<int32_t> atom_in_group_;
    std::vector<int64_t> stamp_;
    int64_t step_ = 0;
    uint64_t effort_ = 0;
};

}  // namespace goalward
