#include "regression/backward.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>

#include "search/core/limits.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {

class BackwardSearch {
public:
    BackwardSearch(const RegressionTask& task, std::size_t width, BackwardStates& result)
        : task_(task), width_(width), result_(result), watched_(watch(task)),
          members_(members(task)), atom_in_group_(task.n_groups) {}

    void run(const uint64_t* goal, int32_t index, int n, Random& random) {
        index_ = index;
        std::unordered_set<std::string> visited;
        const std::size_t first = result_.depth.size();
        visit(goal, 0, -1, -1, visited);
        std::vector<Frame> path{{static_cast<int32_t>(first), predecessors(goal, random)}};
        std::vector<uint64_t> state(width_);
        while (!path.empty() && result_.depth.size() - first < static_cast<std::size_t>(n)) {
            Frame& top = path.back();
            if (top.operators.empty()) {
                path.pop_back();
                continue;
            }
            const int32_t a = top.operators.back(), from = top.row;
            top.operators.pop_back();
            if (!step_back(row(from), a, state.data())) continue;
            if (!visit(state.data(), static_cast<int32_t>(path.size()), from, a, visited)) continue;
            path.push_back({static_cast<int32_t>(result_.depth.size()) - 1, predecessors(state.data(), random)});
        }
    }

private:
    struct Frame {
        int32_t row;
        std::vector<int32_t> operators;  // not tried yet
    };

    static bool in(const uint64_t* s, int32_t atom) { return s[atom / 64] >> (atom % 64) & 1; }
    static bool in(std::span<const int32_t> sorted, int32_t atom) {
        return std::binary_search(sorted.begin(), sorted.end(), atom);
    }

    // Indexes each operator by the rarest of its add effects. It can only lead to states in which that atom is true.
    static Rows watch(const RegressionTask& task) {
        std::vector<int32_t> adders(task.groups_of.size());
        for (int32_t atom : task.add.values) ++adders[atom];
        std::vector<std::vector<int32_t>> by_atom(adders.size());
        for (std::size_t a = 0; a < task.add.size(); ++a) {
            const auto add = task.add[a];
            if (add.empty()) continue;
            const int32_t rarest = *std::min_element(
                add.begin(), add.end(), [&](int32_t x, int32_t y) { return adders[x] < adders[y]; });
            by_atom[rarest].push_back(static_cast<int32_t>(a));
        }
        Rows rows;
        for (const auto& list : by_atom) rows.push_back(list);
        return rows;
    }

    const uint64_t* row(int32_t i) const { return result_.states.data() + static_cast<std::size_t>(i) * width_; }

    bool visit(const uint64_t* s, int32_t depth, int32_t parent, int32_t op, std::unordered_set<std::string>& visited) {
        const std::string key(reinterpret_cast<const char*>(s), width_ * sizeof(uint64_t));
        if (!visited.insert(key).second) return false;
        result_.states.insert(result_.states.end(), s, s + width_);
        result_.depth.push_back(depth);
        result_.search.push_back(index_);
        result_.parent.push_back(parent);
        result_.operators.push_back(op);
        return true;
    }

    // The operators that lead to s from a state without mutex pairs, in random order.
    std::vector<int32_t> predecessors(const uint64_t* s, Random& random) {
        atoms_.clear();
        for (std::size_t w = 0; w < width_; ++w)
            for (uint64_t rest = s[w]; rest; rest &= rest - 1)
                atoms_.push_back(static_cast<int32_t>(w * 64) + std::countr_zero(rest));
        std::fill(atom_in_group_.begin(), atom_in_group_.end(), -1);
        for (int32_t atom : atoms_)
            for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = atom;
        std::vector<int32_t> found;
        for (int32_t atom : atoms_)
            for (int32_t a : watched_[atom])
                if (leads_to(a, s)) found.push_back(a);
        for (std::size_t i = found.size(); i > 1; --i)
            std::swap(found[i - 1], found[random.below(static_cast<uint32_t>(i))]);
        return found;
    }

    bool leads_to(int32_t a, const uint64_t* s) const {
        const auto pre = task_.pre[a], add = task_.add[a], del = task_.del[a];
        for (int32_t atom : add)
            if (!in(s, atom)) return false;
        for (int32_t atom : del)
            if (in(s, atom) && !in(add, atom)) return false;
        for (int32_t atom : pre)
            if (!in(s, atom) && !in(del, atom)) return false;
        // s' has the atoms of s without Add \ Pre. No atom of Pre may be mutex with one of these.
        for (int32_t p : pre)
            for (int32_t group : task_.groups_of[p]) {
                const int32_t q = atom_in_group_[group];
                if (q >= 0 && q != p && !in(add, q)) return false;
            }
        return true;
    }

    static void set(uint64_t* s, int32_t atom) { s[atom / 64] |= uint64_t{1} << (atom % 64); }

    // Computes the predecessor. Returns false if it would have a complement of an added atom that is mutex with another
    // of its atoms.
    bool step_back(const uint64_t* s, int32_t a, uint64_t* before) const {
        const auto pre = task_.pre[a];
        std::copy_n(s, width_, before);
        for (int32_t atom : task_.add[a]) before[atom / 64] &= ~(uint64_t{1} << (atom % 64));
        for (int32_t atom : pre) set(before, atom);
        for (int32_t atom : task_.add[a]) {
            const int32_t opposite = task_.opposite[atom];
            if (opposite < 0 || in(pre, atom) || in(before, opposite)) continue;
            for (int32_t group : task_.groups_of[opposite])
                if (has_atom_of(group, before)) return false;
            set(before, opposite);
        }
        return true;
    }

    bool has_atom_of(int32_t group, const uint64_t* s) const {
        const auto atoms = members_[group];
        return std::any_of(atoms.begin(), atoms.end(), [&](int32_t atom) { return in(s, atom); });
    }

    static Rows members(const RegressionTask& task) {
        std::vector<std::vector<int32_t>> by_group(task.n_groups);
        for (std::size_t atom = 0; atom < task.groups_of.size(); ++atom)
            for (int32_t group : task.groups_of[atom]) by_group[group].push_back(static_cast<int32_t>(atom));
        Rows rows;
        for (const auto& list : by_group) rows.push_back(list);
        return rows;
    }

    const RegressionTask& task_;
    std::size_t width_;
    BackwardStates& result_;
    Rows watched_, members_;
    std::vector<int32_t> atoms_, atom_in_group_;  // of the current state, which has at most one atom of each group
    int32_t index_ = 0;
};

}  // namespace

BackwardStates backward_searches(const RegressionTask& task, std::span<const uint64_t> goals, std::size_t width, int n,
                                 uint64_t seed, const std::function<bool()>& go_on) {
    Limits limits(0, 0, 1, go_on);
    BackwardStates result;
    BackwardSearch search(task, width, result);
    Random seeds(seed);
    for (std::size_t i = 0; i * width < goals.size(); ++i) {
        Random random(seeds.next());
        search.run(goals.data() + i * width, static_cast<int32_t>(i), n, random);
        if (limits.stopped()) break;
    }
    return result;
}

}  // namespace goalward
