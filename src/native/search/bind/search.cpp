#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "search/engines/best_first.hpp"
#include "search/batches/many.hpp"
#include "search/engines/portfolio.hpp"
#include "task/arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace goalward {

namespace {

void construct_options(SearchOptions* self, bool greedy, double weight, bool beam, bool unit_costs,
                       std::vector<int> batches, double time_limit, uint64_t memory_limit, int n_concurrent,
                       uint64_t expansion_limit, int cores) {
    new (self) SearchOptions{greedy,       weight,       beam,            unit_costs, std::move(batches), time_limit,
                             memory_limit, n_concurrent, expansion_limit, cores};
}

// Also runs pending signal handlers, so that an exception from one (Ctrl-C) ends the search and reaches the caller.
auto heartbeat(const std::optional<nb::callable>& progress) {
    return [&progress](const Statistics& statistics) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress) return true;
        nb::object answer = (*progress)(nb::cast(statistics, nb::rv_policy::copy));
        return answer.is_none() || nb::cast<bool>(answer);
    };
}

SearchResult search(const Heuristic& heuristic, const Ints& init, const SearchOptions& options,
                    const std::optional<nb::callable>& progress) {
    const std::span<const int32_t> atoms(init.data(), init.size());
    nb::gil_scoped_release released;
    return best_first_search(heuristic, atoms, options, heartbeat(progress));
}

SearchResult run_portfolio(const Guidance& guidance, const Heuristic* network, const std::vector<PortfolioPart>& parts,
                           const Ints& init, const SearchOptions& options, const std::optional<nb::callable>& progress) {
    const std::span<const int32_t> atoms(init.data(), init.size());
    nb::gil_scoped_release released;
    return portfolio_search(guidance, network, parts, atoms, options, heartbeat(progress));
}

void construct_part(PortfolioPart* self, std::string name, PartKind kind, int batch, double weight, double share,
                    uint64_t delay) {
    new (self) PortfolioPart{std::move(name), kind, batch, weight, share, delay};
}

std::unique_ptr<Guidance> make_guidance(std::shared_ptr<const Problem> problem, const Ints& group_offsets,
                                        const Ints& groups, const Ints& kinds) {
    const int n_atoms = problem->packing().n_atoms();
    require(kinds.size() == static_cast<std::size_t>(n_atoms), "the numbers of atoms differ");
    return std::make_unique<Guidance>(std::move(problem), to_rows(group_offsets, groups, n_atoms), to_vector(kinds));
}

std::vector<int32_t> agenda_of(const Guidance& guidance, std::size_t attempt) {
    Limits limits(0, 0, 1, nullptr);
    Budget unlimited(limits);
    return guidance.agenda(attempt, unlimited).atoms;
}

ManyResults many(const Heuristic& heuristic, const BitRows& bits, const SearchOptions& options,
                 std::optional<nb::callable> go_on) {
    Rows inits;
    check_width(heuristic.problem(), bits);
    std::vector<int32_t> atoms;
    for (std::size_t i = 0; i < bits.shape(0); ++i) {
        read_bits(bits, i, heuristic.problem().packing().n_atoms(), atoms);
        inits.push_back(atoms);
    }
    nb::gil_scoped_release released;
    return search_many(heuristic, inits, options, polling(go_on));
}

// A read-only array over memory of `results`, which it keeps alive.
template <class Results, class T>
auto view(const Results& results, const std::vector<T>& values) {
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, nb::find(results));
}

}  // namespace

void register_search(nb::module_& m) {
    nb::enum_<Status>(m, "Status", "The reason why a search ended.")
        .value("SOLVED", Status::solved)
        .value("EXHAUSTED", Status::exhausted)
        .value("OUT_OF_TIME", Status::out_of_time)
        .value("OUT_OF_MEMORY", Status::out_of_memory)
        .value("CANCELLED", Status::cancelled)
        .value("OUT_OF_EXPANSIONS", Status::out_of_expansions);
    nb::class_<SearchOptions>(m, "SearchOptions", "Options of a search; a limit of 0 means no limit.")
        .def("__init__", &construct_options, nb::kw_only(), "greedy"_a = true, "weight"_a = 1.0, "beam"_a = false,
             "unit_costs"_a = true, "batches"_a = std::vector<int>{1}, "time_limit"_a = 0.0, "memory_limit"_a = 0,
             "n_concurrent"_a = 1, "expansion_limit"_a = 0, "cores"_a = 1)
        .def_ro("greedy", &SearchOptions::greedy)
        .def_ro("weight", &SearchOptions::weight)
        .def_ro("beam", &SearchOptions::beam)
        .def_ro("unit_costs", &SearchOptions::unit_costs)
        .def_ro("batches", &SearchOptions::batches)
        .def_ro("time_limit", &SearchOptions::time_limit)
        .def_ro("memory_limit", &SearchOptions::memory_limit)
        .def_ro("n_concurrent", &SearchOptions::n_concurrent)
        .def_ro("expansion_limit", &SearchOptions::expansion_limit)
        .def_ro("cores", &SearchOptions::cores);
    nb::class_<Statistics>(m, "Statistics", "Counts of a search so far.")
        .def_ro("expanded", &Statistics::expanded)
        .def_ro("evaluated", &Statistics::evaluated)
        .def_ro("generated", &Statistics::generated)
        .def_ro("reopened", &Statistics::reopened)
        .def_ro("dead_ends", &Statistics::dead_ends)
        .def_ro("stored", &Statistics::stored)
        .def_ro("open", &Statistics::open)
        .def_ro("bytes", &Statistics::bytes)
        .def_ro("initial_h", &Statistics::initial_h)
        .def_ro("best_h", &Statistics::best_h)
        .def_ro("seconds", &Statistics::seconds)
        .def_ro("evaluations_by_heuristic", &Statistics::evaluations_by_heuristic)
        .def_ro("led_by", &Statistics::led_by)
        .def_ro("expansions_by_queue", &Statistics::expansions_by_queue)
        .def_ro("effort_by_part", &Statistics::effort_by_part)
        .def_ro("evicted", &Statistics::evicted);
    nb::class_<SearchResult>(m, "SearchResult", "The status, plan (operators) and statistics of a search.")
        .def_ro("status", &SearchResult::status)
        .def_ro("plan", &SearchResult::plan)
        .def_ro("statistics", &SearchResult::statistics);
    nb::class_<ManyResults>(m, "ManyResults", "Results of searches from many states, one entry per state.")
        .def_ro("status", &ManyResults::status)
        .def_prop_ro("expanded", [](const ManyResults& r) { return view(r, r.expanded); })
        .def_prop_ro("plan_offsets", [](const ManyResults& r) { return view(r, r.plans.offsets); })
        .def_prop_ro("plan_operators", [](const ManyResults& r) { return view(r, r.plans.values); })
        .def_prop_ro("left_at", [](const ManyResults& r) { return view(r, r.left_at); });
    m.def("search", &search, "heuristic"_a, "init"_a, "options"_a, "progress"_a.none() = nb::none(),
          nb::sig("def search(heuristic: Heuristic, init: numpy.typing.NDArray[numpy.int32], options: SearchOptions, "
                  "progress: collections.abc.Callable[[Statistics], bool | None] | None = None) -> SearchResult"),
          "Best-first search from one state.");
    nb::class_<Guidance>(m, "Guidance", "h_FF, landmarks and a goal agenda of one problem. Any thread may use it.")
        .def(nb::new_(&make_guidance), "problem"_a, "group_offsets"_a, "groups"_a, "kinds"_a)
        .def("agenda", &agenda_of, "attempt"_a = 0,
             "The atoms of the goal, in the order in which to make them true.");
    nb::enum_<PartKind>(m, "PartKind", "The kind of search of a part of a portfolio.")
        .value("GUIDED", PartKind::guided)
        .value("HYBRID", PartKind::hybrid)
        .value("NETWORK", PartKind::network)
        .value("NOVELTY", PartKind::novelty)
        .value("AGENDA", PartKind::agenda);
    nb::class_<PortfolioPart>(m, "PortfolioPart", "A part of a portfolio: one of several searches that take turns.")
        .def("__init__", &construct_part, nb::kw_only(), "name"_a, "kind"_a, "batch"_a = 1, "weight"_a = 0.0,
             "share"_a = 1.0, "delay"_a = 0)
        .def_ro("name", &PortfolioPart::name)
        .def_ro("share", &PortfolioPart::share)
        .def_ro("delay", &PortfolioPart::delay);
    m.def("portfolio_search", &run_portfolio, "guidance"_a, "network"_a.none(), "parts"_a, "init"_a, "options"_a,
          "progress"_a.none() = nb::none(),
          nb::sig("def portfolio_search(guidance: Guidance, network: Heuristic | None, "
                  "parts: collections.abc.Sequence[PortfolioPart], init: numpy.typing.NDArray[numpy.int32], "
                  "options: SearchOptions, "
                  "progress: collections.abc.Callable[[Statistics], bool | None] | None = None) -> SearchResult"),
          "Runs the parts of a portfolio, which take turns, from one state.");
    m.def("search_many", &many, "heuristic"_a, "states"_a, "options"_a, "go_on"_a.none() = nb::none(),
          nb::sig("def search_many(heuristic: Heuristic, states: numpy.typing.NDArray[numpy.uint64], "
                  "options: SearchOptions, go_on: collections.abc.Callable[[], bool] | None = None) -> ManyResults"),
          "Best-first searches from many states; the options apply to each.");
    m.def("peak_memory", &peak_memory, "Peak resident memory of this process, in bytes.");
    m.def("resident_memory", &resident_memory, "Resident memory of this process, in bytes.");
}

}  // namespace goalward
