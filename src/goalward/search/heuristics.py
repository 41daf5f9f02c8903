"""The heuristics that search knows by name, and how one is bound to a task.

To add one in native code: write an ``Evaluator`` in ``src/native/search/heuristics`` and name it in the table of
``heuristics.hpp``. To try one from Python, pass a function to :func:`bind_heuristic`: it gets a ``uint8`` array of
shape (states, |F|) and returns one number per state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.errors import UsageError, known_names
from goalward.search.landmarks import atom_kinds
from goalward.search.portfolio import Lead, current_lead
from goalward.task.packing import fixed_atoms, native_problem
from goalward.task.states import BitRows, StateLike, as_state, to_bits
from goalward.task.strips import Task

HeuristicFunction = Callable[[npt.NDArray[np.uint8]], npt.ArrayLike]


@dataclass(frozen=True)
class HeuristicInfo:
    """What a user may want to know of a heuristic."""

    name: str
    summary: str
    admissible: bool
    reference: str


HEURISTICS: dict[str, HeuristicInfo] = {
    native.name: HeuristicInfo(native.name, native.summary, native.admissible, native.reference)
    for native in _core.native_heuristics()
}
"""The heuristics that are known by name; native code fills this table."""


class BoundHeuristic:
    """A heuristic that is ready to evaluate states of one task.

    Native heuristics work on the reduced problem, which leaves out atoms that always hold. A state in which one of
    those does not hold (nothing but a file written by hand can contain one) is served by the whole problem instead.
    ``lead`` is the part that begins in a search of several parts with this heuristic, ``head_start`` how many seconds
    it has before the others; None is what suits a heuristic that nobody has tried. ``unit_costs`` says what its values
    count: steps, or the costs in the PDDL; None is unknown, as of a Python function or a network. A ``learned``
    heuristic gets ``network_share`` of the effort of improving a plan.
    """

    def __init__(
        self,
        task: Task,
        name: str,
        make: Callable[[_core.Problem], _core.Heuristic],
        *,
        whole: bool,
        lead: Lead = "landmarks",
        head_start: float | None = None,
        unit_costs: bool | None = None,
        learned: bool = False,
        network_share: float = 0.0,
    ) -> None:
        self.task = task
        self.name = name
        self.lead: Lead = current_lead(lead)
        self.head_start = head_start
        self.unit_costs = unit_costs
        self.learned = learned
        self.network_share = network_share
        self._make = make
        self._whole = whole
        self._fixed = to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)
        self._problems: dict[bool, _core.Problem] = {}
        self._evaluators: dict[bool, _core.Heuristic] = {}

    def __repr__(self) -> str:
        counts = {None: "", True: ", in steps", False: ", in costs"}[self.unit_costs]
        return f"<BoundHeuristic {self.name} for {self.task.problem_name}{counts}>"

    def _serving(self, states: BitRows) -> bool:
        """Do these states need the whole problem? Makes sure that the problem they need is there."""
        whole = self._whole or bool(((states & self._fixed) != self._fixed).any())
        if whole not in self._problems:
            self._problems[whole] = native_problem(self.task, whole=whole)
        return whole

    def evaluator(self, states: BitRows) -> _core.Heuristic:
        """The native evaluator, and with it the native problem, that fits these states."""
        whole = self._serving(states)
        if whole not in self._evaluators:
            self._evaluators[whole] = self._make(self._problems[whole])
        return self._evaluators[whole]

    def guidance(self, states: BitRows) -> _core.Guidance:
        """h_FF and landmarks on the problem of :meth:`evaluator`, for searches that use them beside this heuristic."""
        return _guidance(self.task, self._problems[self._serving(states)])

    def evaluate(self, states: BitRows) -> npt.NDArray[np.float32]:
        """Values of a batch of states; infinity where the heuristic sees a dead end."""
        return self.evaluator(states).evaluate(states)

    def value(self, state: StateLike) -> float:
        """The value of one state."""
        return float(self.evaluate(to_bits([as_state(self.task, state)], self.task.n_atoms))[0])

    def require_costs(self, what: str, *, unit_costs: bool) -> None:
        """Refuse to add values of this heuristic to path costs that count something else."""
        if self.unit_costs in (None, unit_costs) or (self.task.costs == 1).all():
            return
        counted = {True: "steps", False: "the costs in the PDDL"}
        raise UsageError(
            f"the heuristic {self.name} counts {counted[not unit_costs]}, but {what} counts {counted[unit_costs]}: "
            f"bind the heuristic with unit_costs={unit_costs}"
        )

    def helpful_actions(self, states: BitRows) -> list[list[int]]:
        """FF's helpful actions of each state: operators of the relaxed plan that are applicable now."""
        if self.name != "ff":
            raise UsageError("helpful actions come with the heuristic ff")
        return [list(row) for row in self.evaluator(states).helpful_actions(states)]


@lru_cache(maxsize=8)
def _guidance(task: Task, problem: _core.Problem) -> _core.Guidance:
    """Shared by all heuristics of a problem: it never changes, and making it can take longer than many searches."""
    groups = task.mutex_groups
    return _core.Guidance(problem, groups.offsets, groups.values, atom_kinds(task))


def check_heuristic(name: str) -> str:
    """The name, if there is a heuristic of that name."""
    if name not in HEURISTICS:
        raise UsageError(f"unknown heuristic {name!r}{known_names(name, HEURISTICS)}")
    return name


def bind_heuristic(task: Task, heuristic: str | HeuristicFunction, *, unit_costs: bool = True) -> BoundHeuristic:
    """Make a heuristic ready for a task, by name or from a Python function over batches of states.

    ``unit_costs`` says what a heuristic known by name counts: steps, or the costs in the PDDL. A* and weighted A* need
    one that counts what they count, which is :attr:`SearchOptions.counts_steps`.
    """
    if isinstance(heuristic, str):
        name = check_heuristic(heuristic)

        def make(problem: _core.Problem) -> _core.Heuristic:
            return _core.native_heuristic(problem, name, unit_costs)

        return BoundHeuristic(task, name, make, whole=False, unit_costs=unit_costs)
    if not callable(heuristic):
        raise UsageError(f"a heuristic must be a name, a function or a model, but is {heuristic!r}")
    name = getattr(heuristic, "__name__", type(heuristic).__name__)
    function = _with_checked_values(heuristic, name)
    # A Python function sees every atom, relevant or not.
    return BoundHeuristic(task, name, lambda p: _core.callable_heuristic(p, function), whole=True)


def _with_checked_values(function: HeuristicFunction, name: str) -> HeuristicFunction:
    """The function, with an error instead of values that search could not order."""

    def values(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        answer = function(states)
        try:
            h = np.asarray(answer, dtype=np.float32)
        except (TypeError, ValueError):
            raise UsageError(
                f"the heuristic function {name} returned {type(answer).__name__}; it must return one number per state"
            ) from None
        if h.shape != (len(states),):
            raise UsageError(
                f"the heuristic function {name} got {len(states)} states and returned an array of shape {h.shape}; "
                "it must return one number per state"
            )
        unordered = np.isnan(h).sum()
        if unordered:
            raise UsageError(
                f"the heuristic function {name} returned NaN for {unordered} of {len(states)} states; "
                "return infinity where it sees no plan"
            )
        return h

    return values
