// A part of a plan searched again: from one of its states towards what a suffix of it needs, for less than it pays now.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"
#include "search/open_list.hpp"
#include "search/registry.hpp"
#include "search/relaxation.hpp"

namespace goalward {

struct Window {
    int from, to;  // states of a path
    double weight;
    uint64_t evaluations;  // the search ends without a result after so many
};

// Lazy weighted A* with h_FF and its helpful actions, as LAMA restarts it: a state is evaluated when it is expanded, its
// successors are ordered by g + weight * h, and a second queue holds those by helpful actions and goes first for a while
// whenever a new least h is met. What h_FF does not believe to be cheaper than the window is left out. A state from which
// any suffix of the plan makes the whole cheaper ends it, not only the one at the window's end.
class WindowSearch {
public:
    WindowSearch(const Costs& costs, std::shared_ptr<const Problem> problem, Budget& budget);

    std::optional<Detour> run(const Path& path, SuffixIndex& index, const Window& window);
    // h_FF from one end of a window to the other; infinity where it sees no way.
    float estimate(const Path& path, const SuffixIndex& index, int from, int to);

    bool cut() const { return cut_; }  // did the last search end for its number of evaluations?
    uint64_t effort() const { return relaxation_.effort() + effort_; }

private:
    struct Node {
        StateId parent;
        int32_t op;
        Cost g;
    };
    struct Entry {  // a successor that has not been made
        double f;
        uint32_t order;
        StateId parent;
        int32_t op;
        bool operator<(const Entry& other) const { return f != other.f ? f < other.f : order < other.order; }
    };
    enum Queue { all, helpful };
    struct Run;

    void set_goal(const SuffixIndex& index, int to);
    void expand(Run& run, StateId id);
    std::optional<Detour> reach(Run& run, const Entry& entry);

    const Costs& costs_;
    const Problem& problem_;
    Budget& budget_;
    RelaxationEvaluator relaxation_;
    uint64_t effort_ = 0;
    bool cut_ = false;
    std::vector<int32_t> goal_, values_, operators_, helpful_;
};

}  // namespace goalward
