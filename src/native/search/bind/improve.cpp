#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "search/improve/improver.hpp"
#include "search/improve/neighbourhood.hpp"
#include "search/improve/suffixes.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

std::optional<ImproveResult> improved(const Guidance& guidance, const Heuristic* network, const Ints& init,
                                      const Ints& plan, bool unit_costs, uint64_t seed, double time_limit,
                                      uint64_t memory_limit, int n_concurrent, uint64_t effort_limit,
                                      uint64_t max_effort, int cores, double network_share,
                                      std::optional<nb::callable> progress) {
    const ImproveOptions options{unit_costs,   seed,       time_limit, memory_limit, n_concurrent,
                                 effort_limit, max_effort, cores,      network_share};
    if (network && &network->problem() != &guidance.problem())
        throw std::invalid_argument("the network and the guides are for different problems");
    const auto heartbeat = [&](const ImproveResult& so_far) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress) return true;
        nb::object answer = (*progress)(nb::cast(so_far, nb::rv_policy::copy));  // the caller may keep it; plans are shared
        return answer.is_none() || nb::cast<bool>(answer);
    };
    const std::vector<int32_t> steps = to_vector(plan, 0, static_cast<int64_t>(guidance.problem().n_operators()));
    const std::vector<int32_t> atoms = to_vector(init, 0, guidance.problem().packing().n_atoms());
    nb::gil_scoped_release released;
    return improve(guidance, network, atoms, steps, options, heartbeat);
}

std::vector<BetterPlan> better_since(const ImproveResult& result, std::size_t n) {
    const auto skipped = static_cast<std::ptrdiff_t>(std::min(n, result.better.size()));
    return {result.better.begin() + skipped, result.better.end()};
}

Path path_of(const Costs& costs, const Ints& init, const Ints& plan) {
    const Problem& problem = costs.problem;
    std::vector<Word> start(problem.packing().n_words());
    problem.packing().pack(to_vector(init, 0, problem.packing().n_atoms()), start.data());
    auto path = Path::along(costs, start, to_vector(plan, 0, static_cast<int64_t>(problem.n_operators())));
    if (!path) throw std::invalid_argument("the steps are not a plan for this initial state");
    return std::move(*path);
}

uint64_t neighbourhood_states(const Problem& problem, const Ints& init, const Ints& plan, uint64_t effort) {
    const Costs costs{problem, true};
    const Path path = path_of(costs, init, plan);
    SuffixIndex index(problem, path);
    Limits limits(0, 0, 1, nullptr);
    Budget budget(limits);
    Neighbourhood neighbourhood(costs, path, index, budget, UINT64_MAX);
    while (neighbourhood.effort() < effort && !neighbourhood.exhausted())
        neighbourhood.advance(effort - neighbourhood.effort());
    return neighbourhood.generated();
}

// For tests: SuffixIndex::last_applicable for a batch of states.
std::vector<int> last_applicable(const Problem& problem, const Ints& init, const Ints& plan, const BitRows& states,
                                 const Ints& first) {
    const Costs costs{problem, true};
    const Path path = path_of(costs, init, plan);
    SuffixIndex index(problem, path);
    const PackedStates batch = pack(problem, states);
    require(first.size() == batch.states.size(), "the numbers of states and bounds differ");
    const std::vector<int32_t> bounds = to_vector(first, 0, path.length() + 1);
    std::vector<int> result;
    for (std::size_t i = 0; i < bounds.size(); ++i) result.push_back(index.last_applicable(batch.states[i], bounds[i]));
    return result;
}

}  // namespace

void register_improve(nb::module_& m) {
    nb::enum_<ImproveStatus>(m, "ImproveStatus", "The reason why the improvement of a plan ended.")
        .value("OPTIMAL", ImproveStatus::optimal)
        .value("NOTHING_LEFT", ImproveStatus::nothing_left)
        .value("OUT_OF_TIME", ImproveStatus::out_of_time)
        .value("OUT_OF_MEMORY", ImproveStatus::out_of_memory)
        .value("OUT_OF_EFFORT", ImproveStatus::out_of_effort)
        .value("CANCELLED", ImproveStatus::cancelled);
    nb::class_<BetterPlan>(m, "BetterPlan", "A plan that is better than the one before.")
        .def_prop_ro("plan", [](const BetterPlan& b) { return *b.plan; })
        .def_ro("cost", &BetterPlan::cost)
        .def_ro("seconds", &BetterPlan::seconds)
        .def_ro("effort", &BetterPlan::effort)
        .def_prop_ro("by", [](const BetterPlan& b) { return std::string(b.by); });
    nb::class_<ImproveResult>(m, "ImproveResult", "The plans that an improver found, each better than the one before.")
        .def_ro("status", &ImproveResult::status)
        .def("better_since", &better_since, "n"_a, "The plans found after the first `n`.")
        .def_ro("effort", &ImproveResult::effort)
        .def_ro("generated", &ImproveResult::generated)
        .def_ro("seconds", &ImproveResult::seconds);
    m.def("improve", &improved, "guidance"_a, "network"_a.none(), "init"_a, "plan"_a, nb::kw_only(), "unit_costs"_a,
          "seed"_a, "time_limit"_a, "memory_limit"_a, "n_concurrent"_a, "effort_limit"_a, "max_effort"_a, "cores"_a,
          "network_share"_a, "progress"_a.none(),
          nb::sig("def improve(guidance: Guidance, network: Heuristic | None, init: numpy.typing.NDArray[numpy.int32], "
                  "plan: numpy.typing.NDArray[numpy.int32], *, unit_costs: bool, seed: int, time_limit: float, "
                  "memory_limit: int, n_concurrent: int, effort_limit: int, max_effort: int, cores: int, "
                  "network_share: float, "
                  "progress: collections.abc.Callable[[ImproveResult], bool | None] | None) -> ImproveResult | None"),
          "Improves a plan; returns None if the steps are not a plan.");
    m.def("neighbourhood_states", &neighbourhood_states, "problem"_a, "init"_a, "plan"_a, "effort"_a,
          "For measurements: the number of states that plan neighbourhood search generates within `effort`.");
    m.def("last_applicable_suffixes", &last_applicable, "problem"_a, "init"_a, "plan"_a, "states"_a, "first"_a,
          "For tests: for each state the largest j >= first such that the plan's steps from j on reach the goal, or -1.");
}

}  // namespace goalward
