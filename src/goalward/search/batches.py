"""Searches, lookaheads and regions from many states in one native call, for learners that need thousands of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.search.best_first import SearchOptions, Status, end_status
from goalward.search.heuristics import BoundHeuristic
from goalward.task.packing import fixed_atoms
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Ints, Rows


@dataclass(frozen=True, eq=False)
class ManyResults:
    """One entry per state that was searched; ``plans`` holds operators and is empty where there is no plan."""

    status: list[Status]
    expanded: Ints
    plans: Rows

    def __len__(self) -> int:
        return len(self.status)

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """Which of the states have a plan; a goal state has an empty one."""
        return np.array([status is Status.SOLVED for status in self.status], dtype=bool)


def search_many(
    heuristic: BoundHeuristic,
    states: BitRows,
    *,
    expansion_limit: int | None = None,
    time_limit: float | None = None,
    batch: int = 1,
    go_on: Callable[[], bool] | None = None,
) -> ManyResults:
    """Greedy best-first search from each state; the limits hold for each.

    ``go_on`` is asked at the beginning of each search and about twenty times a second; when it returns False, only the
    searches that have ended are given.
    """
    evaluator = heuristic.evaluator(states)
    options = SearchOptions(batch=batch, time_limit=time_limit, expansion_limit=expansion_limit)
    results = _core.search_many(evaluator, states, options.native(), go_on)
    statuses = [end_status(status, proven=evaluator.safe) for status in results.status]
    return ManyResults(statuses, results.expanded, Rows(results.plan_offsets, results.plan_operators))


def lookahead(heuristic: BoundHeuristic, states: BitRows, depth: int = 2) -> npt.NDArray[np.float32]:
    """Bellman updates: for each state the least d + h(s') over the states s' that are ``depth`` = d steps away.

    A goal on the way ends a path at the steps taken so far, the heuristic counts as 0 where it is less, and a state all
    of whose paths end before is worth infinity.
    """
    if depth > 1:
        heuristic.require_costs("a lookahead of several steps", unit_costs=True)
    return heuristic.evaluator(states).lookahead(states, depth)


@dataclass(frozen=True, eq=False)
class Regions:
    """What short greedy searches tell of the states that they expanded, region after region.

    ``values`` are the least steps to a state of the region's border plus the heuristic's value of it, at least 1; a
    goal counts 0. Infinity: everything that the state leads to was seen, and there is no goal. ``origins`` say from
    which of the given states the region was searched. Per region there are ``ends`` and ``exits``: how its search ended
    and, where that was at a border, the state that it would have expanded next.
    """

    states: BitRows
    values: npt.NDArray[np.float32]
    origins: Ints
    ends: list[_core.RegionEnd]
    exits: BitRows

    def __len__(self) -> int:
        return len(self.values)

    def ended(self, end: _core.RegionEnd) -> npt.NDArray[np.bool_]:
        """Which of the regions ended so."""
        return np.array([found == end for found in self.ends], dtype=bool)


def search_regions(heuristic: BoundHeuristic, states: BitRows, *, expansions: int = 100, batch: int = 4) -> Regions:
    """A greedy search of so many expansions from each state, or until it meets a goal.

    ``values`` of the result mean something only if the heuristic counts steps.
    The states given back have all atoms that search looks at, and those that always hold where they hold in all states
    given; other atoms are left out.
    """
    task = heuristic.task
    found = _core.search_regions(heuristic.evaluator(states), states, expansions, batch)
    always = to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)
    always &= np.bitwise_and.reduce(states, axis=0)
    expanded, exits = (rows.reshape(-1, states.shape[1]) | always for rows in (found.states, found.exits))
    return Regions(expanded, found.values, found.origins, list(found.ends), exits)
