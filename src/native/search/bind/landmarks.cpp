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
                                            const Ints& groups, const Ints& kinds, int most_disjuncts, bool reasonable) {
    const int n_atoms = problem->packing().n_atoms();
    require(kinds.size() == static_cast<std::size_t>(n_atoms), "atoms differ in number");
    auto relaxed = shared_relaxed_operators(*problem, true);
    return std::make_shared<LandmarkKnowledge>(std::move(problem), to_rows(group_offsets, groups, n_atoms),
                                               to_vector(kinds), LandmarkOptions{most_disjuncts, reasonable},
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

// Applies operators to states that were met before, as a search does, and tells what the landmark count knows of each
// distinct state after the last step.
nb::tuple follow(std::shared_ptr<const LandmarkKnowledge> knowledge, const Ints& init, const Ints& parents,
                 const Ints& operators) {
    const Problem& problem = *knowledge->problem;
    require(parents.size() == operators.size(), "steps differ in number");
    const std::vector<int32_t> steps = to_vector(operators, 0, static_cast<int64_t>(problem.n_operators()));
    LandmarkGuide guide(std::move(knowledge), problem.goal());
    Limits limits(0, 0, 1, nullptr);
    Budget budget(limits);
    StateSpace space(problem, budget);
    guide.start(space.add(std::span(init.data(), init.size())).id, space, budget);
    std::vector<int32_t> children;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto parent = static_cast<StateId>(parents.data()[i]);
        require(parent < space.size(), "a step starts from a state that was not met");
        const auto [child, fresh] = space.follow(parent, steps[i]);
        guide.reached(parent, steps[i], child, space, fresh);
        children.push_back(static_cast<int32_t>(child));
    }
    std::vector<float> values;
    std::vector<uint64_t> status;
    Rows preferred;
    for (StateId id = 0; id < space.size(); ++id) {
        std::vector<int32_t> liked;
        values.push_back(guide.evaluate(id, space, &liked));
        preferred.push_back(liked);
        status.insert(status.end(), guide.status(id), guide.status(id) + guide.graph().natural.width());
    }
    return nb::make_tuple(to_numpy(std::move(children)), to_numpy(std::move(values)),
                          to_bit_rows(std::move(status), guide.graph().natural.width()),
                          to_numpy(std::move(preferred.offsets)), to_numpy(std::move(preferred.values)), guide.bytes());
}

}  // namespace

void register_landmarks(nb::module_& m) {
    nb::class_<LandmarkKnowledge>(m, "LandmarkKnowledge", "What is needed to find landmarks of one problem.")
        .def(nb::new_(&make_knowledge), "problem"_a, "group_offsets"_a, "groups"_a, "kinds"_a, nb::kw_only(),
             "most_disjuncts"_a, "reasonable"_a)
        .def("find", &find, "state"_a,
             nb::sig("def find(self, state: numpy.typing.NDArray[numpy.int32]) -> tuple["
                     "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8], "
                     "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64], "
                     "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]] | None"),
             "Atoms of the landmarks (offsets, values), whether each is a goal and holds now, and the predecessors of each "
             "as bit rows: natural, greedy-necessary, necessary, reasonable. None where there is no relaxed plan.");
    m.def("follow_landmarks", &follow, "knowledge"_a, "init"_a, "parents"_a, "operators"_a,
          nb::sig("def follow_landmarks(knowledge: LandmarkKnowledge, init: numpy.typing.NDArray[numpy.int32], parents: "
                  "numpy.typing.NDArray[numpy.int32], operators: numpy.typing.NDArray[numpy.int32]) -> tuple["
                  "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], "
                  "numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.int32], int]"),
          "Apply operators[i] in the state numbered parents[i] (0: init; new states count up). Returns the number of the "
          "state after each step, and of each state its landmark count, reached landmarks as bit rows and preferred "
          "operators (offsets, values); and the bytes held beside the states.");
}

}  // namespace goalward
