// The guides of one search: asked together, with what each of them has said so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/core/result.hpp"
#include "search/heuristics/guide.hpp"

namespace goalward {

// How often a heuristic was asked, and its least value.
struct Progress {
    uint64_t evaluations = 0;
    float best = dead_end;

    // Notes a value. True if it is better than all before it; the first value is no progress.
    bool improve(float h) {
        const bool better = h < best, first = best == dead_end;
        if (better) best = h;
        return better && !first;
    }
};

class GuideSet {
public:
    explicit GuideSet(std::vector<std::unique_ptr<Guide>> guides)
        : guides_(std::move(guides)), progress_(guides_.size()), values_(guides_.size()) {}

    std::size_t size() const { return guides_.size(); }
    std::string name(std::size_t g) const { return guides_[g]->name(); }
    float value(std::size_t g) const { return values_[g]; }  // of the state evaluated last
    const std::vector<float>& values() const { return values_; }
    float best(std::size_t g) const { return progress_[g].best; }
    // Applicable operators that a guide prefers in the state evaluated last, sorted, each once.
    const std::vector<int32_t>& preferred() const { return preferred_; }
    bool prefers(int32_t op) const { return std::binary_search(preferred_.begin(), preferred_.end(), op); }

    void start(StateId id, StateSpace& space, Budget& budget) {
        for (const auto& guide : guides_) guide->start(id, space, budget);
    }
    void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) {
        for (const auto& guide : guides_) guide->reached(parent, op, child, space, fresh);
    }
    // The value of the first guide alone.
    float first_value(StateId id, StateSpace& space) {
        ++progress_[0].evaluations;
        return progress_[0].best = guides_[0]->evaluate(id, space, nullptr);
    }
    // Asks all guides about a state. False if one of them sees a dead end.
    bool evaluate(StateId id, StateSpace& space) {
        preferred_.clear();
        for (std::size_t g = 0; g < guides_.size(); ++g) {
            ++progress_[g].evaluations;
            float h = guides_[g]->evaluate(id, space, &preferred_);
            if (h == dead_end && !guides_[g]->safe()) h = unreliable;
            values_[g] = h;
            if (h == dead_end) return false;
        }
        std::sort(preferred_.begin(), preferred_.end());
        preferred_.erase(std::unique(preferred_.begin(), preferred_.end()), preferred_.end());
        return true;
    }
    // Notes the values of the state evaluated last. True if one of them is better than all before it.
    bool improve() {
        bool improved = false;
        for (std::size_t g = 0; g < guides_.size(); ++g) improved |= progress_[g].improve(values_[g]);
        return improved;
    }

    uint64_t effort() const {
        uint64_t total = 0;
        for (const auto& guide : guides_) total += guide->effort();
        return total;
    }
    uint64_t bytes() const {
        uint64_t total = 0;
        for (const auto& guide : guides_) total += guide->bytes();
        return total;
    }
    void report(Statistics& statistics) const {
        for (std::size_t g = 0; g < guides_.size(); ++g)
            statistics.evaluations_by_heuristic.emplace_back(guides_[g]->name(), progress_[g].evaluations);
    }
    uint64_t evaluations() const { return progress_.front().evaluations; }

private:
    static constexpr float unreliable = 1e30f;  // for an infinity that proves nothing

    std::vector<std::unique_ptr<Guide>> guides_;
    std::vector<Progress> progress_;
    std::vector<float> values_;
    std::vector<int32_t> preferred_;
};

}  // namespace goalward
