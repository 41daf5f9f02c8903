#include "search/improve/eliminate.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "search/improve/suffixes.hpp"

namespace goalward {

namespace {

// A plan, made ready for leaving out steps.
class Trial {
public:
    Trial(const Costs& costs, Path path)
        : problem_(costs.problem), costs_(costs), path_(std::move(path)), suffixes_(problem_, path_),
          now_(problem_.packing().n_words()), next_(now_.size()) {
        for (int32_t op : path_.plan()) {
            for (int32_t atom : problem_.op(op).pre) add_test(atom);
            first_test_.push_back(tests_.size());
        }
    }

    const Path& path() const { return path_; }
    const std::vector<int>& removed() const { return removed_; }
    Cost saved() const {
        Cost total = 0;
        for (int i : removed_) total += costs_.of(path_.op(i));
        return total;
    }

    // Leaves out a step and those that cannot be taken without it; is the rest a plan?
    bool works_without(int first) {
        removed_.assign(1, first);
        std::copy_n(path_.state(first), now_.size(), now_.begin());
        for (int i = first + 1;; ++i) {
            if (suffixes_.covered(i, now_.data())) return true;
            if (i == path_.length()) return false;
            if (can_take(i)) {
                problem_.apply(path_.op(i), now_.data(), next_.data());
                now_.swap(next_);
            } else {
                removed_.push_back(i);
            }
        }
    }

private:
    struct Test {  // the part of a precondition that lies in one word
        uint32_t word, mask, bits;
    };

    void add_test(int32_t atom) {
        const Packing::Slot s = problem_.packing().slot(atom);
        const Packing::Variable v = problem_.packing().layout(s.variable);
        if (tests_.size() == first_test_.back() || tests_.back().word != v.word) tests_.push_back({v.word, 0, 0});
        tests_.back().mask |= v.mask << v.shift;
        tests_.back().bits |= static_cast<Word>(s.value) << v.shift;
    }
    bool can_take(int i) const {
        return std::all_of(tests_.begin() + first_test_[i], tests_.begin() + first_test_[i + 1],
                           [&](const Test& t) { return (now_[t.word] & t.mask) == t.bits; });
    }

    const Problem& problem_;
    const Costs& costs_;
    Path path_;
    Suffixes suffixes_;
    std::vector<Word> now_, next_;
    std::vector<int> removed_;
    std::vector<Test> tests_;
    std::vector<std::size_t> first_test_{0};  // of each step
};

struct Candidate {
    Cost saved;
    std::size_t steps;
    int first;
};

std::vector<Candidate> candidates(Trial& trial, Budget& budget) {
    std::vector<Candidate> result;
    for (int first = 0; first < trial.path().length() && !budget.exceeded(); ++first)
        if (trial.works_without(first)) result.push_back({trial.saved(), trial.removed().size(), first});
    std::stable_sort(result.begin(), result.end(), [](const Candidate& a, const Candidate& b) {
        return a.saved != b.saved ? a.saved > b.saved : a.steps > b.steps;
    });
    return result;
}

}  // namespace

std::vector<int32_t> eliminate(const Costs& costs, const Path& path, Budget& budget) {
    const std::vector<Word> init(path.state(0), path.state(0) + costs.problem.packing().n_words());
    auto trial = std::make_unique<Trial>(costs, path);
    for (bool again = true; again;) {
        again = false;
        const std::vector<Candidate> found = candidates(*trial, budget);
        std::vector<int> place(trial->path().length());  // of each step in what is left; -1: gone
        std::iota(place.begin(), place.end(), 0);
        for (const Candidate& c : found) {
            if (budget.exceeded()) break;
            // Since the candidates were listed other steps have gone: this one may have gone with them, or be needed now.
            if (place[c.first] < 0 || !trial->works_without(place[c.first])) continue;
            std::vector<int> moved(trial->path().length(), -1);
            std::vector<int32_t> rest;
            for (int i = 0; i < trial->path().length(); ++i) {
                if (std::binary_search(trial->removed().begin(), trial->removed().end(), i)) continue;
                moved[i] = static_cast<int>(rest.size());
                rest.push_back(trial->path().op(i));
            }
            for (int& p : place) p = p < 0 ? -1 : moved[p];
            trial = std::make_unique<Trial>(costs, *Path::along(costs, init, std::move(rest)));
            again = true;
        }
    }
    return trial->path().plan();
}

}  // namespace goalward
