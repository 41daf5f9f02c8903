#include "search/improve/improver.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

#include "search/core/threads.hpp"
#include "search/improve/eliminate.hpp"
#include "search/improve/neighbourhood.hpp"
#include "search/improve/network_search.hpp"
#include "search/improve/reorder.hpp"
#include "search/improve/search_again.hpp"
#include "search/improve/windows.hpp"

namespace goalward {

namespace {

constexpr uint64_t initial_patience = 2'000'000;  // effort without success before the next technique has its turn
constexpr uint64_t max_bytes = 384 * 1024 * 1024;
constexpr uint64_t search_again_divisor = 4;  // search_again gets at least the total effort divided by this
// Total effort before search_again begins: its landmarks may take a tenth of a second, which is lost on short
// improvements (docs/lab/search.md).
constexpr uint64_t effort_before_search_again = 50'000'000;
constexpr uint64_t effort_per_pair_of_steps = 10;  // of elimination
// Memory per step of a better plan, which is stored here and by the caller, who may store it as a tuple of pointers.
constexpr uint64_t bytes_per_step = sizeof(int32_t) + sizeof(void*);

// The maximum memory of each technique. All together stay below the memory limit, so that improvement can continue.
struct MemoryShares {
    explicit MemoryShares(const Budget& budget) {
        const uint64_t all = std::min(max_bytes, budget.room() - budget.room() / 8);
        neighbourhood = all / 3;
        again = all / 2;
        window = all / 6;
        network = all;
    }
    uint64_t neighbourhood, again, window, network;
};

class Improver {
public:
    Improver(const Guidance& guidance, const Heuristic* network, std::span<const int32_t> init,
             const ImproveOptions& options, Budget& budget, ImproveResult& result)
        : problem_(guidance.problem()), options_(options), costs_{problem_, options.unit_costs},
          budget_(budget), result_(result), shares_(budget), random_(options.seed), init_(problem_.packing().n_words()),
          windows_(costs_, guidance.relaxed(options.unit_costs), budget, shares_.window),
          again_(costs_, guidance, init_, budget, shares_.again), limit_(options.effort_limit) {
        problem_.packing().pack(init, init_.data());
        if (network) network_ = std::make_unique<NetworkSearch>(costs_, *network, init_, budget, shares_.network);
    }

    ~Improver() { budget_.fits(accounted_, 0); }
    Improver(const Improver&) = delete;
    Improver& operator=(const Improver&) = delete;

    // False if the steps are not a plan.
    bool start(std::span<const int32_t> plan) {
        std::optional<Path> path = Path::along(costs_, init_, useful_steps(plan));
        if (!path) return false;
        path_ = std::make_unique<Path>(std::move(*path));
        make_index();
        if (path_->plan().size() < plan.size()) record("elimination");
        account();
        return true;
    }

    ImproveStatus run() {
        remove_steps();
        reorder();
        return options_.cores > 1 ? run_on_cores() : run_in_turns();
    }

private:
    ImproveStatus run_in_turns() {
        for (uint64_t patience = initial_patience; !stopped();) {
            const uint64_t found = n_found_;
            if (network_) search_with_network(patience);
            if (!stopped()) search_neighbourhood(patience);
            if (neighbourhood_ && neighbourhood_->exhausted()) return ImproveStatus::optimal;
            if (!stopped()) search_windows(patience);
            if (!stopped() && search_again_is_due()) search_again(patience);
            if (windows_.exhausted() && again_.exhausted() && neighbourhood_ && neighbourhood_->full() &&
                network_exhausted())
                return ImproveStatus::nothing_left;
            if (n_found_ == found) patience *= 2;
        }
        return why();
    }

    // Runs all techniques at the same time, on threads, from the same plan. Their detours are combined if possible.
    ImproveStatus run_on_cores() {
        for (uint64_t patience = initial_patience; !stopped();) {
            if (!neighbourhood_) make_neighbourhood();
            if (neighbourhood_->exhausted()) return ImproveStatus::optimal;
            const uint64_t spent = spent_on_cores(), generated = neighbourhood_->generated();
            const int levels_done = windows_.levels_done();
            std::vector<Detour> around;
            std::optional<Detour> network, window, again;
            std::vector<std::function<void()>> works;
            uint64_t effort = 0, max_effort = 0, network_effort = 0;  // of each technique, and of the network
            if (!neighbourhood_->full()) works.push_back([&] { around = neighbourhood_->advance(effort); });
            if (!windows_.exhausted())
                works.push_back([&] { window = windows_.advance(*path_, *window_index_, effort, max_effort); });
            if (!again_.exhausted() && search_again_is_due()) works.push_back([&] { again = again_.advance(*path_, *again_index_, effort); });
            const auto others = static_cast<double>(works.size());
            double network_factor = 0;  // effort of the network as a multiple of the effort of another technique
            if (!network_exhausted()) {
                network_factor = works.empty() ? 1 : others * network_ratio();
                works.insert(works.begin(),
                             [&] { network = network_->advance(*path_, *network_index_, network_effort); });
            }
            if (works.empty()) return ImproveStatus::nothing_left;
            const double total = others + network_factor;
            const auto limited = [&](double effort_of_one) {  // so that all together stay within the limit
                const auto all = within_limit(static_cast<uint64_t>(std::min(effort_of_one * total, 1e18)));
                return std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(all) / total));
            };
            effort = limited(static_cast<double>(patience));
            max_effort = limited(1e18);
            network_effort = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(effort) * network_factor));
            std::atomic<std::size_t> next = 0;
            run_threads(budget_.limits(), std::min(options_.cores, static_cast<int>(works.size())), [&] {
                for (std::size_t i = next++; i < works.size(); i = next++) works[i]();
            });
            result_.effort += spent_on_cores() - spent;
            result_.generated += neighbourhood_->generated() - generated;
            const char* by = network ? "network" : !around.empty() ? "neighbourhood" : window ? "window" : "search";
            for (std::optional<Detour>* found : {&network, &window, &again})
                if (*found) around.push_back(std::move(**found));
            if (!around.empty())
                adopt(take_detours(costs_, *path_, std::move(around), budget_), by);
            else if (windows_.levels_done() != levels_done)
                reorder();
            else
                patience *= 2;
        }
        return why();
    }

    uint64_t spent_on_cores() const {
        return neighbourhood_->effort() + windows_.effort() + again_.effort() + (network_ ? network_->effort() : 0);
    }
    double network_ratio() const { return options_.network_share / (1 - options_.network_share); }

    // Removes the steps that add no atom that the goal can depend on; the native problem does not have these operators.
    std::vector<int32_t> useful_steps(std::span<const int32_t> plan) const {
        const auto& active = problem_.active_operators();
        std::vector<int32_t> result;
        for (int32_t op : plan)
            if (std::binary_search(active.begin(), active.end(), op)) result.push_back(op);
        return result;
    }

    void search_neighbourhood(uint64_t patience) {
        for (uint64_t waited = 0; waited < patience && !stopped();) {
            if (!neighbourhood_) make_neighbourhood();
            if (neighbourhood_->exhausted() || neighbourhood_->full()) return;
            const uint64_t effort = neighbourhood_->effort(), generated = neighbourhood_->generated();
            std::vector<Detour> detours = neighbourhood_->advance(within_limit(patience - waited));
            result_.effort += neighbourhood_->effort() - effort;
            result_.generated += neighbourhood_->generated() - generated;
            waited += neighbourhood_->effort() - effort;
            if (!detours.empty()) {
                adopt(take_detours(costs_, *path_, std::move(detours), budget_), "neighbourhood");
                waited = 0;
            }
        }
    }

    void search_windows(uint64_t patience) {
        for (uint64_t waited = 0; waited < patience && !stopped() && !windows_.exhausted();) {
            const uint64_t effort = windows_.effort();
            const int levels_done = windows_.levels_done();
            std::optional<Detour> detour =
                windows_.advance(*path_, *index_, within_limit(patience - waited), within_limit(Windows::unlimited));
            result_.effort += windows_.effort() - effort;
            waited += windows_.effort() - effort;
            if (detour) {
                adopt(take_detours(costs_, *path_, {std::move(*detour)}, budget_), "window");
                waited = 0;
            } else if (windows_.levels_done() != levels_done) {
                reorder();
            }
        }
    }

    void search_again(uint64_t patience) {
        // The other techniques keep their turn while they find something. This makes sure that search_again gets its
        // share of the effort nevertheless.
        const uint64_t share = result_.effort / search_again_divisor;
        patience = std::max(patience, std::max(share, again_.effort()) - again_.effort());
        for (uint64_t waited = 0; waited < patience && !stopped() && !again_.exhausted();) {
            const uint64_t effort = again_.effort();
            std::optional<Detour> detour = again_.advance(*path_, *index_, within_limit(patience - waited));
            result_.effort += again_.effort() - effort;
            waited += again_.effort() - effort;
            if (detour) {
                adopt(take_detours(costs_, *path_, {std::move(*detour)}, budget_), "search");
                waited = 0;
            }
        }
    }

    bool search_again_is_due() const {
        return result_.effort >= effort_before_search_again ||
               (windows_.exhausted() && neighbourhood_ && neighbourhood_->full() && network_exhausted());
    }

    // Like search_again, but with its own share of the effort.
    void search_with_network(uint64_t patience) {
        const double others = static_cast<double>(result_.effort - network_->effort());
        const double due = others * network_ratio();
        patience = std::max(patience, std::max(static_cast<uint64_t>(due), network_->effort()) - network_->effort());
        for (uint64_t waited = 0; waited < patience && !stopped() && !network_->exhausted();) {
            const uint64_t effort = network_->effort();
            std::optional<Detour> detour = network_->advance(*path_, *index_, within_limit(patience - waited));
            result_.effort += network_->effort() - effort;
            waited += network_->effort() - effort;
            if (detour) {
                adopt(take_detours(costs_, *path_, {std::move(*detour)}, budget_), "network");
                waited = 0;
            }
        }
    }
    bool network_exhausted() const { return !network_ || network_->exhausted(); }

    void remove_steps() {
        result_.effort += effort_of_elimination();
        std::vector<int32_t> rest = eliminate(costs_, *path_, budget_);
        if (rest.size() < path_->plan().size()) replace(std::move(rest), "elimination");
        eliminated_at_ = result_.effort;
    }

    void reorder() {
        replace(reordered(problem_, *path_, random_), nullptr);
        if (elimination_is_due()) remove_steps();
    }

    void adopt(Path path, const char* by) {
        replace(path.plan(), by);
        ++n_found_;
        if (elimination_is_due()) remove_steps();
    }
    // Elimination examines all pairs of steps, so it does not run after every small improvement.
    bool elimination_is_due() const { return result_.effort - eliminated_at_ >= effort_of_elimination(); }

    void replace(std::vector<int32_t> plan, const char* by) {
        neighbourhood_.reset();  // it refers to the path and its index
        path_ = std::make_unique<Path>(Path::of_plan(costs_, init_, std::move(plan)));
        make_index();
        windows_.path_changed();
        if (by) record(by);
        account();
    }

    void make_neighbourhood() {
        neighbourhood_ =
            std::make_unique<Neighbourhood>(costs_, *path_, *index_, budget_, shares_.neighbourhood);
    }

    void make_index() {
        index_ = std::make_unique<SuffixIndex>(problem_, *path_);
        if (options_.cores == 1) return;
        window_index_ = std::make_unique<SuffixIndex>(*index_);
        network_index_ = std::make_unique<SuffixIndex>(*index_);
        again_index_ = std::make_unique<SuffixIndex>(*index_);
    }

    void record(const char* by) {
        result_.better.push_back({std::make_shared<const std::vector<int32_t>>(path_->plan()), path_->cost(),
                                  budget_.limits().elapsed(), result_.effort, by});
        bytes_of_plans_ += sizeof(BetterPlan) + path_->plan().size() * bytes_per_step;
        limit_ = std::max(limit_, std::min(2 * (result_.effort + options_.effort_limit), options_.max_effort));
    }

    void account() {
        const uint64_t before = std::exchange(accounted_, bytes_of_plans_ + path_->bytes() + index_->bytes());
        budget_.fits(before, accounted_);  // if not, stopped() returns true
    }

    uint64_t effort_of_elimination() const {
        return effort_per_pair_of_steps * path_->plan().size() * path_->plan().size();
    }
    uint64_t within_limit(uint64_t effort) const { return limit_ ? std::min(effort, limit_ - result_.effort) : effort; }
    bool out_of_effort() const { return limit_ && result_.effort >= limit_; }
    bool stopped() {
        account();  // the index grows
        return out_of_effort() || budget_.exceeded();
    }
    ImproveStatus why() const {
        switch (budget_.why()) {
            case Stop::time: return ImproveStatus::out_of_time;
            case Stop::memory: return ImproveStatus::out_of_memory;
            case Stop::cancelled: return ImproveStatus::cancelled;
            default: return ImproveStatus::out_of_effort;
        }
    }

    const Problem& problem_;
    const ImproveOptions& options_;
    Costs costs_;
    Budget& budget_;
    ImproveResult& result_;
    MemoryShares shares_;
    Random random_;
    std::vector<Word> init_;
    Windows windows_;
    SearchAgain again_;
    std::unique_ptr<NetworkSearch> network_;  // null without a network
    std::unique_ptr<Path> path_;
    std::unique_ptr<SuffixIndex> index_;
    std::unique_ptr<SuffixIndex> network_index_, window_index_, again_index_;  // one per thread: lookups change an index
    std::unique_ptr<Neighbourhood> neighbourhood_;
    uint64_t n_found_ = 0, eliminated_at_ = 0;
    uint64_t bytes_of_plans_ = 0, accounted_ = 0;  // memory of better plans; all memory reported to the budget
    uint64_t limit_;  // current effort limit; 0: none
};

}  // namespace

std::optional<ImproveResult> improve(const Guidance& guidance, const Heuristic* network, std::span<const int32_t> init,
                                     std::span<const int32_t> plan, const ImproveOptions& options,
                                     const std::function<bool(const ImproveResult&)>& heartbeat) {
    ImproveResult result;
    const Limits* clock = nullptr;
    Limits limits(options.time_limit, options.memory_limit, options.n_concurrent, [&] {
        result.seconds = clock->elapsed();
        return !heartbeat || heartbeat(result);
    });
    clock = &limits;
    Budget budget(limits);
    try {
        Improver improver(guidance, network, init, options, budget, result);
        if (!improver.start(plan)) return std::nullopt;
        result.status = improver.run();
    } catch (const std::bad_alloc&) {
        result.status = ImproveStatus::out_of_memory;
    } catch (const std::length_error&) {  // too many states for 32-bit ids
        result.status = ImproveStatus::out_of_memory;
    }
    result.seconds = limits.elapsed();
    return result;
}

}  // namespace goalward
