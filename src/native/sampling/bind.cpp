#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "sampling/sample.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

std::span<const uint64_t> words(const BitRows& bits) { return {bits.data(), bits.size()}; }

auto draw(int n_atoms, const BitRows& core, const Ints& group_offsets, const Ints& groups, const Ints& groups_of_offsets,
          const Ints& groups_of, const Ints& complement_of, const Ints& forced_offsets, const Ints& forced,
          const Ints& chosen, const BitRows& pool, uint64_t seed, std::optional<nb::callable> go_on) {
    const auto n_groups = static_cast<int64_t>(group_offsets.size()) - 1;
    const SampleSpace space{n_atoms,
                            {core.data(), core.data() + core.size()},
                            to_rows(group_offsets, groups, n_atoms),
                            to_rows(groups_of_offsets, groups_of, n_groups),
                            to_vector(complement_of, -1, n_atoms)};
    const Rows rows = to_rows(forced_offsets, forced, n_atoms);
    require(core.size() == bit_words(n_atoms) && (pool.shape(0) == 0 || pool.shape(1) == bit_words(n_atoms)),
            "the width of the bit rows does not match the number of atoms");
    require(complement_of.size() == static_cast<std::size_t>(n_atoms) && space.groups_of.size() == complement_of.size(),
            "the numbers of atoms differ");
    to_vector(chosen, -1, static_cast<int64_t>(rows.size()));
    std::vector<uint64_t> states;
    {
        nb::gil_scoped_release released;
        states = sample_states(space, rows, {chosen.data(), chosen.size()}, words(pool), seed, polling(go_on));
    }
    return to_bit_rows(std::move(states), bit_words(n_atoms));
}

auto label(const Ints& preimage_offsets, const Ints& preimages, const Ints& depth, int n_atoms, const BitRows& states,
           int32_t otherwise, std::optional<nb::callable> go_on) {
    if (states.shape(1) != bit_words(n_atoms))
        throw std::invalid_argument("the width of the bit rows does not match the number of atoms");
    const Rows rows = to_rows(preimage_offsets, preimages, n_atoms);
    require(depth.size() == rows.size(), "the numbers of pre-images and depths differ");
    std::vector<int32_t> labels;
    {
        nb::gil_scoped_release released;
        labels = label_states(rows, {depth.data(), depth.size()}, n_atoms, words(states), otherwise, polling(go_on));
    }
    return to_numpy(std::move(labels));
}

}  // namespace

void register_sampling(nb::module_& m) {
    m.def("sample_states", &draw, "n_atoms"_a, "core"_a, "group_offsets"_a, "groups"_a, "groups_of_offsets"_a,
          "groups_of"_a, "complement_of"_a, "forced_offsets"_a, "forced"_a, "chosen"_a, "pool"_a, "seed"_a,
          "go_on"_a.none() = nb::none(),
          nb::sig("def sample_states(n_atoms: int, core: numpy.typing.NDArray[numpy.uint64], "
                  "group_offsets: numpy.typing.NDArray[numpy.int32], groups: numpy.typing.NDArray[numpy.int32], "
                  "groups_of_offsets: numpy.typing.NDArray[numpy.int32], groups_of: numpy.typing.NDArray[numpy.int32], "
                  "complement_of: numpy.typing.NDArray[numpy.int32], forced_offsets: numpy.typing.NDArray[numpy.int32], "
                  "forced: numpy.typing.NDArray[numpy.int32], chosen: numpy.typing.NDArray[numpy.int32], "
                  "pool: numpy.typing.NDArray[numpy.uint64], seed: int, "
                  "go_on: collections.abc.Callable[[], bool] | None = None) -> numpy.typing.NDArray[numpy.uint64]"),
          "Draws full states in which the chosen rows of atoms are true and mutex groups hold, as bit rows.");
    m.def("label_states", &label, "preimage_offsets"_a, "preimages"_a, "depth"_a, "n_atoms"_a, "states"_a,
          "otherwise"_a, "go_on"_a.none() = nb::none(),
          nb::sig("def label_states(preimage_offsets: numpy.typing.NDArray[numpy.int32], "
                  "preimages: numpy.typing.NDArray[numpy.int32], depth: numpy.typing.NDArray[numpy.int32], n_atoms: int, "
                  "states: numpy.typing.NDArray[numpy.uint64], otherwise: int, "
                  "go_on: collections.abc.Callable[[], bool] | None = None) -> numpy.typing.NDArray[numpy.int32]"),
          "The minimum depth of a pre-image that each state contains.");
}

}  // namespace goalward
