#include "regression/conditions.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "search/core/limits.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {

using Condition = std::vector<int32_t>;
using Seen = std::unordered_set<std::string>;

std::string key_of(const Condition& x) {
    return {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(int32_t)};
}

void shuffle(std::vector<int32_t>& list, Random& random) {
    for (std::size_t i = list.size(); i > 1; --i)
        std::swap(list[i - 1], list[random.below(static_cast<uint32_t>(i))]);
}

Rows lists_of(const std::vector<std::vector<int32_t>>& lists) {
    Rows rows;
    for (const auto& list : lists) rows.push_back(list);
    return rows;
}

// Draws the pre-images of a condition x in random order, without replacement.
class Preimages {
public:
    explicit Preimages(const RegressionTask& task)
        : task_(task), in_x_(task.groups_of.size(), 0), atom_in_group_(task.n_groups, -1), stamp_(task.pre.size(), 0) {
        std::vector<std::vector<int32_t>> adders(in_x_.size());
        for (std::size_t a = 0; a < task.add.size(); ++a)
            for (int32_t atom : task.add[a]) adders[atom].push_back(static_cast<int32_t>(a));
        adders_ = lists_of(adders);
    }

    void start(std::span<const int32_t> x) {
        for (int32_t atom : x_) {
            in_x_[atom] = 0;
            for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = -1;
        }
        x_.assign(x.begin(), x.end());
        for (int32_t atom : x_) {
            in_x_[atom] = 1;
            for (int32_t group : task_.groups_of[atom]) atom_in_group_[group] = atom;
        }
        ++step_;
        undrawn_.clear();
        for (int32_t atom : x_)
            for (int32_t a : adders_[atom])
                if (stamp_[a] != step_) {
                    stamp_[a] = step_;
                    undrawn_.push_back(a);
                }
    }

    // Computes (x \ Add(a)) ∪ Pre(a) for a random valid action a that was not drawn before; false if none is left.
    bool draw(Random& random, Condition& preimage) {
        while (!undrawn_.empty()) {
            std::swap(undrawn_[random.below(static_cast<uint32_t>(undrawn_.size()))], undrawn_.back());
            const int32_t a = undrawn_.back();
            undrawn_.pop_back();
            if (!valid(a)) continue;
            const auto pre = task_.pre[a], add = task_.add[a];
            without_add_.clear();
            std::set_difference(x_.begin(), x_.end(), add.begin(), add.end(), std::back_inserter(without_add_));
            preimage.clear();
            std::set_union(without_add_.begin(), without_add_.end(), pre.begin(), pre.end(),
                           std::back_inserter(preimage));
            return true;
        }
        return false;
    }

private:
    // As in rollouts: a adds an atom of x, deletes none, and no precondition is mutex with one of the other atoms.
    bool valid(int32_t a) const {
        for (int32_t atom : task_.del[a])
            if (in_x_[atom]) return false;
        const auto add = task_.add[a];
        for (int32_t p : task_.pre[a])
            for (int32_t group : task_.groups_of[p]) {
                const int32_t q = atom_in_group_[group];
                if (q >= 0 && q != p && !std::binary_search(add.begin(), add.end(), q)) return false;
            }
        return true;
    }

    const RegressionTask& task_;
    Rows adders_;
    Condition x_, without_add_;
    std::vector<uint8_t> in_x_;
    std::vector<int32_t> atom_in_group_;
    std::vector<int64_t> stamp_;
    int64_t step_ = 0;
    std::vector<int32_t> undrawn_;  // actions that add an atom of x and were not drawn yet
};

class Sampler {
public:
    Sampler(const RegressionTask& task, int length, uint64_t seed, const std::function<bool()>& go_on)
        : preimages_(task), length_(length), random_(seed), limits_(0, 0, 1, go_on) {
        Condition goal = task.goal;
        std::sort(goal.begin(), goal.end());
        add(goal, 0);
    }

    // Returns the conditions that were not fully expanded.
    std::vector<int32_t> search_breadth_first(std::size_t n) {
        Seen seen{key_of(to_vector(0))};
        std::vector<int32_t> layer{0}, found;
        for (int depth = 0; depth < length_ && !layer.empty(); ++depth) {
            found.clear();
            shuffle(layer, random_);
            for (std::size_t i = 0; i < layer.size(); ++i) {
                preimages_.start(result_.conditions[layer[i]]);
                while (size() < n && preimages_.draw(random_, preimage_))
                    if (seen.insert(key_of(preimage_)).second) found.push_back(add(preimage_, depth + 1));
                if (size() >= n || limits_.stopped()) {
                    layer.erase(layer.begin(), layer.begin() + static_cast<std::ptrdiff_t>(i));
                    if (depth + 1 < length_) layer.insert(layer.end(), found.begin(), found.end());
                    return layer;
                }
            }
            layer.swap(found);
        }
        return {};
    }

    void walk_from(std::vector<int32_t> leaves, std::size_t n) {
        while (!leaves.empty()) {
            shuffle(leaves, random_);
            std::vector<int32_t> productive;  // leaves whose last walk made at least one step
            for (int32_t leaf : leaves) {
                if (size() >= n || limits_.stopped()) return;
                const std::size_t before = size();
                walk(leaf, n);
                if (size() > before) productive.push_back(leaf);
            }
            leaves.swap(productive);
        }
    }

    SampledConditions take() { return std::move(result_); }

private:
    std::size_t size() const { return result_.depth.size(); }
    Condition to_vector(int32_t i) const { return {result_.conditions[i].begin(), result_.conditions[i].end()}; }

    int32_t add(const Condition& x, int32_t depth) {
        result_.conditions.push_back(x);
        result_.depth.push_back(depth);
        return static_cast<int32_t>(size() - 1);
    }

    void walk(int32_t leaf, std::size_t n) {
        Condition x = to_vector(leaf);
        Seen visited{key_of(x)};
        for (int32_t depth = result_.depth[leaf]; depth < length_ && size() < n && !limits_.stopped(); ++depth) {
            preimages_.start(x);
            do {
                if (!preimages_.draw(random_, preimage_)) return;
            } while (!visited.insert(key_of(preimage_)).second);
            x = preimage_;
            add(x, depth + 1);
        }
    }

    SampledConditions result_;
    Preimages preimages_;
    int length_;
    Random random_;
    Limits limits_;
    Condition preimage_;
};

}  // namespace

SampledConditions sample_conditions(const RegressionTask& task, int n, int n_breadth_first, int length, uint64_t seed,
                                    const std::function<bool()>& go_on) {
    Sampler sampler(task, length, seed, go_on);
    sampler.walk_from(sampler.search_breadth_first(static_cast<std::size_t>(n_breadth_first)),
                      static_cast<std::size_t>(n));
    return sampler.take();
}

ConditionSuccessors condition_successors(const RegressionTask& task, const Rows& conditions, std::size_t width) {
    const std::size_t n_atoms = task.groups_of.size();
    std::vector<int64_t> counts(n_atoms);
    for (int32_t atom : conditions.values) ++counts[atom];
    // Index each action by the atom of its precondition that occurs in the fewest conditions.
    std::vector<int32_t> without_precondition;
    std::vector<std::vector<int32_t>> by_atom(n_atoms);
    for (std::size_t a = 0; a < task.pre.size(); ++a) {
        const auto pre = task.pre[a];
        const auto rarer = [&](int32_t p, int32_t q) { return counts[p] < counts[q]; };
        auto& list = pre.empty() ? without_precondition : by_atom[*std::min_element(pre.begin(), pre.end(), rarer)];
        list.push_back(static_cast<int32_t>(a));
    }
    ConditionSuccessors result;
    std::vector<uint64_t> x(width);
    const auto holds = [&](int32_t atom) { return x[atom / 64] >> (atom % 64) & 1; };
    const auto try_action = [&](std::size_t source, int32_t a) {
        for (int32_t atom : task.pre[a])
            if (!holds(atom)) return;
        const auto add = task.add[a];
        if (std::all_of(add.begin(), add.end(), holds)) return;
        result.source.push_back(static_cast<int32_t>(source));
        result.atoms.insert(result.atoms.end(), x.begin(), x.end());
        uint64_t* after = result.atoms.data() + result.atoms.size() - width;
        for (int32_t atom : task.del[a]) after[atom / 64] &= ~(uint64_t{1} << (atom % 64));
        for (int32_t atom : add) after[atom / 64] |= uint64_t{1} << (atom % 64);
    };
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        std::fill(x.begin(), x.end(), 0);
        for (int32_t atom : conditions[i]) x[atom / 64] |= uint64_t{1} << (atom % 64);
        for (int32_t a : without_precondition) try_action(i, a);
        for (int32_t atom : conditions[i])
            for (int32_t a : by_atom[atom]) try_action(i, a);
    }
    return result;
}

}  // namespace goalward
