#include "search/improve/eliminate.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace goalward {

namespace {

constexpr uint64_t touches_between_looks = 2048;  // at the clock

// A plan from which steps are taken away.
//
// A trial does not replay the rest of the plan. It follows the variables that differ from the plan as it is, from one
// step that reads or writes them to the next; all other steps do what they did.
class ShrinkingPlan {
public:
    ShrinkingPlan(const Costs& costs, const Path& path, Budget& budget)
        : problem_(costs.problem), costs_(costs), budget_(budget), plan_(path.plan()), alive_(plan_.size(), true),
          now_(problem_.packing().n_variables()), differs_(now_.size(), false), goal_(now_.size(), 0) {
        for (int32_t atom : problem_.goal().atoms()) {
            const Packing::Slot s = problem_.packing().slot(atom);
            goal_[s.variable] = s.value;
        }
        std::vector<int> last(now_.size(), -1);  // touch of each variable
        for (int step = 0; step < path.length(); ++step) {
            add_touches(step);
            for (int t = first_touch_[step]; t < first_touch_[step + 1]; ++t) {
                Touch& touch = touches_[t];
                touch.before = problem_.packing().value(path.state(step), touch.variable);
                touch.previous = std::exchange(last[touch.variable], t);
                if (touch.previous >= 0) touches_[touch.previous].next = t;
            }
        }
    }

    int length() const { return static_cast<int>(plan_.size()); }  // with the steps that are gone
    bool has(int step) const { return alive_[step]; }
    std::vector<int32_t> plan() const {
        std::vector<int32_t> result;
        for (int step = 0; step < length(); ++step)
            if (alive_[step]) result.push_back(plan_[step]);
        return result;
    }

    // Leaves out a step and those that cannot be taken without it. Is the rest a plan? False if the budget runs out.
    bool works_without(int first) {
        for (int variable : differing_) differs_[variable] = false;
        differing_.clear();
        coming_.clear();
        changes_.clear();
        removed_.clear();
        works_ = true;
        leave_out(first);
        while (works_ && !coming_.empty()) {
            next_touches();
            if (std::all_of(current_.begin(), current_.end(), [&](int t) { return can_take(touches_[t]); }))
                take();
            else
                leave_out(touches_[current_.front()].step);
            looked_ += current_.size();
            if (looked_ >= touches_between_looks) {
                looked_ = 0;
                works_ = works_ && !budget_.exceeded();
            }
        }
        return works_;
    }

    // What the last trial left out.
    const std::vector<int>& removed() const { return removed_; }
    Cost saved() const {
        Cost total = 0;
        for (int step : removed_) total += costs_.of(plan_[step]);
        return total;
    }

    // Makes the last trial, which worked, the plan.
    void keep_trial() {
        for (const auto& [touch, before] : changes_) touches_[touch].before = before;
        for (int step : removed_) {
            alive_[step] = false;
            for (int t = first_touch_[step]; t < first_touch_[step + 1]; ++t) {
                const Touch& touch = touches_[t];
                if (touch.previous >= 0) touches_[touch.previous].next = touch.next;
                if (touch.next >= 0) touches_[touch.next].previous = touch.previous;
            }
        }
    }

private:
    static constexpr int32_t unset = -1;

    // A step reads or writes a variable.
    struct Touch {
        int32_t variable, step;
        int32_t need = unset;    // value in the precondition
        int32_t set = unset;     // value that is added
        bool deletes = false;    // a value, if the variable has it
        int32_t before = 0;      // value before the step, in the plan as it is
        int previous = -1, next = -1;  // touch of the same variable
    };

    void add_touches(int step) {
        const Problem::Operator op = problem_.op(plan_[step]);
        const auto first = static_cast<std::ptrdiff_t>(touches_.size());
        const auto touch = [&](int32_t atom) -> Touch& {
            const int32_t variable = problem_.packing().slot(atom).variable;
            const auto known = std::find_if(touches_.begin() + first, touches_.end(),
                                            [&](const Touch& t) { return t.variable == variable; });
            return known != touches_.end() ? *known : touches_.emplace_back(Touch{.variable = variable, .step = step});
        };
        for (int32_t atom : op.pre) touch(atom).need = problem_.packing().slot(atom).value;
        for (int32_t atom : op.add) touch(atom).set = problem_.packing().slot(atom).value;
        for (int32_t atom : op.del) touch(atom).deletes = true;
        first_touch_.push_back(static_cast<int>(touches_.size()));
    }

    bool can_take(const Touch& touch) const { return touch.need == unset || touch.need == now_[touch.variable]; }

    // The variable's value after a step, from its value before it.
    int32_t after(const Touch& touch, int32_t value) const {
        if (touch.set != unset) return touch.set;
        if (!touch.deletes) return value;
        const auto del = problem_.op(plan_[touch.step]).del;
        return std::any_of(del.begin(), del.end(), [&](int32_t atom) {
            const Packing::Slot s = problem_.packing().slot(atom);
            return s.variable == touch.variable && s.value == value;
        }) ? 0 : value;
    }

    // The touches of differing variables in the first step that has any.
    void next_touches() {
        current_.clear();
        do {
            std::pop_heap(coming_.begin(), coming_.end(), std::greater<>());
            current_.push_back(coming_.back());
            coming_.pop_back();
        } while (!coming_.empty() && touches_[coming_.front()].step == touches_[current_.front()].step);
    }

    void take() {
        for (int t : current_) {
            const int32_t value = now_[touches_[t].variable];
            changes_.emplace_back(t, value);
            go_on(t, after(touches_[t], value));
        }
    }

    void leave_out(int step) {
        removed_.push_back(step);
        for (int t = first_touch_[step]; t < first_touch_[step + 1]; ++t) {
            const int32_t variable = touches_[t].variable;
            go_on(t, differs_[variable] ? now_[variable] : touches_[t].before);
        }
    }

    // Behind a touch the variable has this value in the trial: does it differ there, and where is that seen next?
    void go_on(int t, int32_t value) {
        const Touch& touch = touches_[t];
        if (value == after(touch, touch.before)) {
            differs_[touch.variable] = false;
            return;
        }
        if (!differs_[touch.variable]) differing_.push_back(touch.variable);
        differs_[touch.variable] = true;
        now_[touch.variable] = value;
        if (touch.next >= 0) {
            coming_.push_back(touch.next);
            std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
        } else if (goal_[touch.variable] && goal_[touch.variable] != value) {
            works_ = false;
        }
    }

    const Problem& problem_;
    const Costs& costs_;
    Budget& budget_;
    const std::vector<int32_t> plan_;  // as it was at first
    std::vector<bool> alive_;
    std::vector<Touch> touches_;  // by step
    std::vector<int> first_touch_{0};

    // The trial.
    std::vector<int32_t> now_;   // values of the variables that differ
    std::vector<char> differs_;
    std::vector<int32_t> goal_;  // values; 0: any
    std::vector<int32_t> differing_;  // all that differ or did so
    std::vector<int> coming_, current_;  // touches: a heap of the next ones; those in one step
    std::vector<std::pair<int, int32_t>> changes_;  // touches, and the values before them if the trial is kept
    std::vector<int> removed_;
    bool works_ = true;
    uint64_t looked_ = 0;
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
    for (bool again = true; again;) {
        again = false;
        for (const Candidate& c : candidates(plan, budget)) {
            if (budget.exceeded()) break;
            // Since the candidates were listed other steps have gone: this one may have gone with them, or be needed now.
            if (!plan.has(c.first) || !plan.works_without(c.first)) continue;
            plan.keep_trial();
            again = true;
        }
    }
    return plan.plan();
}

}  // namespace goalward
