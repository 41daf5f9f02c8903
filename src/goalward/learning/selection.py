"""Which network is kept, and the verdict on it: what validation searches say, and how it is best searched with.

The verdict is stored in the model file; ``search/learned.py`` reads it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from typing import Any

from goalward.learning.budget import Budget
from goalward.learning.leads import Leading, best_lead, compare_leads
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.learning.validation import Score, TooLateError, Without, score, search_without
from goalward.search.heuristics import BoundHeuristic
from goalward.search.portfolio import Lead
from goalward.search.strategy import default_search
from goalward.task.strips import Ints

FEWEST_STATES = 3
"""Validation states that are searched from, however little time there is. Not tuned."""
SEARCHES = 4.0
"""A score has this part of the time for the verdict; the others are searches without the network and with each part of
the search leading. Not tuned."""
DOUBTFUL_SHARE = 0.2
"""A network that solves less than this of its validation states alone, and does not help h_FF and landmarks, is of no
use. Not tuned."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What a trial has learned, and what validation searches say of it."""

    trial: Trial[Any]
    result: TrainingResult
    score: Score | None

    @property
    def rank(self) -> tuple[float, ...]:
        """Larger is better: by validation searches; by the loss, which compares less well, among equals."""
        return (*(self.score.rank if self.score else (-1.0,)), -self.result.validation_loss)


def validate(
    heuristic: BoundHeuristic, states: list[Ints], seconds: float, limit: float, budget: Budget | None = None
) -> Score | None:
    """Search from validation states for so many seconds in all, with at most ``limit`` seconds for each.

    The first few decide; the others follow if there is time for them. None if the first few cannot be searched from
    within the budget.
    """
    limit = min(limit, seconds / FEWEST_STATES)
    search = dataclasses.replace(default_search(learned=True), time_limit=limit)
    budget = budget or Budget()
    begun = budget.elapsed
    with contextlib.suppress(TooLateError):
        first = score(heuristic, states[:FEWEST_STATES], search, budget)
        spent = budget.elapsed - begun
        if len(states) > FEWEST_STATES and spent * len(states) / FEWEST_STATES <= seconds:
            with contextlib.suppress(TooLateError):
                rest = min(2 * seconds - spent, budget.remaining)
                return score(heuristic, states, search, budget.part(rest))
        return first
    return None


def verdict(
    heuristic: BoundHeuristic, scored: Score | None, states: list[Ints], limit: float, budget: Budget | None = None
) -> dict[str, Any]:
    """Search without the network and with each part leading, and decide; nobody knows if there is no time for that."""
    said: dict[str, Any] = {"likely_to_help": None}
    if scored is not None:
        with contextlib.suppress(TooLateError):
            without = search_without(heuristic.task, states[: scored.states], scored.seconds, budget)
            said = decide(scored, without, compare_leads(heuristic, states, limit, budget))
    return said


def decide(scored: Score, without: Without, compared: dict[Lead, Leading]) -> dict[str, Any]:
    """Is the network worth its time in search, and what leads? With the figures that say so.

    It is not if searches with it solve fewer states than searches without it. If they solve as many, it is if it should
    lead, if it makes the search with h_FF and landmarks better, or if it solves some states alone. If no search solves
    anything in the time it has, nobody knows.
    """
    helps: bool | None = scored.alone >= DOUBTFUL_SHARE * scored.states
    if scored.solved == without.solved == scored.alone == 0:
        helps = None
    elif scored.solved != without.solved:
        helps = scored.solved > without.solved
    lead = best_lead(compared)
    # The same search with and without the network says what it adds, whatever leads.
    adds = helps is False and best_lead({name: compared[name] for name in ("landmarks", "hybrid")}) == "hybrid"
    if (adds or lead in {"hybrid", "network"}) and scored.solved >= without.solved:
        helps = True
    return {
        "likely_to_help": helps,
        "lead": lead,
        "head_start": compared[lead].head_start,
        "seconds_by_lead": {name: round(leading.seconds, 6) for name, leading in compared.items()},
        "expansions_by_lead": {name: round(leading.expanded) for name, leading in compared.items()},
        "solved_without": without.solved,
        "states_without": scored.states,
        "seconds_per_state": round(compared[lead].seconds, 6),
        "seconds_per_state_without": round(without.each, 6),
    }
