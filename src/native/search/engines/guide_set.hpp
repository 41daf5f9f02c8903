// The guides of one search, evaluated together, with their evaluation counts and best values.
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

// The number of evaluations of a heuristic, and its minimum value.
struct Progress {
    uint64_t evaluations = 0;
    float best = dead_end;

    // Records a value. True if it is a new minimum, but not for the first value.
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
    // Applicable operators that at least one guide prefers in the state evaluated last, sorted.
    const std::vector<int32_t>& preferred() const { return preferred_; }
    bool prefers(int32_t op) const { return std::binary_search(preferred_.begin(), preferred_.end(), op); }

    void start(StateId id, StateSpace& space, Budget& budget) {
        for (const auto& guide : guides_) guide->start(id, space, budget);
    }
    void reached(StateId parent, int32_t op, StateId child, StateSpace& space, bool fresh) {
        for (const auto& guide : guides_) guide->reached(parent, op, child, space, fresh);
    }
    // Evaluates a state with the first guide only.
    float first_value(StateId id, StateSpace& space) {
        ++progress_[0].evaluations;
        return progress_[0].best = guides_[0]->evaluate(id, space, nullptr);
    }
    // Evaluates a state with all guides. False if one of them proves that it is a dead end.
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
    // Records the values of the state evaluated last. True if one of them is a new minimum of its guide.
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
    static constexpr float unreliable = 1e30f;  // replaces infinity if the guide is not safe

    std::vector<std::unique_ptr<Guide>> guides_;
    std::vector<Progress> progress_;
    std::vector<float> values_;
    std::vector<int32_t> preferred_;
};

}  // namespace goalward
