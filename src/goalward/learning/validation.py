"""What a heuristic is worth to a planner: how many validation states short searches solve with it.

Validation states are random walks made for this purpose; test states never come here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from goalward.learning.budget import Budget
from goalward.search import GUIDED, BoundHeuristic, SearchOptions, bind_heuristic
from goalward.search.solving import Outcome, solve
from goalward.search.starts import Start
from goalward.search.strategy import default_search
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


class TooLateError(Exception):
    """There is no time for all of the validation searches, and some of them would say nothing."""


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
    """Larger is better: more states solved, more of them by the heuristic alone, then fewer evaluations and steps.

    Half the evaluations are worth as much as half the plan.
    """

    solved: int
    states: int
    alone: int
    evaluations: int  # on the states that it solved alone
    seconds: float  # that each search was given at most
    expanded: int = 0  # on the states that were solved
    steps: int = 0  # of the plans on the states that it solved alone

    @property
    def rank(self) -> tuple[float, ...]:
        """The better of two scores has the larger rank, even if they are about different numbers of states."""
        alone = max(self.alone, 1)
        return (
            self.solved / self.states,
            self.alone / self.states,
            -self.evaluations / alone * max(self.steps / alone, 1.0),
            -self.expanded / max(self.solved, 1),
        )

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


def validation_states(
    task: Task, n: int, seed: int, steps: int = 200, go_on: Callable[[], bool] | None = None
) -> list[Ints]:
    """End states of random walks that are neither goals already nor dead ends by h_FF, where there are such.

    Where steps cannot be undone, long walks end where no plan is left: then shorter ones follow. There are fewer states
    where ``go_on`` says so.
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


def score(heuristic: BoundHeuristic, states: list[Ints], options: SearchOptions, budget: Budget | None = None) -> Score:
    """Search from each state for a short while, with the search that will be used, and with the heuristic alone.

    Where that is the same, there is one search; otherwise each of the two gets half of the time. In hybrid search the
    heuristic leads: what h_FF and landmarks solve before it is asked would say nothing about it.
    """
    budget = budget or Budget()
    starts = [Start(heuristic.task, state) for state in states]
    seconds = options.time_limit or math.inf
    if options.algorithm not in GUIDED:
        outcomes = alone = solve_each(starts, heuristic, options, budget)
    else:
        options = replace(options, time_limit=seconds / 2, lead="hybrid")
        outcomes = solve_each(starts, heuristic, options, budget)
        greedy = replace(default_search(learned=True, algorithm="gbfs"), time_limit=seconds / 2)
        alone = solve_each(starts, heuristic, greedy, budget)
    by_itself = [outcome for outcome in alone if outcome.solved]
    return Score(
        solved=sum(outcome.solved for outcome in outcomes),
        states=len(states),
        alone=len(by_itself),
        evaluations=sum(outcome.statistics.evaluated for outcome in by_itself),
        seconds=seconds,
        expanded=sum(outcome.statistics.expanded for outcome in outcomes if outcome.solved),
        steps=sum(outcome.length or 0 for outcome in by_itself),
    )


@dataclass(frozen=True)
class Without:
    """What the search without a network does with validation states: how many it solves, and the time for each."""

    solved: int
    each: float


def search_without(task: Task, states: list[Ints], seconds: float, budget: Budget | None = None) -> Without:
    """The search without any learned heuristic has half of the time, as much as :func:`score` gives to each of its."""
    options = replace(default_search(learned=False), time_limit=seconds / 2)
    outcomes = solve_each((Start(task, state) for state in states), "ff", options, budget or Budget())
    return Without(sum(outcome.solved for outcome in outcomes), seconds_each(outcomes))


def seconds_each(outcomes: list[Outcome]) -> float:
    """Seconds of search for a state, in the mean, whether it was solved or not."""
    return sum(outcome.search_time for outcome in outcomes) / max(len(outcomes), 1)
