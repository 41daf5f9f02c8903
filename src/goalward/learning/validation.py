"""What a heuristic is worth to a planner: how many validation states short searches solve with it.

Validation states are random walks made for this purpose; test states never come here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from goalward.search import GUIDED, BoundHeuristic, SearchOptions
from goalward.search.solving import Start, default_search, solve
from goalward.task.states import random_walk_states
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


@dataclass(frozen=True)
class Score:
    """Larger is better: more states solved, then more of them by the heuristic alone, with fewer evaluations.

    What h_FF and landmarks solve before the heuristic is asked says nothing about it.
    """

    solved: int
    states: int
    alone: int
    evaluations: int  # on the states that it solved alone
    seconds: float  # that each search was given at most

    @property
    def rank(self) -> tuple[int, int, int]:
        """The better of two scores has the larger rank."""
        return self.solved, self.alone, -self.evaluations

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


def validation_states(task: Task, n: int, seed: int, steps: int = 200) -> list[Ints]:
    """End states of random walks that are not goals already, where there are such."""
    walked = random_walk_states(task, 4 * n, steps, (WALK_SEED + seed) % 2**63)
    open_states = [state for state in walked if not task.is_goal(state)]
    return (open_states or walked)[:n]


def score(heuristic: BoundHeuristic, states: list[Ints], options: SearchOptions) -> Score:
    """Search from each state for a short while, with the search that will be used, and with the heuristic alone.

    Where that is the same, there is one search; otherwise each of the two gets half of the time.
    """
    starts = [Start(heuristic.task, state) for state in states]
    seconds = options.time_limit or math.inf
    if options.algorithm not in GUIDED:
        outcomes = alone = [solve(start, heuristic, options) for start in starts]
    else:
        options = replace(options, time_limit=seconds / 2)
        outcomes = [solve(start, heuristic, options) for start in starts]
        greedy = replace(default_search(learned=True, algorithm="gbfs"), time_limit=seconds / 2)
        alone = [solve(start, heuristic, greedy) for start in starts]
    by_itself = [outcome for outcome in alone if outcome.solved]
    return Score(
        solved=sum(outcome.solved for outcome in outcomes),
        states=len(states),
        alone=len(by_itself),
        evaluations=sum(outcome.statistics.evaluated for outcome in by_itself),
        seconds=seconds,
    )
