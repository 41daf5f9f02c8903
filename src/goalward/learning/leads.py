"""Which part of hybrid search should lead: each is tried by itself on validation states after training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import geometric_mean

from goalward.learning.budget import Budget
from goalward.learning.validation import TooLateError, seconds_each, solve_each
from goalward.search import BoundHeuristic
from goalward.search.portfolio import LEADS, Lead
from goalward.search.solving import Outcome
from goalward.search.starts import Start
from goalward.search.strategy import default_search
from goalward.task.strips import Ints

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
    heuristic: BoundHeuristic, states: list[Ints], seconds: float, budget: Budget | None = None
) -> dict[Lead, Leading]:
    """Search some states with each part of hybrid search leading and the others waiting.

    A state that is not solved counts as twice the longest plan of it that another part found. A search has at most so
    many seconds, and less if the budget does not suffice for all of them. At least one state is searched, then others
    while there is time for them: :data:`LEAD_STATES`, and more for :data:`A_MOMENT`.
    """
    found: dict[Lead, list[Outcome]] = {lead: [] for lead in LEADS}
    budget = budget or Budget()
    begun = last = budget.elapsed
    for number, state in enumerate(states):
        now = budget.elapsed
        if number and (now - last > budget.remaining or (number >= LEAD_STATES and now - begun > A_MOMENT)):
            break
        last = now
        try:
            outcomes = _with_each_lead(Start(heuristic.task, state), heuristic, seconds, budget)
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
            seconds_each(outcomes),
            geometric_mean(max(outcome.statistics.expanded, 1) for outcome in outcomes),
            geometric_mean(map(price, outcomes, longest)),
            max((outcome.search_time for outcome in outcomes if outcome.solved), default=0.0),
        )
        for lead, outcomes in found.items()
    }


def _with_each_lead(start: Start, heuristic: BoundHeuristic, seconds: float, budget: Budget) -> dict[Lead, Outcome]:
    """Searches from one state share the time that is left; who is much slower than one before is not waited for."""
    left = budget.remaining
    if left <= 0:
        raise TooLateError
    limit = min(seconds, SEARCHING_SHARE * left / len(LEADS))
    outcomes: dict[Lead, Outcome] = {}
    for lead in LEADS:
        options = replace(default_search(learned=True), lead=lead, head_start=limit, time_limit=limit)
        (outcomes[lead],) = solve_each([start], heuristic, options, budget)
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
