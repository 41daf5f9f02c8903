#include "task/walk.hpp"

#include "task/random.hpp"

namespace goalward {

std::vector<Word> random_walks(const Problem& problem, std::span<const int32_t> init, int n,
                               std::span<const int32_t> stops, uint64_t seed) {
    const Packing& packing = problem.packing();
    const std::size_t words = packing.n_words();
    std::vector<Word> start(words), state(words), child(words), result;
    result.reserve(words * n * stops.size());
    std::vector<int32_t> values(packing.n_variables()), operators;
    packing.pack(init, start.data());
    Random seeds(seed);
    for (int i = 0; i < n; ++i) {
        Random random(seeds.next());
        state = start;
        int32_t step = 0;
        for (int32_t stop : stops) {
            for (; step < stop; ++step) {
                packing.unpack(state.data(), values.data());
                operators.clear();
                problem.applicable(values.data(), operators);
                if (operators.empty()) break;
                const int32_t o = operators[random.below(static_cast<uint32_t>(operators.size()))];
                problem.apply(o, state.data(), child.data());
                state.swap(child);
            }
            result.insert(result.end(), state.begin(), state.end());
        }
    }
    return result;
}

}  // namespace goalward
