// Searches windows (parts) of a plan again for cheaper replacements.
//
// A level is a size of windows, with a limit on evaluations and a weight that grow with the size. At each level, the
// windows that seem to waste most cost come first. Levels follow each other as the ruler sequence 0 1 0 2 0 1 0 3 …
// does, because small windows find most, if the plan is reordered after each level. A cycle ends when a window would be
// larger than the plan. The next cycle has more evaluations and lower weights.
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
    // A search ends when it holds `max_bytes`.
    Windows(const Costs& costs, std::shared_ptr<const RelaxedOperators> operators, Budget& budget, uint64_t max_bytes)
        : costs_(costs), problem_(costs.problem), ff_(problem_, std::move(operators)), budget_(budget),
          max_bytes_(max_bytes) {}

    ~Windows() { budget_.fits(accounted_, 0); }
    Windows(const Windows&) = delete;
    Windows& operator=(const Windows&) = delete;

    // Must be called if the next call of advance() gets another path than the last one.
    void path_changed() { listed_ = false; }
    static constexpr uint64_t unlimited = UINT64_MAX / 2;  // sums of efforts stay below 2^64
    // Searches for about `effort` units, until it finds a detour, or until the end of a level. The search of a window
    // is completed even if that takes more than `effort`, but not more than `max_effort`.
    std::optional<Detour> advance(const Path& path, SuffixIndex& index, uint64_t effort,
                                  uint64_t max_effort = unlimited);

    // Number of levels that were searched to their end.
    int levels_done() const { return levels_done_; }
    // True if no search of the last cycle was limited by evaluations, so that another cycle would find nothing.
    bool exhausted() const { return exhausted_; }
    uint64_t effort() const { return effort_; }

private:
    struct Window {
        int from, to;
        double waste;
        uint64_t key;
    };
    struct Trial {  // the last unsuccessful search of a window
        double weight;
        double evaluations;
    };

    void list_windows(const Path& path, const SuffixIndex& index);
    void start_level(const Path& path);
    float estimate(const Path& path, const SuffixIndex& index, int from, int to);
    std::optional<Detour> search(const Path& path, SuffixIndex& index, const Window& window, uint64_t max_effort);
    void limit_tables();
    void set_target(const SuffixIndex& index, int to);
    uint64_t key(const Path& path, const SuffixIndex& index, int from, int to);

    const Costs& costs_;
    const Problem& problem_;
    FFGuide ff_;  // its goal is the end of the current window
    Budget& budget_;
    uint64_t max_bytes_;
    uint64_t accounted_ = 0;
    uint64_t effort_ = 0;
    int cycle_ = 0, levels_done_ = 0;
    int step_ = 0;  // index of the level in the sequence of its cycle, from 1 on
    double size_ = 0, weight_ = 0, evaluations_ = 0;
    bool listed_ = false, any_cut_off_ = false, exhausted_ = false;
    std::vector<Window> windows_;  // ascending by waste
    std::unordered_map<uint64_t, float> estimates_;
    std::unordered_map<uint64_t, Trial> tried_;
    std::vector<int32_t> atoms_;
};

}  // namespace goalward
