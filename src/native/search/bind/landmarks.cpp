#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <utility>
#include <vector>

#include "search/landmarks/count.hpp"
#include "search/landmarks/discovery.hpp"
#include "search/core/state_space.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

std::shared_ptr<LandmarkKnowledge> make_knowledge(std::shared_ptr<const Problem> problem, const Ints& group_offsets,
                                                  const Ints& groups, const Ints& kinds, int max_disjuncts,
                                                  bool reasonable) {
    const int n_atoms = problem->packing().n_atoms();
    require(kinds.size() == static_cast<std::size_t>(n_atoms), "the numbers of atoms differ");
    auto relaxed = shared_relaxed_operators(*problem, true);
    return std::make_shared<LandmarkKnowledge>(std::move(problem), to_rows(group_offsets, groups, n_atoms),
                                               to_vector(kinds), LandmarkOptions{max_disjuncts, reasonable},
                                               std::move(relaxed));
}

std::vector<Word> packed(const Problem& problem, const Ints& state) {
    std::vector<Word> words(problem.packing().n_words());
    problem.packing().pack({state.data(), state.size()}, words.data());
    return words;
}

std::vector<uint64_t> words_of(const BitMatrix& matrix, std::size_t rows) {
    return {matrix[0], matrix[0] + rows * matrix.width()};
}

nb::object find(const LandmarkKnowledge& knowledge, const Ints& state) {
    LandmarkGraph graph;
    {
        const std::vector<Word> words = packed(*knowledge.problem, state);
        nb::gil_scoped_release released;
        Limits limits(0, 0, 1, nullptr);
        Budget unlimited(limits);
        graph = LandmarkFinder(knowledge).find(words.data(), knowledge.problem->goal().atoms(), unlimited);
    }
    if (!graph.solvable) return nb::none();
    const std::size_t n = graph.size(), width = graph.natural.width();
    const auto orders = [&](const BitMatrix& matrix) { return to_bit_rows(words_of(matrix, n), width); };
    return nb::make_tuple(to_numpy(std::move(graph.atoms.offsets)), to_numpy(std::move(graph.atoms.values)),
                          to_numpy(std::move(graph.goal)), to_numpy(std::move(graph.initial)), orders(graph.natural),
                          orders(graph.greedy_necessary), orders(graph.necessary), orders(graph.reasonable));
}

// For tests: applies operators to earlier states, as a search does, and returns the landmark count, the reached
// landmarks and the preferred operators of each distinct state after the last step.
nb::tuple follow(std::shared_ptr<const LandmarkKnowledge> knowledge, const Ints& init, const Ints& parents,
                 const Ints& operators) {
    const Problem& problem = *knowledge->problem;
    require(parents.size() == operators.size(), "the numbers of parents and operators differ");
    const std::vector<int32_t> steps = to_vector(operators, 0, static_cast<int64_t>(problem.n_operators()));
    LandmarkGuide guide(std::move(knowledge), problem.goal());
    Limits limits(0, 0, 1, nullptr);
    Budget budget(limits);
    StateSpace space(problem, budget);
    guide.start(space.add(std::span(init.data(), init.size())).id, space, budget);
    std::vector<int32_t> children;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto parent = static_cast<StateId>(parents.data()[i]);
        require(parent < space.size(), "a parent must be an earlier state");
        const auto [child, fresh] = space.follow(parent, steps[i]);
        guide.reached(parent, steps[i], child, space, fresh);
        children.push_back(static_cast<int32_t>(child));
    }
    std::vector<float> values;
    std::vector<uint64_t> status;
    Rows preferred;
    for (StateId id = 0; id < space.size(); ++id) {
        std::vector<int32_t> operators_of_state;
        values.push_back(guide.evaluate(id, space, &operators_of_state));
        preferred.push_back(operators_of_state);
        status.insert(status.end(), guide.status(id), guide.status(id) + guide.graph().natural.width());
    }
    return nb::make_tuple(to_numpy(std::move(children)), to_numpy(std::move(values)),
                          to_bit_rows(std::move(status), guide.graph().natural.width()),
                          to_numpy(std::move(preferred.offsets)), to_numpy(std::move(preferred.values)), guide.bytes());
}

}  // namespace

void register_landmarks(nb::module_& m) {
    nb::class_<LandmarkKnowledge>(m, "LandmarkKnowledge", "The data of one problem that landmark discovery needs.")
        .def(nb::new_(&make_knowledge), "problem"_a, "group_offsets"_a, "groups"_a, "kinds"_a, nb::kw_only(),
             "max_disjuncts"_a, "reasonable"_a)
        .def("find", &find, "state"_a,
             nb::sig("def find(self, state: numpy.typing.NDArray[numpy.int32]) -> tuple["
                     "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8], "
                     "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64], "
                     "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]] | None"),
             "The atoms of the landmarks (offsets, values), masks of those that are goals and that hold in the state, and "
             "orders as bit rows of predecessors: natural, greedy-necessary, necessary, reasonable. None if there is no "
             "relaxed plan.");
    m.def("follow_landmarks", &follow, "knowledge"_a, "init"_a, "parents"_a, "operators"_a,
          nb::sig("def follow_landmarks(knowledge: LandmarkKnowledge, init: numpy.typing.NDArray[numpy.int32], parents: "
                  "numpy.typing.NDArray[numpy.int32], operators: numpy.typing.NDArray[numpy.int32]) -> tuple["
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], "
                  "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], int]"),
          "For tests: applies operators[i] in the state parents[i], where state 0 is init and new states get the next "
          "number. Returns the state after each step; for each state its landmark count, its reached landmarks as bit rows "
          "and its preferred operators (offsets, values); and the memory of the landmark guide in bytes.");
}

}  // namespace goalward
