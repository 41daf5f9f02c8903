"""Which part of hybrid search should lead: each part is tried by itself on validation states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean, geometric_mean

from goalward.learning.budget import Budget
from goalward.learning.validation import TooLateError, solve_each
from goalward.search import BoundHeuristic
from goalward.search.portfolio import LEADS, Lead
from goalward.search.solving import Outcome
from goalward.search.starts import Start
from goalward.search.strategy import default_search
from goalward.task.strips import Ints

LEAD_STATES, A_MOMENT = 5, 1.5
"""At most so many validation states choose the lead; more if all of them take less than so many seconds."""
UNNOTICED = 0.05
"""Seconds of search that nobody notices: a faster search is not worth a longer plan."""
SEARCHING_SHARE = 0.8
"""Searches may take this share of the time that is left; the rest is for setting them up."""
TOO_SLOW = 2.0
"""A search from a state ends after this multiple of the fastest search from that state."""
PATIENCE, HEAD_STARTS = 2.0, (0.1, 1.0)
"""The head start of the lead is this multiple of its longest validation search, between so many seconds."""
WORTH_LEADING = 0.9
"""A part replaces one before it in the list only if its price or time is below this share of the other's."""


@dataclass(frozen=True)
class Leading:
    """What a part of hybrid search does by itself.

    ``seconds`` is the mean time for a state, ``expanded`` the geometric mean of expansions, and ``price`` that of
    seconds times steps: half the time is worth as much as half the plan. ``longest`` is the time of the longest search
    that solved its state, 0 if none did.
    """

    seconds: float
    expanded: float
    price: float
    longest: float = 0.0
    solved: int = 0
    states: int = 0

    @property
    def head_start(self) -> float | None:
        """Seconds after which the part will hardly solve a state any more; None if it has solved none."""
        if not self.longest:
            return None
        shortest, longest = HEAD_STARTS
        return min(max(PATIENCE * self.longest, shortest), longest)

    def clearly_sooner(self, other: Leading) -> bool:
        """Compare by time; if nobody would notice either time, by expansions, which are the same on every machine."""
        if max(self.seconds, other.seconds) <= UNNOTICED:
            return self.expanded < WORTH_LEADING * other.expanded
        return self.seconds < WORTH_LEADING * other.seconds


Compared = dict[Lead, Leading]


def compare_leads(
    heuristic: BoundHeuristic, states: list[Ints], seconds: float, budget: Budget | None = None
) -> Compared:
    """Search some states with each part of hybrid search leading and the others waiting.

    A state that is not solved counts as twice the longest plan of it that another part found. A search has at most so
    many seconds, and less if the budget does not suffice for all of them. At least one state is searched, then others
    while there is time for them: :data:`LEAD_STATES`, and more for :data:`A_MOMENT`. Raises :class:`TooLateError` if
    there is not even time for one.
    """
    budget = budget or Budget()
    found: dict[Lead, list[Outcome]] = {lead: [] for lead in LEADS}
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
    return {lead: _leading(outcomes, longest) for lead, outcomes in found.items()}


def _leading(outcomes: list[Outcome], longest: list[int]) -> Leading:
    def price(outcome: Outcome, other: int) -> float:
        return max(outcome.search_time, UNNOTICED) * max(outcome.length if outcome.length is not None else 2 * other, 1)

    times = [outcome.search_time for outcome in outcomes if outcome.solved]
    return Leading(
        seconds=fmean(outcome.search_time for outcome in outcomes),
        expanded=geometric_mean(max(outcome.statistics.expanded, 1) for outcome in outcomes),
        price=geometric_mean(map(price, outcomes, longest)),
        longest=max(times, default=0.0),
        solved=len(times),
        states=len(outcomes),
    )


def _with_each_lead(start: Start, heuristic: BoundHeuristic, seconds: float, budget: Budget) -> dict[Lead, Outcome]:
    """Searches from one state share the time that is left."""
    if budget.over:
        raise TooLateError
    limit = min(seconds, SEARCHING_SHARE * budget.remaining / len(LEADS))
    outcomes: dict[Lead, Outcome] = {}
    for lead in LEADS:
        options = replace(default_search(learned=True), lead=lead, head_start=limit, time_limit=limit)
        (outcomes[lead],) = solve_each([start], heuristic, options, budget)
        if outcomes[lead].solved:
            limit = min(limit, TOO_SLOW * max(outcomes[lead].search_time, UNNOTICED))
    return outcomes


def best_lead(compared: Compared, among: Iterable[Lead] = LEADS) -> Lead:
    """The fastest of the parts whose price is about the lowest.

    A later one only if it is clearly faster, since times are measured, not counted.
    """
    known = {lead: compared[lead] for lead in among}
    lowest = min(leading.price for leading in known.values())
    good = [lead for lead, leading in known.items() if WORTH_LEADING * leading.price <= lowest]
    best = good[0]
    for lead in good:
        if known[lead].clearly_sooner(known[best]):
            best = lead
    return best
