#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "search/heuristics/heuristics.hpp"
#include "search/batches/lookahead.hpp"
#include "search/network/network.hpp"
#include "search/heuristics/relaxation.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

// A Python heuristic. It is called with an array of zeros and ones of shape (states, atoms) and returns one float32 per
// state.
class CallableHeuristic final : public Heuristic {
public:
    CallableHeuristic(std::shared_ptr<const Problem> problem, nb::callable function)
        : Heuristic(std::move(problem)), function_(std::move(function)) {}
    ~CallableHeuristic() override {
        nb::gil_scoped_acquire gil;
        function_.reset();
    }

    std::unique_ptr<Evaluator> evaluator() const override { return std::make_unique<Caller>(*this); }
    bool safe() const override { return false; }
    uint64_t effort_per_state() const override { return 100'000; }

private:
    class Caller final : public Evaluator {
    public:
        explicit Caller(const CallableHeuristic& heuristic) : heuristic_(heuristic) {}
        void evaluate(const Batch& batch, std::span<float> h) override { heuristic_.call(batch, h); }

    private:
        const CallableHeuristic& heuristic_;
    };

    void call(const Batch& batch, std::span<float> h) const {
        const std::size_t n = batch.states.size(), width = problem_.packing().n_atoms();
        nb::gil_scoped_acquire gil;
        auto cells = std::make_unique<uint8_t[]>(n * width);
        std::vector<int32_t> atoms;
        for (std::size_t i = 0; i < n; ++i) {
            atoms.clear();
            problem_.packing().true_atoms(batch.states[i], atoms);
            for (int32_t atom : atoms) cells[i * width + atom] = 1;
        }
        uint8_t* raw = cells.release();
        nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
        nb::ndarray<nb::numpy, uint8_t, nb::ndim<2>> states(raw, {n, width}, owner);
        using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        const auto values = nb::cast<Values>(function_(states));
        if (values.size() != n) throw std::invalid_argument("a heuristic must return one value per state");
        std::copy_n(values.data(), n, h.data());
    }

    nb::callable function_;
};

std::unique_ptr<Heuristic> native_heuristic(std::shared_ptr<const Problem> problem, const std::string& name,
                                            bool unit_costs) {
    for (const NativeHeuristic* heuristic : native_heuristics)
        if (heuristic->name == name) return heuristic->make(std::move(problem), unit_costs);
    throw std::invalid_argument("unknown native heuristic " + name);
}

std::unique_ptr<Heuristic> callable_heuristic(std::shared_ptr<const Problem> problem, nb::callable function) {
    return std::make_unique<CallableHeuristic>(std::move(problem), std::move(function));
}

std::unique_ptr<Heuristic> network_heuristic(std::shared_ptr<const Problem> problem, std::shared_ptr<Network> network,
                                             std::optional<bool> unit_costs) {
    return std::make_unique<NetworkHeuristic>(std::move(problem), std::move(network), unit_costs);
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

auto values_of(const Heuristic& heuristic, const BitRows& bits) {
    const PackedStates batch = pack(heuristic.problem(), bits);
    std::vector<float> values(batch.states.size());
    {
        nb::gil_scoped_release released;
        heuristic.evaluator()->evaluate({batch.states, {}, {}}, values);
    }
    return to_numpy(std::move(values));
}

auto lookahead_values(const Heuristic& heuristic, const BitRows& bits, int depth) {
    if (depth < 1) throw std::invalid_argument("the depth of a lookahead must be at least 1");
    if (depth > 1 && heuristic.unit_costs() == false)
        throw std::invalid_argument("the depth of a lookahead with costs must be 1");
    const PackedStates batch = pack(heuristic.problem(), bits);
    std::vector<float> values;
    {
        nb::gil_scoped_release released;
        values = lookahead(heuristic, batch.states, depth);
    }
    return to_numpy(std::move(values));
}

std::vector<std::vector<int32_t>> helpful_actions(const Heuristic& heuristic, const BitRows& bits) {
    const std::unique_ptr<Evaluator> evaluator = heuristic.evaluator();
    auto* relaxation = dynamic_cast<RelaxationEvaluator*>(evaluator.get());
    if (!relaxation) throw std::invalid_argument("only the heuristic ff has helpful actions");
    const PackedStates batch = pack(heuristic.problem(), bits);
    std::vector<std::vector<int32_t>> result;
    for (const Word* state : batch.states) {
        std::vector<int32_t>& helpful = result.emplace_back();
        if (relaxation->evaluate(state) != dead_end) relaxation->append_helpful_actions(helpful);
        std::sort(helpful.begin(), helpful.end());
    }
    return result;
}

}  // namespace

void register_evaluators(nb::module_& m) {
    nb::class_<NativeHeuristic>(m, "NativeHeuristic", "The description of a native heuristic.")
        .def_prop_ro("name", [](const NativeHeuristic& h) { return h.name; })
        .def_prop_ro("summary", [](const NativeHeuristic& h) { return h.summary; })
        .def_ro("admissible", &NativeHeuristic::admissible)
        .def_prop_ro("reference", [](const NativeHeuristic& h) { return h.reference; });
    m.def("native_heuristics", [] { return std::vector(std::begin(native_heuristics), std::end(native_heuristics)); },
          nb::rv_policy::reference, "The descriptions of all native heuristics.");
    nb::class_<Heuristic>(m, "Heuristic", "A heuristic for one problem, which it keeps alive. It is thread-safe.")
        .def_prop_ro("safe", &Heuristic::safe, "True if an infinite value proves that there is no plan.")
        .def("evaluate", &values_of, "states"_a, "Values of a batch of states given as bit rows.")
        .def("lookahead", &lookahead_values, "states"_a, "depth"_a, "Bellman updates of a batch of states.")
        .def("helpful_actions", &helpful_actions, "states"_a, "FF's helpful actions of each state.");
    nb::class_<Network>(m, "Network", "A feed-forward network over atoms, packed for this machine.")
        .def(nb::new_(&make_network), "table"_a, "bias"_a, "layers"_a,
             "The first layer has a table with one row per atom. `layers` are (weights, bias, skip) of the others; the "
             "last has one output.")
        .def_prop_ro("n_atoms", &Network::n_atoms)
        .def_prop_ro("simd", [](const Network& n) { return n.kernels().name; });
    m.def("native_heuristic", &native_heuristic, "problem"_a, "name"_a, "unit_costs"_a);
    m.def("callable_heuristic", &callable_heuristic, "problem"_a, "function"_a,
          nb::sig("def callable_heuristic(problem: Problem, function: collections.abc.Callable[..., object]) "
                  "-> Heuristic"));
    m.def("network_heuristic", &network_heuristic, "problem"_a, "network"_a, "unit_costs"_a = nb::none());
}

}  // namespace goalward
