#include "task/walk.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "task/random.hpp"

namespace goalward {

namespace {
// Number of variables and operators that walks process between two calls of `go_on`: a few hundredths of a second.
constexpr std::size_t poll_interval = 1 << 22;
}  // namespace

Walks random_walks(const Problem& problem, std::span<const int32_t> init, int n, std::span<const int32_t> steps,
                   uint64_t seed, const std::function<bool()>& go_on) {
    const Packing& packing = problem.packing();
    const std::size_t words = packing.n_words();
    std::vector<Word> start(words), state(words), child(words);
    Walks result;
    result.states.reserve(words * n * steps.size());
    std::vector<int32_t> values(packing.n_variables()), operators;
    packing.pack(init, start.data());
    Random seeds(seed);
    std::size_t work = poll_interval;  // since `go_on` was called
    bool running = true;
    for (int i = 0; i < n && running; ++i) {
        Random random(seeds.next());
        state = start;
        int32_t step = 0;
        for (int32_t end : steps) {
            for (; step < end; ++step) {
                if (work >= poll_interval) {
                    running = running && go_on();
                    work = 0;
                }
                if (!running) break;
                packing.unpack(state.data(), values.data());
                operators.clear();
                problem.applicable(values.data(), operators);
                work += values.size() + operators.size() + 1;
                if (operators.empty()) break;
                const int32_t o = operators[random.below(static_cast<uint32_t>(operators.size()))];
                problem.apply(o, state.data(), child.data());
                state.swap(child);
            }
            result.states.insert(result.states.end(), state.begin(), state.end());
        }
        ++result.n;
    }
    return result;
}

Successors successors(const Problem& problem, std::span<const int32_t> state) {
    const Packing& packing = problem.packing();
    const std::size_t words = packing.n_words();
    std::vector<Word> packed(words);
    std::vector<int32_t> values(packing.n_variables());
    packing.pack(state, packed.data());
    packing.unpack(packed.data(), values.data());
    Successors result;
    problem.applicable(values.data(), result.operators);
    std::sort(result.operators.begin(), result.operators.end());
    result.states.resize(words * result.operators.size());
    for (std::size_t i = 0; i < result.operators.size(); ++i)
        problem.apply(result.operators[i], packed.data(), result.states.data() + i * words);
    return result;
}

std::vector<Word> states_along(const Problem& problem, std::span<const int32_t> init, std::span<const int32_t> plan) {
    const Packing& packing = problem.packing();
    const std::size_t words = packing.n_words();
    std::vector<Word> result(words * (plan.size() + 1));
    packing.pack(init, result.data());
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Word* state = result.data() + i * words;
        if (plan[i] < 0 || static_cast<std::size_t>(plan[i]) >= problem.n_operators())
            throw std::invalid_argument("step " + std::to_string(i + 1) + " is not an operator");
        const auto pre = problem.op(plan[i]).pre;
        if (!std::all_of(pre.begin(), pre.end(), [&](int32_t atom) { return packing.holds(state, atom); }))
            throw std::invalid_argument("step " + std::to_string(i + 1) + " is not applicable");
        problem.apply(plan[i], state, result.data() + (i + 1) * words);
    }
    return result;
}

}  // namespace goalward
