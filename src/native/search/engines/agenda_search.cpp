#include "search/engines/agenda_search.hpp"

#include <algorithm>
#include <utility>

#include "search/engines/lazy_search.hpp"
#include "search/engines/novelty_search.hpp"

namespace goalward {

namespace {
// In units of effort, about nanoseconds.
constexpr uint64_t head_start = 5'000'000;  // of h_FF and landmarks in each step
constexpr uint64_t initial_patience = 100'000'000, patience_factor = 2;
constexpr int max_patience_doublings = 20;  // prevents overflow
}  // namespace

AgendaSearch::AgendaSearch(const Guidance& guidance, std::string name, uint64_t expansion_limit, Budget& budget)
    : guidance_(guidance), problem_(guidance.problem()), name_(std::move(name)), expansion_limit_(expansion_limit),
      budget_(budget), init_(problem_.packing().n_words()) {}

std::optional<Status> AgendaSearch::start(std::span<const int32_t> init) {
    problem_.packing().pack(init, init_.data());
    finished_.best_h = dead_end;
    start_attempt();
    finished_.initial_h = finished_.best_h;
    return problem_.is_goal(state_.data()) ? std::optional(Status::solved) : std::nullopt;
}

std::optional<Status> AgendaSearch::advance(uint64_t effort) {
    const uint64_t until = this->effort() + std::min(effort, UINT64_MAX / 2);
    while (this->effort() < until) {
        if (expansion_limit_ && expanded() >= expansion_limit_) return Status::out_of_expansions;
        if (!step_) start_step();
        const std::optional<Status> status = step_->searches.advance(atoms_);
        if (!status && step_->searches.effort() < patience_) continue;
        if (status == Status::solved) {
            led_by_ = step_->searches.winner().led_by();
            follow(step_->searches.winner().plan());
            end_step();
            if (problem_.is_goal(state_.data())) return status;
            continue;
        }
        // If part of the goal is unreachable from the initial state, so is the goal.
        if (status && (status != Status::exhausted || plan_.empty())) return status;
        const bool new_attempt = status || step_->n_atoms <= n_atoms_failed_;
        n_atoms_failed_ = step_->n_atoms;
        end_step();
        if (new_attempt) {
            start_attempt();
        } else {  // move the last atom of the failed step to the front
            const auto end = agenda_.begin() + static_cast<std::ptrdiff_t>(n_atoms_failed_);
            std::rotate(agenda_.begin(), end - 1, end);
        }
    }
    return std::nullopt;
}

void AgendaSearch::start_attempt() {
    const Agenda& agenda = guidance_.agenda(attempt_, budget_);
    finished_effort_ += agenda.effort;  // even if the agenda was cached, so that searches are repeatable
    agenda_ = agenda.atoms;
    if (attempt_ == 0)
        patience_ = initial_patience;
    else if (attempt_ < max_patience_doublings)
        patience_ *= patience_factor;
    ++attempt_;
    n_atoms_failed_ = 0;
    state_ = init_;
    plan_.clear();
    follow({});
}

void AgendaSearch::start_step() {
    const auto next = std::find_if(agenda_.begin(), agenda_.end(),
                                   [&](int32_t atom) { return !problem_.packing().holds(state_.data(), atom); });
    std::vector<int32_t> atoms(agenda_.begin(), next + 1);
    const std::size_t n_atoms = atoms.size();
    step_.reset(new Step{n_atoms, Goal(std::move(atoms), problem_.packing()), Scheduler(budget_)});
    const Goal& goal = step_->goal;
    const auto guided = [this, &goal](Budget& budget) {
        return std::make_unique<LazySearch>(problem_, goal, guidance_.guides(goal, true), GuidedOptions{name_ + ": "},
                                            budget);
    };
    const auto by_novelty = [this, &goal](Budget& budget) {
        return std::make_unique<NoveltySearch>(problem_, guidance_.relaxed(true), goal, name_ + ": novelty", 0, budget);
    };
    step_->searches.add("landmarks", guided, 1, 0);
    step_->searches.add("novelty", by_novelty, 1, head_start);
}

void AgendaSearch::end_step() {
    Statistics statistics = step_->searches.statistics();
    statistics.stored = statistics.open = statistics.bytes = 0;  // the memory is freed
    finished_.add(statistics);
    finished_effort_ += step_->searches.effort();
    step_.reset();
}

void AgendaSearch::follow(std::span<const int32_t> steps) {
    std::vector<Word> next(state_.size());
    for (int32_t op : steps) {
        problem_.apply(op, state_.data(), next.data());
        state_.swap(next);
    }
    plan_.insert(plan_.end(), steps.begin(), steps.end());
    atoms_.clear();
    problem_.packing().true_atoms(state_.data(), atoms_);
    const auto missing = std::count_if(agenda_.begin(), agenda_.end(), [&](int32_t atom) {
        return !problem_.packing().holds(state_.data(), atom);
    });
    finished_.best_h = std::min(finished_.best_h, static_cast<float>(missing));
}

uint64_t AgendaSearch::expanded() const { return statistics().expanded; }

uint64_t AgendaSearch::effort() const { return finished_effort_ + (step_ ? step_->searches.effort() : 0); }

Statistics AgendaSearch::statistics() const {
    Statistics total = finished_;
    if (step_) total.add(step_->searches.statistics());
    return total;
}

}  // namespace goalward
