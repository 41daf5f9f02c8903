// Which parts of a plan are searched again, and how hard.
//
// Windows grow from a few steps to the whole plan, and with them the weight of the search and the evaluations that it may
// take; those that seem to waste most come first. When the whole plan has been tried, the next cycle begins with small
// windows again, more evaluations and less weight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/core/limits.hpp"
#include "search/improve/detours.hpp"
#include "search/improve/suffixes.hpp"
#include "search/heuristics/ff_guide.hpp"

namespace goalward {

class Windows {
public:
    // A search that holds `most_bytes` is given up.
    Windows(const Costs& costs, std::shared_ptr<const RelaxedOperators> operators, Budget& budget, uint64_t most_bytes)
        : costs_(costs), problem_(costs.problem), ff_(problem_, std::move(operators)), budget_(budget),
          most_bytes_(most_bytes) {}

    ~Windows() { budget_.fits(accounted_, 0); }
    Windows(const Windows&) = delete;
    Windows& operator=(const Windows&) = delete;

    // The path is another one than in the last call.
    void path_changed() { listed_ = false; }
    // Searches for about so much effort, or until it finds something or has come to the end of a cycle. A window is
    // searched to its end even if that takes more than `effort`, but not more than `max_effort`.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort,
                                  uint64_t max_effort = UINT64_MAX / 2);

    int cycle() const { return cycle_; }
    // Was no search of the last cycle ended for lack of evaluations? Then another cycle finds nothing either.
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    struct Place {
        int from, to;
        double waste;
        uint64_t key;
    };
    struct Trial {  // the easiest search that a place has seen without success
        double weight;
        double evaluations;
    };

    void list_places(const Path& path, const SuffixIndex& index);
    void next_level(const Path& path);
    float estimate(const Path& path, const SuffixIndex& index, int from, int to);
    std::optional<Detour> search(const Path& path, SuffixIndex& index, const Place& place, uint64_t max_effort);
    void bound_tables();
    void aim_at(const SuffixIndex& index, int to);
    uint64_t key(const Path& path, const SuffixIndex& index, int from, int to);

    const Costs& costs_;
    const Problem& problem_;
    FFGuide ff_;  // aimed at the ends of windows
    Budget& budget_;
    uint64_t most_bytes_;
    uint64_t accounted_ = 0;
    uint64_t effort_ = 0;
    int cycle_ = 0, level_ = 0;
    double size_ = 0, weight_ = 0, evaluations_ = 0;
    bool begun_ = false, listed_ = false, cut_ = false, exhausted_ = false;
    std::vector<Place> places_;  // the most wasteful last
    std::unordered_map<uint64_t, float> estimates_;
    std::unordered_map<uint64_t, Trial> tried_;
    std::vector<int32_t> atoms_;
};

}  // namespace goalward
