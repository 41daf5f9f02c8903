// h_FF as a guide: the value is the length of a relaxed plan, and preferred operators are FF's helpful actions.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/heuristics/guide.hpp"
#include "search/heuristics/relaxation.hpp"

namespace goalward {

class FFGuide final : public Guide {
public:
    FFGuide(const Problem& problem, std::shared_ptr<const RelaxedOperators> operators)
        : relaxation_(problem, Relaxed::ff, std::move(operators)) {}

    RelaxationEvaluator& relaxation() { return relaxation_; }
    // Replaces the problem's goal by these atoms, which must be distinct.
    void set_goal(std::span<const int32_t> atoms) { relaxation_.set_goal(atoms); }

    float evaluate(StateId id, StateSpace& space, std::vector<int32_t>* preferred) override {
        const float h = relaxation_.evaluate(space[id]);
        if (preferred && h != dead_end) relaxation_.append_helpful_actions(*preferred);
        return h;
    }
    uint64_t effort() const override { return nanoseconds * relaxation_.effort(); }
    const char* name() const override { return "ff"; }

private:
    static constexpr uint64_t nanoseconds = 4;  // per unit of effort of a pass; 3 to 6 were measured

    RelaxationEvaluator relaxation_;
};

}  // namespace goalward
