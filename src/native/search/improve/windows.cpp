#include "search/improve/windows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/improve/detour_search.hpp"

namespace goalward {

namespace {
constexpr double first_size = 10, first_evaluations = 200, growth = 1.4;
constexpr double weight_growth = 1.2, most_weight = 5, weight_decay = 0.6;  // per level; per cycle
constexpr double cycle_growth = 3;
constexpr uint64_t evaluations_between_looks = 1000;  // at the memory of a search
constexpr uint64_t table_share = 4;  // one part in so many of the bytes is for what is known of windows

// Each entry of an unordered map is a block of its own: with a pointer, the block's header, and one or two buckets.
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
    const int cycle = cycle_;
    if (!begun_) next_level(path);
    while (effort_ < until && cycle_ == cycle && !exhausted_ && !budget_.exceeded()) {
        if (!listed_) list_places(path, index);
        if (places_.empty()) {
            next_level(path);
            continue;
        }
        const Place place = places_.back();
        places_.pop_back();
        if (std::optional<Detour> found = search(path, index, place, std::max(end, effort_) - effort_)) return found;
        tried_[place.key] = {weight_, evaluations_};
        bound_tables();
    }
    return std::nullopt;
}

std::optional<Detour> Windows::search(const Path& path, SuffixIndex& index, const Place& place, uint64_t max_effort) {
    aim_at(index, place.to);
    DetourSearch search(costs_, {{&ff_, weight_}}, path.state(place.from), budget_);
    std::optional<Detour> found;
    const auto evaluations = static_cast<uint64_t>(evaluations_);
    while (!found && !search.exhausted() && search.evaluations() < evaluations && search.effort() < max_effort &&
           search.bytes() <= most_bytes_ && !budget_.exceeded())
        found = search.advance(path, index, place.from, path.cost_between(place.from, place.to),
                               max_effort - search.effort(),
                               std::min(evaluations - search.evaluations(), evaluations_between_looks));
    effort_ += search.effort();
    // What is full would be full again with more evaluations.
    cut_ = cut_ || (!found && !search.exhausted() && search.bytes() <= most_bytes_);
    return found;
}

// Windows that are forgotten are at worst searched once more: both tables are emptied when they are full.
void Windows::bound_tables() {
    if (bytes_of(estimates_) + bytes_of(tried_) > most_bytes_ / table_share) {
        estimates_ = {};
        tried_ = {};
    }
    const uint64_t before = std::exchange(accounted_, bytes_of(estimates_) + bytes_of(tried_));
    budget_.fits(before, accounted_);
}

void Windows::aim_at(const SuffixIndex& index, int to) {
    atoms_.clear();
    index.atoms(to, atoms_);
    ff_.set_goal(atoms_);
}

float Windows::estimate(const Path& path, const SuffixIndex& index, int from, int to) {
    aim_at(index, to);
    const uint64_t before = ff_.relaxation().effort();
    const float h = ff_.relaxation().evaluate(path.state(from));
    effort_ += ff_.relaxation().effort() - before;
    return h;
}

void Windows::list_places(const Path& path, const SuffixIndex& index) {
    listed_ = true;
    places_.clear();
    const int size = static_cast<int>(size_), stride = std::max(1, size / 2);
    for (int from = 0; from < path.length() && !budget_.exceeded(); from += stride) {
        const int to = std::min(from + size, path.length());
        const uint64_t k = key(path, index, from, to);
        const auto tried = tried_.find(k);
        if (tried == tried_.end() || tried->second.weight > weight_ || tried->second.evaluations < evaluations_) {
            const auto [h, fresh] = estimates_.try_emplace(k, 0.0f);
            if (fresh) h->second = estimate(path, index, from, to);
            places_.push_back({from, to, static_cast<double>(path.cost_between(from, to)) - h->second, k});
            if (fresh) bound_tables();
        }
        if (to == path.length()) break;
    }
    std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.waste < b.waste; });
}

void Windows::next_level(const Path& path) {
    listed_ = false;
    if (begun_ && size_ < path.length()) {
        size_ *= growth;
        const double full = std::min(most_weight, std::pow(weight_growth, ++level_));
        weight_ = 1 + (full - 1) * std::pow(weight_decay, cycle_);
        evaluations_ *= growth;
        return;
    }
    if (begun_) {
        ++cycle_;
        exhausted_ = !cut_;
    }
    begun_ = true;
    cut_ = false;
    level_ = 0;
    size_ = first_size;
    weight_ = 1;
    evaluations_ = first_evaluations * std::pow(cycle_growth, cycle_);
}

uint64_t Windows::key(const Path& path, const SuffixIndex& index, int from, int to) {
    uint64_t k = 0;
    for (int w = 0; w < problem_.packing().n_words(); ++w) k = mixed(k, path.state(from)[w]);
    atoms_.clear();
    index.atoms(to, atoms_);
    for (int32_t atom : atoms_) k = mixed(k, static_cast<uint64_t>(atom));
    return k;
}

}  // namespace goalward
