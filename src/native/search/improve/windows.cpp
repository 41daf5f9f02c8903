#include "search/improve/windows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "search/improve/detour_search.hpp"

namespace goalward {

namespace {
constexpr double initial_size = 10, initial_evaluations = 200, growth = 1.4;
constexpr double weight_growth = 1.2, max_weight = 5, weight_decay = 0.6;  // growth per level, decay per cycle
constexpr double cycle_growth = 3;
constexpr uint64_t memory_check_interval = 1000;  // number of evaluations between two checks of a search's memory
constexpr uint64_t table_divisor = 4;  // the tables may take the maximum memory divided by this

double size_of(int level) { return initial_size * std::pow(growth, level); }

// Each entry of an unordered map is allocated separately, with a pointer, an allocation header, and one or two buckets.
template <class Map>
uint64_t bytes_of(const Map& map) {
    return map.size() * (sizeof(typename Map::value_type) + 3 * sizeof(void*)) + map.bucket_count() * sizeof(void*);
}

uint64_t mixed(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15;
    return h ^ (h >> 29);
}
}  // namespace

std::optional<Detour> Windows::advance(const Path& path, SuffixIndex& index, uint64_t effort, uint64_t max_effort) {
    const uint64_t until = effort_ + effort, end = effort_ + max_effort;
    if (step_ == 0) start_level(path);
    while (effort_ < until && !exhausted_ && !budget_.exceeded()) {
        if (!listed_) list_windows(path, index);
        if (windows_.empty()) {
            ++levels_done_;
            start_level(path);
            return std::nullopt;
        }
        const Window window = windows_.back();
        windows_.pop_back();
        if (std::optional<Detour> found = search(path, index, window, std::max(end, effort_) - effort_)) return found;
        tried_[window.key] = {weight_, evaluations_};
        limit_tables();
    }
    return std::nullopt;
}

std::optional<Detour> Windows::search(const Path& path, SuffixIndex& index, const Window& window, uint64_t max_effort) {
    set_target(index, window.to);
    DetourSearch search(costs_, {{&ff_, weight_}}, path.state(window.from), budget_);
    std::optional<Detour> found;
    const auto evaluations = static_cast<uint64_t>(evaluations_);
    while (!found && !search.exhausted() && search.evaluations() < evaluations && search.effort() < max_effort &&
           search.bytes() <= max_bytes_ && !budget_.exceeded())
        found = search.advance(path, index, window.from, path.cost_between(window.from, window.to),
                               max_effort - search.effort(),
                               std::min(evaluations - search.evaluations(), memory_check_interval));
    effort_ += search.effort();
    // More evaluations would not help a search that ended for lack of memory.
    any_cut_off_ = any_cut_off_ || (!found && !search.exhausted() && search.bytes() <= max_bytes_);
    return found;
}

// Empties the tables when they are full. At worst, some windows are then searched again.
void Windows::limit_tables() {
    if (bytes_of(estimates_) + bytes_of(tried_) > max_bytes_ / table_divisor) {
        estimates_ = {};
        tried_ = {};
    }
    const uint64_t before = std::exchange(accounted_, bytes_of(estimates_) + bytes_of(tried_));
    budget_.fits(before, accounted_);
}

void Windows::set_target(const SuffixIndex& index, int to) {
    atoms_.clear();
    index.atoms(to, atoms_);
    ff_.set_goal(atoms_);
}

float Windows::estimate(const Path& path, const SuffixIndex& index, int from, int to) {
    set_target(index, to);
    const uint64_t before = ff_.relaxation().effort();
    const float h = ff_.relaxation().evaluate(path.state(from));
    effort_ += ff_.relaxation().effort() - before;
    return h;
}

void Windows::list_windows(const Path& path, const SuffixIndex& index) {
    listed_ = true;
    windows_.clear();
    const int size = static_cast<int>(size_), stride = std::max(1, size / 2);
    for (int from = 0; from < path.length() && !budget_.exceeded(); from += stride) {
        const int to = std::min(from + size, path.length());
        const uint64_t k = key(path, index, from, to);
        const auto tried = tried_.find(k);
        if (tried == tried_.end() || tried->second.weight > weight_ || tried->second.evaluations < evaluations_) {
            const auto [h, fresh] = estimates_.try_emplace(k, 0.0f);
            if (fresh) h->second = estimate(path, index, from, to);
            windows_.push_back({from, to, static_cast<double>(path.cost_between(from, to)) - h->second, k});
            if (fresh) limit_tables();
        }
        if (to == path.length()) break;
    }
    std::stable_sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) { return a.waste < b.waste; });
}

void Windows::start_level(const Path& path) {
    listed_ = false;
    // The level is the number of trailing zeros of the step, so that each level comes half as often as the one below.
    int level = std::countr_zero(static_cast<unsigned>(++step_));
    if (level > 0 && size_of(level - 1) >= path.length()) {
        ++cycle_;
        exhausted_ = !any_cut_off_;
        any_cut_off_ = false;
        step_ = 1;
        level = 0;
    }
    size_ = size_of(level);
    evaluations_ = initial_evaluations * std::pow(growth, level) * std::pow(cycle_growth, cycle_);
    weight_ = 1 + (std::min(max_weight, std::pow(weight_growth, level)) - 1) * std::pow(weight_decay, cycle_);
}

uint64_t Windows::key(const Path& path, const SuffixIndex& index, int from, int to) {
    uint64_t k = 0;
    for (int w = 0; w < problem_.packing().n_words(); ++w) k = mixed(k, path.state(from)[w]);
    for (Word word : index.values(to)) k = mixed(k, word);
    return k;
}

}  // namespace goalward
