#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "regression/backward.hpp"
#include "regression/conditions.hpp"
#include "regression/rollout.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

void construct(RegressionTask* self, const Ints& pre_offsets, const Ints& pre, const Ints& add_offsets, const Ints& add,
               const Ints& delete_offsets, const Ints& del, const Ints& group_offsets, const Ints& groups,
               const Ints& goal, int n_groups, const Ints& opposite) {
    const auto n_atoms = static_cast<int64_t>(opposite.size());
    RegressionTask task{to_sorted_rows(pre_offsets, pre, n_atoms),    to_sorted_rows(add_offsets, add, n_atoms),
                        to_sorted_rows(delete_offsets, del, n_atoms), to_rows(group_offsets, groups, n_groups),
                        to_vector(goal, 0, n_atoms),                  n_groups,
                        to_vector(opposite, -1, n_atoms)};
    require(task.pre.size() == task.add.size() && task.pre.size() == task.del.size(), "the numbers of operators differ");
    require(task.groups_of.size() == opposite.size(), "the numbers of atoms differ");
    new (self) RegressionTask(std::move(task));
}

auto backward(const RegressionTask& task, const BitRows& goals, int n, uint64_t seed,
              std::optional<nb::callable> go_on) {
    const std::size_t width = goals.shape(1);
    if (width != bit_words(static_cast<int>(task.groups_of.size())))
        throw std::invalid_argument("the width of the bit rows does not match the number of atoms");
    BackwardStates result;
    {
        nb::gil_scoped_release released;
        result = backward_searches(task, {goals.data(), goals.size()}, width, n, seed, polling(go_on));
    }
    return nb::make_tuple(to_bit_rows(std::move(result.states), width), to_numpy(std::move(result.depth)),
                          to_numpy(std::move(result.search)), to_numpy(std::move(result.parent)),
                          to_numpy(std::move(result.operators)));
}

auto rollouts(const RegressionTask& task, bool novelty, int n, int length, uint64_t seed,
              std::optional<nb::callable> go_on) {
    Rollouts result;
    {
        nb::gil_scoped_release released;
        result = regress(task, novelty ? Selection::novelty : Selection::uniform, n, length, seed, polling(go_on));
    }
    return nb::make_tuple(to_numpy(std::move(result.preimages.offsets)), to_numpy(std::move(result.preimages.values)),
                          to_numpy(std::move(result.depth)), to_numpy(std::move(result.rollout)),
                          to_numpy(std::move(result.operators)));
}

auto sampled_conditions(const RegressionTask& task, int n, int n_breadth_first, int length, uint64_t seed,
                        std::optional<nb::callable> go_on) {
    SampledConditions result;
    {
        nb::gil_scoped_release released;
        result = sample_conditions(task, n, n_breadth_first, length, seed, polling(go_on));
    }
    return nb::make_tuple(to_numpy(std::move(result.conditions.offsets)), to_numpy(std::move(result.conditions.values)),
                          to_numpy(std::move(result.depth)));
}

auto successors_of_conditions(const RegressionTask& task, const Ints& offsets, const Ints& values) {
    const auto n_atoms = static_cast<int>(task.groups_of.size());
    const Rows conditions = to_sorted_rows(offsets, values, n_atoms);
    const std::size_t width = bit_words(n_atoms);
    ConditionSuccessors result;
    {
        nb::gil_scoped_release released;
        result = condition_successors(task, conditions, width);
    }
    return nb::make_tuple(to_numpy(std::move(result.source)), to_bit_rows(std::move(result.atoms), width));
}

}  // namespace

void register_regression(nb::module_& m) {
    nb::class_<RegressionTask>(m, "RegressionTask", "A grounded task in the form that native regression works on.")
        .def("__init__", &construct, "pre_offsets"_a, "pre"_a, "add_offsets"_a, "add"_a, "delete_offsets"_a, "delete"_a,
             "group_offsets"_a, "groups"_a, "goal"_a, "n_groups"_a, "opposite"_a);
    m.def("rollouts", &rollouts, "task"_a, nb::kw_only(), "novelty"_a, "n"_a, "length"_a, "seed"_a,
          "go_on"_a.none(),
          nb::sig("def rollouts(task: RegressionTask, *, novelty: bool, n: int, length: int, seed: int, "
                  "go_on: collections.abc.Callable[[], bool] | None) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32]]"),
          "Regresses from the goal; returns pre-images (offsets, values), depths, rollouts and operators.");
    m.def("backward_searches", &backward, "task"_a, "goals"_a, nb::kw_only(), "n"_a, "seed"_a,
          "go_on"_a.none() = nb::none(),
          nb::sig("def backward_searches(task: RegressionTask, goals: numpy.typing.NDArray[numpy.uint64], *, n: int, "
                  "seed: int, go_on: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32]]"),
          "Searches backwards, depth first, from goal states; returns states, depths, searches, parents, operators.");
    m.def("sample_conditions", &sampled_conditions, "task"_a, nb::kw_only(), "n"_a, "n_breadth_first"_a, "length"_a,
          "seed"_a, "go_on"_a.none() = nb::none(),
          nb::sig("def sample_conditions(task: RegressionTask, *, n: int, n_breadth_first: int, length: int, seed: int, "
                  "go_on: collections.abc.Callable[[], bool] | None = None) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32]]"),
          "Regresses by breadth-first search and random walks; returns conditions (offsets, values) and depths.");
    m.def("condition_successors", &successors_of_conditions, "task"_a, "offsets"_a, "values"_a,
          nb::sig("def condition_successors(task: RegressionTask, offsets: numpy.typing.NDArray[numpy.int32], "
                  "values: numpy.typing.NDArray[numpy.int32]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint64]]"),
          "Progresses each condition through the actions that are applicable in all of its states; returns the index of the "
          "condition and a bit row for each.");
}

}  // namespace goalward
