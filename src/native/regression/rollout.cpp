#include "regression/rollout.hpp"

#include "search/core/limits.hpp"

namespace goalward {

Rollouts regress(const RegressionTask& task, Selection selection, int n, int length, uint64_t seed,
                 const std::function<bool()>& go_on) {
    Rollouts result;
    PreimageWalk walk(task);
    const auto record = [&](int j, int i, int32_t a) {
        result.preimages.push_back(walk.preimage());
        result.depth.push_back(i);
        result.rollout.push_back(j);
        result.operators.push_back(a);
    };
    Random seeds(seed);
    Limits limits(0, 0, 1, go_on);
    for (int j = 0; j < n; ++j) {
        Random random(seeds.next());
        walk.start();
        record(j, 0, -1);
        for (int i = 1; i <= length; ++i) {
            const int32_t a = walk.choose(selection, random);
            if (a < 0) break;
            walk.apply(a);
            record(j, i, a);
            if (limits.stopped()) return result;
        }
        if (limits.stopped()) return result;
    }
    return result;
}

}  // namespace goalward
