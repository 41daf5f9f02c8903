#include "search/improve/eliminate.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace goalward {

namespace {

constexpr uint64_t limit_check_interval = 2048;  // number of accesses between two checks of the budget

// A plan from which steps are removed.
//
// A trial removes steps without replaying the rest of the plan. It only propagates the variables whose values differ
// from those in the current plan, from one step that reads or writes them to the next.
class ShrinkingPlan {
public:
    ShrinkingPlan(const Costs& costs, const Path& path, Budget& budget)
        : problem_(costs.problem), costs_(costs), budget_(budget), plan_(path.plan()), present_(plan_.size(), true),
          value_(problem_.packing().n_variables()), differs_(value_.size(), false), goal_(value_.size(), 0) {
        for (int32_t atom : problem_.goal().atoms()) {
            const Packing::Slot s = problem_.packing().slot(atom);
            goal_[s.variable] = s.value;
        }
        std::vector<int> last(value_.size(), -1);  // last access to each variable
        for (int step = 0; step < path.length(); ++step) {
            add_accesses(step);
            for (int t = first_access_[step]; t < first_access_[step + 1]; ++t) {
                Access& access = accesses_[t];
                access.before = problem_.packing().value(path.state(step), access.variable);
                access.previous = std::exchange(last[access.variable], t);
                if (access.previous >= 0) accesses_[access.previous].next = t;
            }
        }
    }

    int length() const { return static_cast<int>(plan_.size()); }  // including removed steps
    bool has(int step) const { return present_[step]; }
    std::vector<int32_t> plan() const {
        std::vector<int32_t> result;
        for (int step = 0; step < length(); ++step)
            if (present_[step]) result.push_back(plan_[step]);
        return result;
    }

    // Tries to remove a step and all steps that become inapplicable. True if the rest is a plan; false if the budget is
    // exceeded.
    bool works_without(int first) {
        for (int variable : differing_) differs_[variable] = false;
        differing_.clear();
        pending_.clear();
        changes_.clear();
        removed_.clear();
        works_ = true;
        remove(first);
        while (works_ && !pending_.empty()) {
            next_accesses();
            if (std::all_of(current_.begin(), current_.end(), [&](int t) { return is_applicable(accesses_[t]); }))
                keep();
            else
                remove(accesses_[current_.front()].step);
            work_ += current_.size();
            if (work_ >= limit_check_interval) {
                work_ = 0;
                works_ = works_ && !budget_.exceeded();
            }
        }
        return works_;
    }

    // The steps that the last trial removed.
    const std::vector<int>& removed() const { return removed_; }
    Cost saved() const {
        Cost total = 0;
        for (int step : removed_) total += costs_.of(plan_[step]);
        return total;
    }

    // Removes the steps of the last trial, which must have worked, from the plan.
    void keep_trial() {
        for (const auto& [access, before] : changes_) accesses_[access].before = before;
        for (int step : removed_) {
            present_[step] = false;
            for (int t = first_access_[step]; t < first_access_[step + 1]; ++t) {
                const Access& access = accesses_[t];
                if (access.previous >= 0) accesses_[access.previous].next = access.next;
                if (access.next >= 0) accesses_[access.next].previous = access.previous;
            }
        }
    }

private:
    static constexpr int32_t unset = -1;

    struct Access {  // a step reads or writes a variable
        int32_t variable, step;
        int32_t need = unset;    // value in the precondition
        int32_t set = unset;     // value that is added
        bool deletes = false;    // true if the step deletes a value
        int32_t before = 0;      // value before the step in the current plan
        int previous = -1, next = -1;  // accesses to the same variable
    };

    void add_accesses(int step) {
        const Problem::Operator op = problem_.op(plan_[step]);
        const auto first = static_cast<std::ptrdiff_t>(accesses_.size());
        const auto access = [&](int32_t atom) -> Access& {
            const int32_t variable = problem_.packing().slot(atom).variable;
            const auto it = std::find_if(accesses_.begin() + first, accesses_.end(),
                                         [&](const Access& t) { return t.variable == variable; });
            return it != accesses_.end() ? *it : accesses_.emplace_back(Access{.variable = variable, .step = step});
        };
        for (int32_t atom : op.pre) access(atom).need = problem_.packing().slot(atom).value;
        for (int32_t atom : op.add) access(atom).set = problem_.packing().slot(atom).value;
        for (int32_t atom : op.del) access(atom).deletes = true;
        first_access_.push_back(static_cast<int>(accesses_.size()));
    }

    bool is_applicable(const Access& access) const {
        return access.need == unset || access.need == value_[access.variable];
    }

    // The variable's value after a step, given its value before it.
    int32_t after(const Access& access, int32_t value) const {
        if (access.set != unset) return access.set;
        if (!access.deletes) return value;
        const auto del = problem_.op(plan_[access.step]).del;
        return std::any_of(del.begin(), del.end(), [&](int32_t atom) {
            const Packing::Slot s = problem_.packing().slot(atom);
            return s.variable == access.variable && s.value == value;
        }) ? 0 : value;
    }

    // Pops the accesses to differing variables in the first step that has any.
    void next_accesses() {
        current_.clear();
        do {
            std::pop_heap(pending_.begin(), pending_.end(), std::greater<>());
            current_.push_back(pending_.back());
            pending_.pop_back();
        } while (!pending_.empty() && accesses_[pending_.front()].step == accesses_[current_.front()].step);
    }

    // The current step stays in the plan: propagates its effects.
    void keep() {
        for (int t : current_) {
            const int32_t value = value_[accesses_[t].variable];
            changes_.emplace_back(t, value);
            propagate(t, after(accesses_[t], value));
        }
    }

    // Removes a step in the trial and propagates the difference.
    void remove(int step) {
        removed_.push_back(step);
        for (int t = first_access_[step]; t < first_access_[step + 1]; ++t) {
            const int32_t variable = accesses_[t].variable;
            propagate(t, differs_[variable] ? value_[variable] : accesses_[t].before);
        }
    }

    // Records that the variable of access t has this value after it in the trial. If that differs from the current
    // plan, schedules the next access to the variable or checks the goal.
    void propagate(int t, int32_t value) {
        const Access& access = accesses_[t];
        if (value == after(access, access.before)) {
            differs_[access.variable] = false;
            return;
        }
        if (!differs_[access.variable]) differing_.push_back(access.variable);
        differs_[access.variable] = true;
        value_[access.variable] = value;
        if (access.next >= 0) {
            pending_.push_back(access.next);
            std::push_heap(pending_.begin(), pending_.end(), std::greater<>());
        } else if (goal_[access.variable] && goal_[access.variable] != value) {
            works_ = false;
        }
    }

    const Problem& problem_;
    const Costs& costs_;
    Budget& budget_;
    const std::vector<int32_t> plan_;  // the original plan
    std::vector<bool> present_;
    std::vector<Access> accesses_;  // by step
    std::vector<int> first_access_{0};

    // The trial.
    std::vector<int32_t> value_;   // values of the variables that differ
    std::vector<char> differs_;
    std::vector<int32_t> goal_;  // values in the goal; 0: any
    std::vector<int32_t> differing_;  // variables that differ now or did earlier in the trial
    std::vector<int> pending_, current_;  // accesses: a heap of the next ones, and those of the current step
    std::vector<std::pair<int, int32_t>> changes_;  // accesses, and their new values `before` if the trial is kept
    std::vector<int> removed_;
    bool works_ = true;
    uint64_t work_ = 0;
};

struct Candidate {
    Cost saved;
    std::size_t steps;
    int first;
};

std::vector<Candidate> candidates(ShrinkingPlan& plan, Budget& budget) {
    std::vector<Candidate> result;
    for (int first = 0; first < plan.length() && !budget.exceeded(); ++first)
        if (plan.has(first) && plan.works_without(first))
            result.push_back({plan.saved(), plan.removed().size(), first});
    std::stable_sort(result.begin(), result.end(), [](const Candidate& a, const Candidate& b) {
        return a.saved != b.saved ? a.saved > b.saved : a.steps > b.steps;
    });
    return result;
}

}  // namespace

std::vector<int32_t> eliminate(const Costs& costs, const Path& path, Budget& budget) {
    ShrinkingPlan plan(costs, path, budget);
    for (bool improved = true; improved;) {
        improved = false;
        for (const Candidate& c : candidates(plan, budget)) {
            if (budget.exceeded()) break;
            // Since the candidates were listed, the step may have been removed or become necessary.
            if (!plan.has(c.first) || !plan.works_without(c.first)) continue;
            plan.keep_trial();
            improved = true;
        }
    }
    return plan.plan();
}

}  // namespace goalward
