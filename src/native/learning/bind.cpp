#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "learning/table_sums.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Checks that the states have no atoms beyond those of the table.
TrueAtoms true_atoms(const BitRows& states, int n_atoms) {
    const std::size_t words = states.shape(1);
    const int used = n_atoms % 64;
    require(words == bit_words(n_atoms), "the width of the bit rows does not match the number of atoms");
    if (used)
        for (std::size_t i = 0; i < states.shape(0); ++i)
            require(states.data()[(i + 1) * words - 1] >> used == 0, "a bit beyond the last atom is set");
    return {{states.data(), states.size()}, words};
}

auto sums(const BitRows& states, const Matrix& table) {
    const TrueAtoms atoms = true_atoms(states, static_cast<int>(table.shape(0)));
    std::vector<float> result(states.shape(0) * table.shape(1));
    {
        nb::gil_scoped_release released;
        sum_rows(atoms, table.data(), table.shape(1), result);
    }
    return to_matrix(std::move(result), states.shape(0), table.shape(1));
}

auto gradients_of_rows(const BitRows& states, const Matrix& gradients, int n_atoms) {
    require(n_atoms >= 0, "the number of atoms is negative");
    const TrueAtoms atoms = true_atoms(states, n_atoms);
    require(gradients.shape(0) == states.shape(0), "the numbers of states and gradients differ");
    const auto rows = static_cast<std::size_t>(n_atoms);
    std::vector<float> result(rows * gradients.shape(1));
    {
        nb::gil_scoped_release released;
        add_to_rows(atoms, {gradients.data(), gradients.size()}, gradients.shape(1), result.data());
    }
    return to_matrix(std::move(result), rows, gradients.shape(1));
}

}  // namespace

void register_learning(nb::module_& m) {
    m.def("table_sums", &sums, "states"_a, "table"_a,
          nb::sig("def table_sums(states: numpy.typing.NDArray[numpy.uint64], "
                  "table: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]"),
          "For each state, the sum of the table's rows of its true atoms.");
    m.def("table_gradients", &gradients_of_rows, "states"_a, "gradients"_a, "n_atoms"_a,
          nb::sig("def table_gradients(states: numpy.typing.NDArray[numpy.uint64], "
                  "gradients: numpy.typing.NDArray[numpy.float32], n_atoms: int) -> numpy.typing.NDArray[numpy.float32]"),
          "The gradients of the table's rows, given those of the result of `table_sums`.");
}

}  // namespace goalward
