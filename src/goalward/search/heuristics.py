"""Heuristics by name, and binding heuristics to tasks.

To add a native heuristic, write an ``Evaluator`` in ``src/native/search/heuristics`` and add it to the table in
``heuristics.hpp``. To use one from Python, pass a function to :func:`bind_heuristic`. It gets a ``uint8`` array of
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
from goalward.task.states import BitRows, StateLike, StatesLike, as_state, as_states, to_bits
from goalward.task.strips import Task

HeuristicFunction = Callable[[npt.NDArray[np.uint8]], npt.ArrayLike]


@dataclass(frozen=True)
class HeuristicInfo:
    """A description of a heuristic: its summary, whether it is admissible, and the paper."""

    name: str
    summary: str
    admissible: bool
    reference: str


HEURISTICS: dict[str, HeuristicInfo] = {
    native.name: HeuristicInfo(native.name, native.summary, native.admissible, native.reference)
    for native in _core.native_heuristics()
}
"""The native heuristics by name."""


class BoundHeuristic:
    """A heuristic that is bound to a task and ready to evaluate its states.

    Native heuristics work on the reduced problem, which leaves out atoms that hold in every reachable state. For states
    in which one of these does not hold, which only a hand-written problem file can contain, they use the whole problem.

    ``lead`` is the part that starts first in a search of several parts with this heuristic, and ``head_start`` its head
    start in seconds; None means the default. ``unit_costs`` is true if its values count steps, false if they count the
    costs in the PDDL, and None if that is unknown, as for Python functions and networks. A ``learned`` heuristic gets
    ``network_share`` of the effort of improving a plan.
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

    def _needs_whole(self, states: BitRows) -> bool:
        """True if the reduced native problem is not valid for these states (see :func:`native_problem`).

        Also creates the native problem that is needed, whole or reduced.
        """
        whole = self._whole or bool(((states & self._fixed) != self._fixed).any())
        if whole not in self._problems:
            self._problems[whole] = native_problem(self.task, whole=whole)
        return whole

    def evaluator(self, states: BitRows) -> _core.Heuristic:
        """The native evaluator, on the whole native problem if one of these states needs it."""
        whole = self._needs_whole(states)
        if whole not in self._evaluators:
            self._evaluators[whole] = self._make(self._problems[whole])
        return self._evaluators[whole]

    def guidance(self, states: BitRows) -> _core.Guidance:
        """The native data for h_FF and landmarks, on the whole native problem if one of these states needs it."""
        return _guidance(self.task, self._problems[self._needs_whole(states)])

    def evaluate(self, states: StatesLike) -> npt.NDArray[np.float32]:
        """The values of many states; infinity for states that the heuristic recognises as dead ends."""
        bits = as_states(self.task, states)
        return self.evaluator(bits).evaluate(bits)

    def value(self, state: StateLike) -> float:
        """The value of one state."""
        return float(self.evaluate([as_state(self.task, state)])[0])

    def require_costs(self, what: str, *, unit_costs: bool) -> None:
        """Raise an error if the values of this heuristic count something else than path costs; ``what`` adds both."""
        if self.unit_costs in (None, unit_costs) or (self.task.costs == 1).all():
            return
        counted = {True: "steps", False: "the costs in the PDDL"}
        raise UsageError(
            f"the heuristic {self.name} counts {counted[not unit_costs]}, but {what} counts {counted[unit_costs]}: "
            f"bind the heuristic with unit_costs={unit_costs}"
        )

    def helpful_actions(self, states: StatesLike) -> list[list[int]]:
        """FF's helpful actions of each state: the operators of its relaxed plan that are applicable in the state."""
        if self.name != "ff":
            raise UsageError(f"only the heuristic ff has helpful actions, not {self.name}")
        bits = as_states(self.task, states)
        return [list(row) for row in self.evaluator(bits).helpful_actions(bits)]


@lru_cache(maxsize=8)
def _guidance(task: Task, problem: _core.Problem) -> _core.Guidance:
    """The native guidance of a problem, shared by all its heuristics, because creating it is slow."""
    groups = task.mutex_groups
    return _core.Guidance(problem, groups.offsets, groups.values, atom_kinds(task))


def check_heuristic(name: str) -> str:
    """Return the name of a native heuristic; raises :class:`UsageError` if there is no such heuristic."""
    if name not in HEURISTICS:
        raise UsageError(f"unknown heuristic {name!r}{known_names(name, HEURISTICS)}")
    return name


def bind_heuristic(task: Task, heuristic: str | HeuristicFunction, *, unit_costs: bool = True) -> BoundHeuristic:
    """Bind a heuristic to a task: a native one by name, or a Python function over batches of states.

    With ``unit_costs``, a native heuristic counts steps, and otherwise the costs in the PDDL. A* and weighted A* need a
    heuristic that counts the same as they do: ``unit_costs`` must be :attr:`SearchOptions.counts_steps`.
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
    """Wrap a heuristic function so that it raises an error for values that search cannot order."""

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
                "it must return infinity for dead ends"
            )
        return h

    return values
