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
    """Results of searches, one per start state; ``plans`` has its operators, none if there is no plan.

    ``left_at`` has a state for each search that reached its limit on expansions: the one that it would have expanded
    next. Atoms that search ignores are missing; fixed atoms are included if they hold in all start states.
    """

    status: list[Status]
    expanded: Ints
    plans: Rows
    left_at: BitRows

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
    fixed = to_bits([np.flatnonzero(fixed_atoms(heuristic.task)).astype(np.int32)], heuristic.task.n_atoms)
    left_at = results.left_at.reshape(-1, states.shape[1]) | np.bitwise_and.reduce(states, axis=0) & fixed
    plans = Rows(results.plan_offsets, results.plan_operators)
    return ManyResults(statuses, results.expanded, plans, left_at)


def lookahead(heuristic: BoundHeuristic, states: BitRows, depth: int = 2) -> npt.NDArray[np.float32]:
    """Bellman updates: the minimum of d + h(s') over the states s' that are exactly d = ``depth`` steps away.

    A path that reaches a goal after k steps counts k. Negative heuristic values count as 0. A state from which all
    paths end earlier has the value infinity.
    """
    if depth > 1:
        heuristic.require_costs("a lookahead of several steps", unit_costs=True)
    return heuristic.evaluator(states).lookahead(states, depth)
