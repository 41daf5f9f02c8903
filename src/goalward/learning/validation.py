"""What a heuristic is worth to a planner: how many validation states short searches solve with it.

Validation states are random walks made for this purpose; test states never come here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from statistics import geometric_mean

import numpy as np

from goalward.search import GUIDED, BoundHeuristic, SearchOptions, bind_heuristic
from goalward.search.portfolio import LEADS, Lead
from goalward.search.solving import Outcome, default_search, solve
from goalward.search.starts import Start
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


class TooLateError(Exception):
    """There is no time for all of the validation searches, and some of them would say nothing."""


def _solve_each(
    starts: Iterable[Start], heuristic: BoundHeuristic | str, options: SearchOptions, until: float
) -> list[Outcome]:
    """Search from each state; raises :class:`TooLateError` where that would go on after the moment ``until``."""
    outcomes = []
    limit = options.time_limit or math.inf
    for start in starts:
        left = until - time.monotonic()
        if left <= 0:
            raise TooLateError
        outcome = solve(start, heuristic, replace(options, time_limit=min(limit, left)))
        if left < limit and not outcome.solved:
            raise TooLateError
        outcomes.append(outcome)
    return outcomes


@dataclass(frozen=True)
class Score:
    """Larger is better: more states solved, then more of them by the heuristic alone, then fewer evaluations and steps.

    Half the evaluations are worth as much as half the plan. Where it solves none alone, fewer expansions beside h_FF
    and landmarks are better.
    """

    solved: int
    states: int
    alone: int
    evaluations: int  # on the states that it solved alone
    seconds: float  # that each search was given at most
    expanded: int = 0  # on the states that were solved
    steps: int = 0  # of the plans on the states that it solved alone

    @property
    def rank(self) -> tuple[float, float, float, float]:
        """The better of two scores has the larger rank, even where they are about different numbers of states."""
        return (
            self.solved / self.states,
            self.alone / self.states,
            -(self.evaluations / max(self.alone, 1)) * max(self.steps / max(self.alone, 1), 1.0),
            -self.expanded / max(self.solved, 1),
        )

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"

    def describe(self) -> str:
        """For a line in a log."""
        return f"{self.solved} of {self.states} validation states solved, {self.alone} by the network alone"


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


def score(heuristic: BoundHeuristic, states: list[Ints], options: SearchOptions, until: float = math.inf) -> Score:
    """Search from each state for a short while, with the search that will be used, and with the heuristic alone.

    Where that is the same, there is one search; otherwise each of the two gets half of the time. In hybrid search the
    heuristic leads: what h_FF and landmarks solve before it is asked would say nothing about it.
    """
    starts = [Start(heuristic.task, state) for state in states]
    seconds = options.time_limit or math.inf
    if options.algorithm not in GUIDED:
        outcomes = alone = _solve_each(starts, heuristic, options, until)
    else:
        options = replace(options, time_limit=seconds / 2, lead="hybrid")
        outcomes = _solve_each(starts, heuristic, options, until)
        greedy = replace(default_search(learned=True, algorithm="gbfs"), time_limit=seconds / 2)
        alone = _solve_each(starts, heuristic, greedy, until)
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


def search_without(task: Task, states: list[Ints], seconds: float, until: float = math.inf) -> Without:
    """The search without any learned heuristic has half of the time, as much as :func:`score` gives to each of its."""
    options = replace(default_search(learned=False), time_limit=seconds / 2)
    outcomes = _solve_each((Start(task, state) for state in states), "ff", options, until)
    return Without(sum(outcome.solved for outcome in outcomes), _each(outcomes))


LEAD_STATES, A_MOMENT = 5, 1.5
"""Validation states at most that decide which search leads, and more of them for so many seconds."""
UNNOTICED = 0.05
"""Seconds of search that nobody notices: what is sooner than that is worth no longer plan."""
SEARCHING_SHARE = 0.8
"""Of the time that is left, for searches; the rest is for what each takes to begin."""
TOO_SLOW = 2.0
"""Times what the fastest search needed for a state, after which another one is not waited for."""
PATIENCE, HEAD_STARTS = 2.0, (0.1, 1.0)
"""Others begin after so many times what the leading part needed for a validation state, and after so many seconds at
least and at most."""
WORTH_LEADING = 0.9
"""A search leads in the place of those before it in the list if its price, or else its time, is below this part of
theirs."""


@dataclass(frozen=True)
class Leading:
    """What a part of hybrid search does by itself: seconds for a state in the mean, expansions, and the price.

    That is the geometric mean of seconds times steps: half the time is worth as much as half the plan. Expansions are
    in the geometric mean, too. ``longest`` are the seconds of the longest search that solved its state, 0 if none did.
    """

    seconds: float
    expanded: float
    price: float
    longest: float = 0.0

    @property
    def head_start(self) -> float | None:
        """Seconds after which it will hardly solve a state, by what it needed: then the others should begin.

        None where it has not solved any.
        """
        if not self.longest:
            return None
        shortest, longest = HEAD_STARTS
        return min(max(PATIENCE * self.longest, shortest), longest)

    def clearly_sooner(self, other: Leading) -> bool:
        """By time; where nobody notices that, by expansions, which are the same on every machine."""
        if max(self.seconds, other.seconds) <= UNNOTICED:
            return self.expanded < WORTH_LEADING * other.expanded
        return self.seconds < WORTH_LEADING * other.seconds


def compare_leads(
    heuristic: BoundHeuristic, states: list[Ints], seconds: float, until: float = math.inf
) -> dict[Lead, Leading]:
    """Hybrid search from some states with each of its parts leading and the others waiting; a state that is not solved
    counts as twice the longest plan of it that another found.

    A search has so many seconds at most, and less where there would not be time for all of them before the moment
    ``until``. There is at least one state, then others while there is time for them: as many as decide, and more for a
    moment.
    """
    found: dict[Lead, list[Outcome]] = {lead: [] for lead in LEADS}
    begun = last = time.monotonic()
    for number, state in enumerate(states):
        now = time.monotonic()
        if number and (2 * now - last > until or (number >= LEAD_STATES and now - begun > A_MOMENT)):
            break
        last = now
        try:
            outcomes = _with_each_lead(Start(heuristic.task, state), heuristic, seconds, until)
        except TooLateError:
            if not number:
                raise
            break
        for lead, outcome in outcomes.items():
            found[lead].append(outcome)
    longest = [max(outcome.length or 1 for outcome in outcomes) for outcomes in zip(*found.values(), strict=True)]

    def price(outcome: Outcome, other: int) -> float:
        return max(outcome.search_time, UNNOTICED) * max(outcome.length if outcome.length is not None else 2 * other, 1)

    return {
        lead: Leading(
            _each(outcomes),
            geometric_mean(max(outcome.statistics.expanded, 1) for outcome in outcomes),
            geometric_mean(map(price, outcomes, longest)),
            max((outcome.search_time for outcome in outcomes if outcome.solved), default=0.0),
        )
        for lead, outcomes in found.items()
    }


def _with_each_lead(start: Start, heuristic: BoundHeuristic, seconds: float, until: float) -> dict[Lead, Outcome]:
    """Searches from one state share the time that is left; who is much slower than one before is not waited for."""
    left = until - time.monotonic()
    if left <= 0:
        raise TooLateError
    limit = min(seconds, SEARCHING_SHARE * left / len(LEADS))
    outcomes: dict[Lead, Outcome] = {}
    for lead in LEADS:
        options = replace(default_search(learned=True), lead=lead, head_start=limit, time_limit=limit)
        (outcomes[lead],) = _solve_each([start], heuristic, options, until)
        if outcomes[lead].solved:
            limit = min(limit, TOO_SLOW * max(outcomes[lead].search_time, UNNOTICED))
    return outcomes


def best_lead(compared: dict[Lead, Leading]) -> Lead:
    """The part that should lead: of those whose price is about the lowest, the one that is there soonest.

    A later one only where it clearly is, since times are measured, not counted.
    """
    lowest = min(leading.price for leading in compared.values())
    good = [lead for lead, leading in compared.items() if WORTH_LEADING * leading.price <= lowest]
    best = good[0]
    for lead in good:
        if compared[lead].clearly_sooner(compared[best]):
            best = lead
    return best


def _each(outcomes: list[Outcome]) -> float:
    """Seconds of search for a state, in the mean, whether it was solved or not."""
    return sum(outcome.search_time for outcome in outcomes) / max(len(outcomes), 1)
