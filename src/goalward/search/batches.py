"""Searches and lookaheads from many states in one native call, for learners that need thousands of them."""

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
    """Results of searches, one per start state; ``plans`` has its operators, none if there is no plan."""

    status: list[Status]
    expanded: Ints
    plans: Rows

    def __len__(self) -> int:
        return len(self.status)

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """A mask of the states that were solved; the plan of a goal state is empty."""
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
    """Run a greedy best-first search from each state; the limits apply to each search.

    ``go_on`` is called before each search and about twenty times a second. Once it returns False, only the results of
    the searches that have ended are returned.
    """
    evaluator = heuristic.evaluator(states)
    options = SearchOptions(batch=batch, time_limit=time_limit, expansion_limit=expansion_limit)
    results = _core.search_many(evaluator, states, options.native(), go_on)
    statuses = [end_status(status, safe_pruning=evaluator.safe) for status in results.status]
    return ManyResults(statuses, results.expanded, Rows(results.plan_offsets, results.plan_operators))


def lookahead(heuristic: BoundHeuristic, states: BitRows, depth: int = 2) -> npt.NDArray[np.float32]:
    """Bellman updates: the minimum of d + h(s') over the states s' that are exactly d = ``depth`` steps away.

    A path that reaches a goal after k steps counts k. Negative heuristic values count as 0. A state from which all
    paths end earlier has the value infinity.
    """
    if depth > 1:
        heuristic.require_costs("a lookahead of several steps", unit_costs=True)
    return heuristic.evaluator(states).lookahead(states, depth)


@dataclass(frozen=True, eq=False)
class Regions:
    """Results of short greedy searches; the states that one search expanded are a region.

    ``states`` are the expanded states of all regions, and ``origins`` the index of the start state of each. ``values``
    are the minimum of steps plus heuristic value, at least 1, over the states at the border of the region; goals count
    0. The value is infinity if all states reachable from the state were expanded and none is a goal. For each region,
    ``ends`` is the reason why its search ended and ``exits`` the state that it would have expanded next, if any.
    """

    states: BitRows
    values: npt.NDArray[np.float32]
    origins: Ints
    ends: list[_core.RegionEnd]
    exits: BitRows

    def __len__(self) -> int:
        return len(self.values)

    def ended(self, end: _core.RegionEnd) -> npt.NDArray[np.bool_]:
        """A mask of the regions whose search ended for this reason."""
        return np.array([reason == end for reason in self.ends], dtype=bool)


def search_regions(heuristic: BoundHeuristic, states: BitRows, *, expansions: int = 100, batch: int = 4) -> Regions:
    """Run a greedy search from each state until it reaches a goal or has made ``expansions`` expansions.

    The values are meaningful only if the heuristic counts steps. The returned states lack the atoms that search
    ignores. Fixed atoms are included if they hold in all start states.
    """
    task = heuristic.task
    found = _core.search_regions(heuristic.evaluator(states), states, expansions, batch)
    fixed = to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)
    fixed &= np.bitwise_and.reduce(states, axis=0)
    expanded, exits = (rows.reshape(-1, states.shape[1]) | fixed for rows in (found.states, found.exits))
    return Regions(expanded, found.values, found.origins, list(found.ends), exits)
