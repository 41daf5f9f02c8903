// Random walks by regression: a step leads from a set of atoms x to the pre-image (x \ Add(a)) ∪ Pre(a) of an action a.
//
//     PreimageWalk walk(task);
//     walk.start();                                     // x = G
//     const int32_t a = walk.choose(Selection::uniform, random);
//     if (a >= 0) walk.apply(a);
//
// A valid action adds an atom of x, deletes none, and has no precondition that is mutex with one of its other atoms.
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
    std::vector<int32_t> opposite;  // per atom, its negation if that is an atom, or -1
};

// The stored atoms and active operators of a problem. `opposite` is empty, because walks do not need it.
RegressionTask regression_task(const Problem& problem, const Rows& mutex_groups);

enum class Selection { uniform, novelty };  // RSL, N-RSL

// Stores x as flags and, for each mutex group, its only atom in x.
//
// x never contains two atoms of a group: G does not, and an action that would add a second one is not valid. So the
// groups of Pre(a) tell whether x contains an atom that is mutex with Pre(a).
class PreimageWalk {
public:
    // The task must outlive the walk.
    explicit PreimageWalk(const RegressionTask& task);

    void start();
    // x, sorted.
    const std::vector<int32_t>& preimage();
    bool contains(int32_t atom) const { return in_x_[atom]; }
    // Draws a valid action uniformly or, with Selection::novelty, uniformly among those with the most preconditions
    // that are new in the walk (μ⁺). Returns -1 if no action is valid.
    int32_t choose(Selection selection, Random& random);
    // x becomes (x \ Add(a)) ∪ Pre(a).
    void apply(int32_t a);
    // Number of actions examined so far, as a repeatable measure of work.
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
