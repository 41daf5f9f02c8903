#include "search/engines/scheduler.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "search/core/threads.hpp"

namespace goalward {

namespace {
constexpr uint64_t min_turn = 5'000'000;
constexpr uint64_t turn_divisor = 16;  // a turn is at least the total effort divided by this, to limit their number
constexpr uint64_t threaded_turn = 10'000'000;
}  // namespace

void Scheduler::add(std::string name, Make make, double share, uint64_t delay) {
    auto own = shared_ ? nullptr : std::make_unique<Budget>(limits_);
    Budget* budget = shared_ ? shared_ : own.get();
    members_.push_back(std::make_unique<Member>(
        Member{std::move(name), std::move(make), share, delay, std::move(own), budget, nullptr}));
}

std::optional<Status> Scheduler::Member::advance(std::span<const int32_t> init, uint64_t effort) {
    can_go_on = false;
    std::optional<Status> status;
    try {
        if (!search) {
            search = make(*budget);
            status = search->start(init);
        }
        if (!status) {
            status = search->advance(effort);
            can_go_on = true;
        }
    } catch (const OutOfBudget&) {
        status = status_of(budget->why());
    } catch (const std::bad_alloc&) {
        status = Status::out_of_memory;
    } catch (const std::length_error&) {  // too many states for 32-bit ids
        status = Status::out_of_memory;
    }
    return status;
}

Statistics Scheduler::Member::statistics() const {
    Statistics its = search->statistics();
    its.effort_by_part.clear();  // drop the parts of this part
    if (!name.empty()) its.effort_by_part.emplace_back(name, search->effort());
    return its;
}

std::optional<Status> Scheduler::advance(std::span<const int32_t> init) {
    const auto next = std::min_element(members_.begin(), members_.end(), [](const auto& a, const auto& b) {
        return a->evicted != b->evicted ? b->evicted : a->due() < b->due();
    });
    winner_ = static_cast<std::size_t>(next - members_.begin());
    const uint64_t turn = members_.size() == 1 ? UINT64_MAX : std::max(min_turn, scheduled_ / turn_divisor);
    scheduled_ += turn;
    const std::optional<Status> status = (*next)->advance(init, turn);
    if (status == Status::out_of_memory && !shared_ && evict(**next)) return std::nullopt;
    return status;
}

bool Scheduler::evict(Member& full) {
    const auto n_active = std::count_if(members_.begin(), members_.end(), [](const auto& m) { return !m->evicted; });
    if (n_active == 1) return false;
    Member* victim = &full;
    if (full.can_go_on)
        for (const auto& member : members_)
            if (member->search && member->search->bytes() > victim->search->bytes()) victim = member.get();
    remove(*victim);
    return true;
}

void Scheduler::remove(Member& victim) {
    if (victim.search) {
        Statistics statistics = victim.statistics();
        statistics.stored = statistics.open = statistics.bytes = 0;
        of_evicted_.add(statistics);
        if (&victim == members_.front().get()) {
            of_evicted_.initial_h = statistics.initial_h;
            of_evicted_.best_h = statistics.best_h;
        }
        effort_of_evicted_ += victim.search->effort();
    }
    of_evicted_.evicted.push_back(victim.name);
    victim.search.reset();
    victim.evicted = true;
    give_back_free_memory();
    for (const auto& member : members_) member->budget->renew();
}

// Threads that advance the members of a scheduler. The mutex guards everything except the searches of running members.
class Scheduler::Threads {
public:
    Threads(Scheduler& scheduler, std::span<const int32_t> init)
        : scheduler_(scheduler), init_(init), slots_(scheduler.members_.size()) {
        for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].due = static_cast<double>(member(i).delay);
        scheduler_.threads_ = this;
    }
    ~Threads() { scheduler_.threads_ = nullptr; }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    Status run(int cores) {
        run_threads(scheduler_.limits_, cores, [this] { work(); });
        if (ended_) return *ended_;
        const Stop why = scheduler_.limits_.why();
        return why == Stop::none ? Status::out_of_memory : status_of(why);
    }

    // The statistics after the last completed turn of each member.
    Statistics statistics() {
        const std::lock_guard lock(mutex_);
        Statistics total = scheduler_.of_evicted_;
        for (const Slot& slot : slots_) total.add(slot.statistics);
        if (member(0).evicted) return total;
        total.initial_h = slots_.front().statistics.initial_h;
        total.best_h = slots_.front().statistics.best_h;
        return total;
    }

private:
    struct Slot {  // the state of a member that other threads may read
        double due = 0;
        Statistics statistics;
        bool running = false, over = false;
        bool evict_next = false;  // to be evicted when its turn ends
    };

    struct WakeOthers {
        std::condition_variable& changed;
        ~WakeOthers() { changed.notify_all(); }
    };

    Member& member(std::size_t i) { return *scheduler_.members_[i]; }

    void work() {
        const WakeOthers at_end{changed_};  // also if this thread ends with an exception
        std::unique_lock lock(mutex_);
        while (scheduler_.limits_.why() == Stop::none) {
            const std::optional<std::size_t> next = next_due();
            if (!next && std::none_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.running; })) return;
            if (!next) {
                changed_.wait(lock);
                continue;
            }
            take_turn(*next, lock);
            changed_.notify_all();
        }
    }

    // The idle member with the minimum due time, if it can still decide the result.
    std::optional<std::size_t> next_due() const {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (!slots_[i].running && !slots_[i].over && slots_[i].due < decided_at_ &&
                (!best || slots_[i].due < slots_[*best].due))
                best = i;
        return best;
    }

    void take_turn(std::size_t i, std::unique_lock<std::mutex>& lock) {
        Slot& slot = slots_[i];
        slot.running = true;
        const double until_decided = (decided_at_ - slot.due) * member(i).share + 1;
        const auto effort = static_cast<uint64_t>(std::min(static_cast<double>(threaded_turn), until_decided));
        lock.unlock();
        std::optional<Status> status;
        Statistics statistics;
        std::exception_ptr error;
        try {
            status = member(i).advance(init_, effort);
            if (member(i).search) statistics = member(i).statistics();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        slot.running = false;
        slot.due = member(i).due();
        slot.statistics = std::move(statistics);
        if (error) std::rethrow_exception(error);
        const bool ended = status && *status != Status::cancelled && *status != Status::out_of_time;
        if (slot.evict_next && (!ended || status == Status::out_of_memory)) {
            remove(i);
        } else if (status == Status::out_of_memory && make_room(i)) {
            return;
        } else if (status) {
            slot.over = true;
            slot.evict_next = false;
            if (ended) end(i, *status);
        }
    }

    void end(std::size_t i, Status status) {
        if (ended_ && (slots_[i].due > decided_at_ || (slots_[i].due == decided_at_ && i > scheduler_.winner_))) return;
        if (status == Status::out_of_memory && ended_) return;
        ended_ = status;
        decided_at_ = slots_[i].due;
        scheduler_.winner_ = i;
        for (std::size_t k = 0; k < slots_.size(); ++k)
            if (slots_[k].running && slots_[k].due >= decided_at_) member(k).budget->interrupt();
    }

    // Evicts the member that holds the most memory, now or when its turn ends. False if no member would be left.
    bool make_room(std::size_t full) {
        const auto is_active = [](const Slot& s) { return !s.over && !s.evict_next; };
        const bool can_go_on = member(full).can_go_on;
        member(full).budget->renew();
        if (can_go_on && std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.evict_next; }))
            return true;  // memory will be freed soon
        if (std::count_if(slots_.begin(), slots_.end(), is_active) == 1) return false;
        std::size_t victim = full;
        if (can_go_on)
            for (std::size_t i = 0; i < slots_.size(); ++i)
                if (is_active(slots_[i]) && slots_[i].statistics.bytes > slots_[victim].statistics.bytes) victim = i;
        if (slots_[victim].running) {
            slots_[victim].evict_next = true;
            member(victim).budget->interrupt();
        } else {
            remove(victim);
        }
        return true;
    }

    void remove(std::size_t i) {
        slots_[i].over = true;
        slots_[i].evict_next = false;
        slots_[i].statistics = {};
        scheduler_.remove(member(i));
    }

    Scheduler& scheduler_;
    std::span<const int32_t> init_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;
    std::optional<Status> ended_;
    double decided_at_ = std::numeric_limits<double>::infinity();  // the due time of the member that ended
};

Status Scheduler::run(std::span<const int32_t> init, int cores) {
    if (cores > 1 && members_.size() > 1)
        return Threads(*this, init).run(std::min(cores, static_cast<int>(members_.size())));
    for (;;)
        if (const std::optional<Status> status = advance(init)) return *status;
}

uint64_t Scheduler::effort() const {
    uint64_t total = effort_of_evicted_;
    for (const auto& member : members_)
        if (member->search) total += member->search->effort();
    return total;
}

uint64_t Scheduler::bytes() const {
    uint64_t total = 0;
    for (const auto& member : members_)
        if (member->search) total += member->search->bytes();
    return total;
}

Statistics Scheduler::statistics() const {
    if (threads_) return threads_->statistics();
    Statistics total = of_evicted_;
    for (const auto& member : members_) {
        if (!member->search) continue;
        const Statistics its = member->statistics();
        total.add(its);
        if (member != members_.front()) continue;
        total.initial_h = its.initial_h;
        total.best_h = its.best_h;
    }
    return total;
}

}  // namespace goalward
