// h_FF as a guide: the length of a relaxed plan, and its first steps (FF's helpful actions), from one relaxed pass.
#pragma once

#include "search/heuristics/guide.hpp"
#include "search/heuristics/relaxation.hpp"

namespace goalward {

class FFGuide final : public Guide {
public:
    // The evaluator, of kind ff, may serve several guides in turn.
    explicit FFGuide(RelaxationEvaluator& relaxation) : relaxation_(relaxation) {}

    float evaluate(StateId, const Word* state, std::vector<int32_t>* preferred) override {
        const uint64_t before = relaxation_.effort();
        const float h = relaxation_.evaluate(state);
        effort_ += nanoseconds * (relaxation_.effort() - before);
        if (preferred && h != dead_end) relaxation_.append_helpful_actions(*preferred);
        return h;
    }
    uint64_t effort() const override { return effort_; }
    const char* name() const override { return "ff"; }

private:
    static constexpr uint64_t nanoseconds = 4;  // for each precondition that is settled; 2 to 6 were measured

    RelaxationEvaluator& relaxation_;
    uint64_t effort_ = 0;
};

}  // namespace goalward
