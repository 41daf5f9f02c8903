"""Validation states, and searches from them within a budget; test states never come here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from goalward.learning.budget import Budget
from goalward.search import BoundHeuristic, SearchOptions, bind_heuristic
from goalward.search.solving import Outcome, solve
from goalward.search.starts import Start
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


class TooLateError(Exception):
    """The budget does not suffice for all of the validation searches, and some of them would say nothing."""


def solve_each(
    starts: Iterable[Start], heuristic: BoundHeuristic | str, options: SearchOptions, budget: Budget
) -> list[Outcome]:
    """Search from each state; raises :class:`TooLateError` if the budget does not suffice."""
    outcomes = []
    limit = options.time_limit or math.inf
    for start in starts:
        left = budget.remaining
        if left <= 0:
            raise TooLateError
        outcome = solve(start, heuristic, replace(options, time_limit=min(limit, left)))
        if left < limit and not outcome.solved:
            raise TooLateError
        outcomes.append(outcome)
    return outcomes


@dataclass(frozen=True)
class Score:
    """How many validation states a search solves, and its evaluations on those."""

    solved: int
    states: int
    evaluations: int

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


def score(heuristic: BoundHeuristic, states: list[Ints], options: SearchOptions) -> Score:
    """Search from each state."""
    outcomes = solve_each((Start(heuristic.task, state) for state in states), heuristic, options, Budget())
    solved = [outcome for outcome in outcomes if outcome.solved]
    return Score(len(solved), len(states), sum(outcome.statistics.evaluated for outcome in solved))


def validation_states(
    task: Task, n: int, seed: int, steps: int = 200, go_on: Callable[[], bool] | None = None
) -> list[Ints]:
    """End states of random walks that are neither goals nor dead ends by h_FF, if there are such.

    If steps cannot be undone, long walks may end in dead ends; then shorter walks follow. There are fewer than ``n``
    states if ``go_on`` returns False.
    """
    walked: list[Ints] = []
    found: list[Ints] = []
    relaxed = bind_heuristic(task, "ff")
    while len(found) < n and steps:
        ends = random_walk_states(task, 4 * n, steps, (WALK_SEED + seed) % 2**63, go_on=go_on)
        alive = np.isfinite(relaxed.evaluate(to_bits(ends, task.n_atoms)))
        found += [state for state, lives in zip(ends, alive, strict=True) if lives and not task.is_goal(state)]
        walked += ends
        if go_on is not None and not go_on():
            break
        steps //= 2
    return (found or walked)[:n]
