#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "search/best_first.hpp"
#include "search/lookahead.hpp"
#include "search/many.hpp"
#include "search/network.hpp"
#include "search/relaxation.hpp"
#include "search/simple_evaluators.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

// A heuristic written in Python: called with an array of shape (states, atoms) of zeros and ones, returns one number
// per state.
class CallableEvaluator final : public Evaluator {
public:
    CallableEvaluator(const Problem& problem, nb::callable function)
        : problem_(problem), function_(std::move(function)) {}
    ~CallableEvaluator() override {
        nb::gil_scoped_acquire gil;
        function_.reset();
    }

    void evaluate(const Batch& batch, std::span<float> h) override {
        const std::size_t n = batch.states.size(), width = problem_.packing().n_atoms();
        nb::gil_scoped_acquire gil;
        auto cells = std::make_unique<uint8_t[]>(n * width);
        for (std::size_t i = 0; i < n; ++i) {
            atoms_.clear();
            problem_.packing().true_atoms(batch.states[i], atoms_);
            for (int32_t atom : atoms_) cells[i * width + atom] = 1;
        }
        uint8_t* raw = cells.release();
        nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
        nb::ndarray<nb::numpy, uint8_t, nb::ndim<2>> states(raw, {n, width}, owner);
        const auto numpy = nb::module_::import_("numpy");
        nb::object answer = numpy.attr("ascontiguousarray")(function_(states), "dtype"_a = "float32");
        const auto values = nb::cast<nb::ndarray<const float, nb::c_contig, nb::device::cpu>>(answer);
        if (values.ndim() != 1 || values.size() != n)
            throw std::invalid_argument("the heuristic function got " + std::to_string(n) +
                                        " states and must return as many values in one dimension");
        std::copy_n(values.data(), n, h.data());
    }
    bool safe() const override { return false; }

private:
    const Problem& problem_;
    nb::callable function_;
    std::vector<int32_t> atoms_;
};

std::unique_ptr<Evaluator> make_evaluator(const Problem& problem, const std::string& name, bool unit_costs) {
    if (name == "blind") return make_blind(problem, unit_costs);
    if (name == "goalcount") return make_goal_count(problem);
    if (name == "hmax") return std::make_unique<RelaxationEvaluator>(problem, Relaxed::max, unit_costs);
    if (name == "add") return std::make_unique<RelaxationEvaluator>(problem, Relaxed::add, unit_costs);
    if (name == "ff") return std::make_unique<RelaxationEvaluator>(problem, Relaxed::ff, unit_costs);
    throw std::invalid_argument("unknown native heuristic " + name);
}

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::shared_ptr<Network> make_network(const Matrix& table, const Vector& bias,
                                      const std::vector<std::tuple<Matrix, Vector, int>>& layers) {
    std::vector<Network::Layer> native;
    for (const auto& [weights, offsets, skip] : layers)
        native.push_back({static_cast<int>(weights.shape(1)), static_cast<int>(weights.shape(0)),
                          {weights.data(), weights.size()}, {offsets.data(), offsets.size()}, skip});
    return std::make_shared<Network>(static_cast<int>(table.shape(0)), static_cast<int>(table.shape(1)),
                                     std::span(table.data(), table.size()), std::span(bias.data(), bias.size()), native);
}

struct PackedStates {  // a batch of states from outside, packed
    std::vector<Word> words;
    std::vector<const Word*> states;
};

PackedStates pack(const Problem& problem, const BitRows& bits) {
    PackedStates result;
    const std::size_t width = problem.packing().n_words(), n = bits.shape(0);
    check_width(problem, bits);
    result.words.resize(width * n);
    std::vector<int32_t> atoms;
    for (std::size_t i = 0; i < n; ++i) {
        read_bits(bits, i, problem.packing().n_atoms(), atoms);
        problem.packing().pack(atoms, result.words.data() + i * width);
        result.states.push_back(result.words.data() + i * width);
    }
    return result;
}

nb::dict as_dict(const Statistics& s) {
    nb::dict d;
    d["expanded"] = s.expanded;
    d["evaluated"] = s.evaluated;
    d["generated"] = s.generated;
    d["reopened"] = s.reopened;
    d["dead_ends"] = s.dead_ends;
    d["stored"] = s.stored;
    d["open"] = s.open;
    d["bytes"] = s.bytes;
    d["initial_h"] = s.initial_h;
    d["best_h"] = s.best_h;
    d["seconds"] = s.seconds;
    return d;
}

nb::tuple search(const Problem& problem, Evaluator& evaluator, const Ints& init, bool greedy, double weight,
                 bool unit_costs, const std::vector<int>& batches, double time_limit, uint64_t memory_limit,
                 uint64_t expansion_limit, std::optional<nb::callable> progress) {
    const SearchOptions options{greedy, weight, unit_costs, batches, time_limit, memory_limit, expansion_limit};
    // Runs pending signal handlers too: an exception from one (Ctrl-C) ends the search and reaches the caller.
    const auto heartbeat = [&](const Statistics& statistics) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress) return true;
        nb::object answer = (*progress)(as_dict(statistics));
        return answer.is_none() || nb::cast<bool>(answer);
    };
    const std::span<const int32_t> atoms(init.data(), init.size());
    SearchResult result;
    {
        nb::gil_scoped_release released;
        result = best_first_search(problem, evaluator, atoms, options, heartbeat);
    }
    return nb::make_tuple(static_cast<int>(result.status), result.plan, as_dict(result.statistics));
}

nb::tuple many(const Problem& problem, Evaluator& evaluator, const BitRows& bits, const std::vector<int>& batches,
               double time_limit, uint64_t expansion_limit, std::optional<nb::callable> go_on) {
    SearchOptions options;
    options.batches = batches;
    options.time_limit = time_limit;
    options.expansion_limit = expansion_limit;
    Rows inits;
    check_width(problem, bits);
    std::vector<int32_t> atoms;
    for (std::size_t i = 0; i < bits.shape(0); ++i) {
        read_bits(bits, i, problem.packing().n_atoms(), atoms);
        inits.push_back(atoms);
    }
    const auto ask = [&] {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return !go_on || nb::cast<bool>((*go_on)());
    };
    ManyResults results;
    {
        nb::gil_scoped_release released;
        results = search_many(problem, evaluator, inits, options, ask);
    }
    return nb::make_tuple(to_numpy(std::move(results.status)), to_numpy(std::move(results.expanded)),
                          to_numpy(std::move(results.plans.offsets)), to_numpy(std::move(results.plans.values)));
}

}  // namespace

void register_search(nb::module_& m) {
    nb::class_<Evaluator>(m, "Evaluator", "A heuristic bound to one problem.")
        .def_prop_ro("safe", &Evaluator::safe, "Does an infinite value prove that there is no plan?")
        .def(
            "evaluate",
            [](Evaluator& self, const Problem& problem, const BitRows& bits) {
                const PackedStates batch = pack(problem, bits);
                std::vector<float> values(batch.states.size());
                {
                    nb::gil_scoped_release released;
                    self.evaluate({batch.states, {}, {}}, values);
                }
                return to_numpy(std::move(values));
            },
            "problem"_a, "states"_a, "Values of a batch of states given as bit rows.")
        .def(
            "helpful_actions",
            [](Evaluator& self, const Problem& problem, const BitRows& bits) {
                auto* relaxation = dynamic_cast<RelaxationEvaluator*>(&self);
                if (!relaxation) throw std::invalid_argument("helpful actions come with the heuristic ff");
                const PackedStates batch = pack(problem, bits);
                std::vector<std::vector<int32_t>> result;
                for (const Word* state : batch.states) {
                    std::vector<int32_t>& helpful = result.emplace_back();
                    if (relaxation->evaluate(state) != dead_end) relaxation->append_helpful_actions(helpful);
                    std::sort(helpful.begin(), helpful.end());
                }
                return result;
            },
            "problem"_a, "states"_a, "FF's helpful actions of each state.");
    m.def("native_evaluator", &make_evaluator, "problem"_a, "name"_a, "unit_costs"_a, nb::keep_alive<0, 1>());
    m.def(
        "callable_evaluator",
        [](const Problem& problem, nb::callable function) -> std::unique_ptr<Evaluator> {
            return std::make_unique<CallableEvaluator>(problem, std::move(function));
        },
        "problem"_a, "function"_a, nb::keep_alive<0, 1>(),
        nb::sig("def callable_evaluator(problem: Problem, function: collections.abc.Callable[..., object]) -> Evaluator"));
    nb::class_<Network>(m, "Network", "A feed-forward network over atoms, packed for this machine.")
        .def(nb::new_(&make_network), "table"_a, "bias"_a, "layers"_a,
             "First layer as a table of one row per atom; then (weights, bias, skip) per layer, the last with one output.")
        .def_prop_ro("n_atoms", &Network::n_atoms)
        .def_prop_ro("simd", [](const Network& n) { return n.kernels().name; });
    m.def(
        "network_evaluator",
        [](const Problem& problem, std::shared_ptr<Network> network) -> std::unique_ptr<Evaluator> {
            return std::make_unique<NetworkEvaluator>(problem, std::move(network));
        },
        "problem"_a, "network"_a, nb::keep_alive<0, 1>());
    m.def("search", &search, "problem"_a, "evaluator"_a, "init"_a, nb::kw_only(), "greedy"_a, "weight"_a,
          "unit_costs"_a, "batches"_a, "time_limit"_a, "memory_limit"_a, "expansion_limit"_a, "progress"_a.none(),
          nb::sig("def search(problem: Problem, evaluator: Evaluator, init: numpy.typing.NDArray[numpy.int32], *, "
                  "greedy: bool, weight: float, unit_costs: bool, batches: collections.abc.Sequence[int], time_limit: float, memory_limit: int, "
                  "expansion_limit: int, progress: collections.abc.Callable[[dict[str, float]], bool | None] | None) "
                  "-> tuple[int, list[int], dict[str, float]]"),
          "Run best-first search; returns (status, plan as operator ids, statistics).");
    m.def("search_many", &many, "problem"_a, "evaluator"_a, "states"_a, nb::kw_only(), "batches"_a, "time_limit"_a,
          "expansion_limit"_a, "go_on"_a.none(),
          nb::sig("def search_many(problem: Problem, evaluator: Evaluator, states: numpy.typing.NDArray[numpy.uint64], *, "
                  "batches: collections.abc.Sequence[int], time_limit: float, expansion_limit: int, "
                  "go_on: collections.abc.Callable[[], bool] | None) -> tuple[numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "Greedy searches from many states; returns status and expansions of each, and the plans (offsets, operators).");
    m.def(
        "lookahead",
        [](const Problem& problem, Evaluator& evaluator, const BitRows& bits, int depth) {
            if (depth < 1) throw std::invalid_argument("a lookahead has a depth of at least 1");
            const PackedStates batch = pack(problem, bits);
            std::vector<float> values;
            {
                nb::gil_scoped_release released;
                values = lookahead(problem, evaluator, batch.states, depth);
            }
            return to_numpy(std::move(values));
        },
        "problem"_a, "evaluator"_a, "states"_a, "depth"_a, "Bellman updates of a batch of states by lookahead.");
    m.def("peak_memory", &peak_memory, "Highest resident memory of this process so far, in bytes.");
    m.def("resident_memory", &resident_memory, "Resident memory of this process, in bytes.");
}

}  // namespace goalward
