#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "task/arrays.hpp"
#include "task/problem.hpp"
#include "task/walk.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

void construct(Problem* self, const Ints& pre_offsets, const Ints& pre, const Ints& add_offsets, const Ints& add,
               const Ints& delete_offsets, const Ints& del, const Ints& costs, const Ints& goal,
               const Ints& variable_offsets, const Ints& variables, const Bytes& operators, int n_atoms) {
    Rows pre_rows = to_sorted_rows(pre_offsets, pre, n_atoms), add_rows = to_sorted_rows(add_offsets, add, n_atoms),
         delete_rows = to_sorted_rows(delete_offsets, del, n_atoms);
    for (const Rows* rows : {&pre_rows, &add_rows, &delete_rows})
        require(rows->size() == costs.size() && operators.size() == costs.size(), "the numbers of operators differ");
    Rows variable_rows = to_sorted_rows(variable_offsets, variables, n_atoms);
    std::vector<bool> stored(n_atoms);
    for (int32_t atom : variable_rows.values) {
        require(!stored[atom], "an atom belongs to two variables");
        stored[atom] = true;
    }
    new (self) Problem(std::move(pre_rows), std::move(add_rows), std::move(delete_rows),
                       to_vector(costs, 0, int64_t{1} << 31), to_vector(goal, 0, n_atoms), std::move(variable_rows),
                       {operators.data(), operators.data() + operators.size()}, n_atoms);
}

// Converts packed states to bit rows.
std::vector<uint64_t> to_bits(const Problem& problem, const std::vector<Word>& words, std::size_t n) {
    const Packing& packing = problem.packing();
    std::vector<uint64_t> bits(packing.n_bit_words() * n);
    for (std::size_t i = 0; i < n; ++i)
        packing.write_bits(words.data() + i * packing.n_words(), bits.data() + i * packing.n_bit_words());
    return bits;
}

auto along(const Problem& problem, const Ints& init, const Ints& plan) {
    const std::vector<Word> words = states_along(problem, {init.data(), init.size()}, {plan.data(), plan.size()});
    return to_bit_rows(to_bits(problem, words, plan.size() + 1), bit_words(problem.packing().n_atoms()));
}

auto steps(const Problem& problem, const Ints& state) {
    Successors found = successors(problem, {state.data(), state.size()});
    const std::size_t n = found.operators.size();
    return nb::make_tuple(to_numpy(std::move(found.operators)),
                          to_bit_rows(to_bits(problem, found.states, n), bit_words(problem.packing().n_atoms())));
}

auto walks(const Problem& problem, const Ints& init, int n, const Ints& steps, uint64_t seed,
           std::optional<nb::callable> go_on) {
    std::vector<uint64_t> bits;
    {
        const std::span<const int32_t> start(init.data(), init.size()), ends(steps.data(), steps.size());
        nb::gil_scoped_release released;
        const Walks result = random_walks(problem, start, n, ends, seed, polling(go_on));
        bits = to_bits(problem, result.states, result.n * ends.size());
    }
    return to_bit_rows(std::move(bits), bit_words(problem.packing().n_atoms()));
}

}  // namespace

void register_task(nb::module_& m) {
    nb::class_<Problem>(m, "Problem", "A grounded task in the form that native search works on.")
        .def("__init__", &construct, "pre_offsets"_a, "pre"_a, "add_offsets"_a, "add"_a, "delete_offsets"_a,
             "delete"_a, "costs"_a, "goal"_a, "variable_offsets"_a, "variables"_a, "operators"_a, "n_atoms"_a)
        .def_prop_ro("state_bytes", [](const Problem& p) { return p.packing().n_words() * sizeof(Word); })
        .def_prop_ro("state_bits", [](const Problem& p) { return p.packing().n_bits(); })
        .def_prop_ro("n_variables", [](const Problem& p) { return p.packing().n_variables(); });
    m.def("random_walks", &walks, "problem"_a, "init"_a, "n"_a, "steps"_a, "seed"_a, "go_on"_a.none() = nb::none(),
          nb::sig("def random_walks(problem: Problem, init: numpy.typing.NDArray[numpy.int32], n: int, "
                  "steps: numpy.typing.NDArray[numpy.int32], seed: int, "
                  "go_on: collections.abc.Callable[[], bool] | None = None) -> numpy.typing.NDArray[numpy.uint64]"),
          "The states of uniform random walks after each number of `steps`, as bit rows; fewer if `go_on` returns "
          "False.");
    m.def("successors", &steps, "problem"_a, "state"_a,
          nb::sig("def successors(problem: Problem, state: numpy.typing.NDArray[numpy.int32]) "
                  "-> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint64]]"),
          "The applicable operators, and the successor state of each as a bit row.");
    m.def("states_along", &along, "problem"_a, "init"_a, "plan"_a,
          "The states that a plan visits, including the first and the last, as bit rows.");
}

}  // namespace goalward
