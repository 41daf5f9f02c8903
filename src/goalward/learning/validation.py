"""What a heuristic is worth to a planner: how many validation states short searches solve with it.

Validation states are random walks made for this purpose; test states never come here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from goalward.search import BoundHeuristic
from goalward.search.solving import Start, default_search, solve
from goalward.task.states import random_walk_states
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


@dataclass(frozen=True)
class Score:
    """Larger is better: more states solved, then fewer evaluations on those."""

    solved: int
    states: int
    evaluations: int
    seconds: float  # that each search was given at most

    @property
    def rank(self) -> tuple[int, int]:
        """For comparison."""
        return self.solved, -self.evaluations

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


def validation_states(task: Task, n: int, seed: int, steps: int = 200) -> list[Ints]:
    """End states of random walks that are not goals already, where there are such."""
    walked = random_walk_states(task, 4 * n, steps, (WALK_SEED + seed) % 2**63)
    open_states = [state for state in walked if not task.is_goal(state)]
    return (open_states or walked)[:n]


def score(heuristic: BoundHeuristic, states: list[Ints], seconds: float) -> Score:
    """Search from each state for a short while, as ``goalward solve`` does."""
    options = replace(default_search(learned=True), time_limit=seconds)
    outcomes = [solve(Start(heuristic.task, state), heuristic, options) for state in states]
    solved = [outcome for outcome in outcomes if outcome.solved]
    return Score(len(solved), len(states), sum(outcome.statistics.evaluated for outcome in solved), seconds)
