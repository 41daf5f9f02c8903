#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "regression/rollout.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

auto rollouts(const Ints& pre_offsets, const Ints& pre, const Ints& add_offsets, const Ints& add,
              const Ints& delete_offsets, const Ints& del, const Ints& group_offsets, const Ints& groups,
              const Ints& goal, int n_groups, bool novelty, int n, int length, uint64_t seed) {
    const RegressionTask task{to_rows(pre_offsets, pre),       to_rows(add_offsets, add),
                              to_rows(delete_offsets, del),    to_rows(group_offsets, groups),
                              to_vector(goal), n_groups};
    Rollouts result;
    {
        nb::gil_scoped_release released;
        result = regress(task, novelty ? Selection::novelty : Selection::uniform, n, length, seed);
    }
    return nb::make_tuple(to_numpy(std::move(result.preimages.offsets)), to_numpy(std::move(result.preimages.values)),
                          to_numpy(std::move(result.depth)), to_numpy(std::move(result.rollout)),
                          to_numpy(std::move(result.operators)));
}

}  // namespace

void register_regression(nb::module_& m) {
    m.def("rollouts", &rollouts, "pre_offsets"_a, "pre"_a, "add_offsets"_a, "add"_a, "delete_offsets"_a, "delete"_a,
          "group_offsets"_a, "groups"_a, "goal"_a, "n_groups"_a, nb::kw_only(), "novelty"_a, "n"_a, "length"_a,
          "seed"_a,
          nb::sig("def rollouts(pre_offsets: numpy.typing.NDArray[numpy.int32], pre: numpy.typing.NDArray[numpy.int32], "
                  "add_offsets: numpy.typing.NDArray[numpy.int32], add: numpy.typing.NDArray[numpy.int32], "
                  "delete_offsets: numpy.typing.NDArray[numpy.int32], delete: numpy.typing.NDArray[numpy.int32], "
                  "group_offsets: numpy.typing.NDArray[numpy.int32], groups: numpy.typing.NDArray[numpy.int32], "
                  "goal: numpy.typing.NDArray[numpy.int32], n_groups: int, *, novelty: bool, n: int, length: int, "
                  "seed: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32]]"),
          "Regress from the goal; returns pre-images (offsets, values), depths, rollouts and operators.");
}

}  // namespace goalward
