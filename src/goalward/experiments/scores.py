"""Scores of models on validation states, by which reports choose the best seed."""

from __future__ import annotations

from dataclasses import dataclass

from goalward.search import BoundHeuristic, SearchOptions
from goalward.search.solving import solve
from goalward.search.starts import Start
from goalward.task.strips import Ints


@dataclass(frozen=True)
class Score:
    """The number of validation states that a search solves, and its evaluations on these."""

    solved: int
    states: int
    evaluations: int

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


def score(heuristic: BoundHeuristic, states: list[Ints], options: SearchOptions) -> Score:
    """Search from each state."""
    outcomes = [solve(Start(heuristic.task, state), heuristic, options) for state in states]
    solved = [outcome for outcome in outcomes if outcome.solved]
    return Score(len(solved), len(states), sum(outcome.statistics.evaluated for outcome in solved))
