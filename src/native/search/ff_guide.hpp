// h_FF as a guide: the length of a relaxed plan, and its first steps (FF's helpful actions), from one relaxed pass.
#pragma once

#include "search/guide.hpp"
#include "search/relaxation.hpp"

namespace goalward {

class FFGuide final : public Guide {
public:
    FFGuide(std::shared_ptr<const Problem> problem, bool unit_costs)
        : relaxation_(std::move(problem), Relaxed::ff, unit_costs) {}

    float evaluate(StateId, const Word* state, std::vector<int32_t>* preferred) override {
        const float h = relaxation_.evaluate(state);
        if (preferred && h != dead_end) relaxation_.append_helpful_actions(*preferred);
        return h;
    }
    uint64_t effort() const override { return relaxation_.effort(); }
    const char* name() const override { return "ff"; }

private:
    RelaxationEvaluator relaxation_;
};

}  // namespace goalward
