"""Who solves states for their plans: the part of a search that did best on the first of them leads from then on.

What is learned from plans depends on how many there are. In large tasks the parts of a search differ by a factor of
ten, and one that gives up too early finds none at all. Everything here is counted, not timed: the same states have the
same plans on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import geometric_mean

from goalward.search.best_first import SearchResult, Status
from goalward.search.portfolio import WITHOUT_NETWORK, Lead

EXPANSIONS, DOUBLINGS = 3000, 3
"""That each part of a search may take, and how often that is doubled where it was too little, before that ends."""
TRIED_ON = 2
"""States that are solved with each part leading."""

Search = Callable[[Lead, int], SearchResult]


class Teacher:
    """Finds plans by a function that searches with a given part leading and a given limit on expansions."""

    def __init__(self) -> None:
        self.lead: Lead | None = None
        self.doubled = 0
        self._prices: dict[Lead, list[float]] = {lead: [] for lead in WITHOUT_NETWORK}

    @property
    def expansions(self) -> int:
        """What a search may take at present."""
        return EXPANSIONS << self.doubled

    def find(self, search: Search) -> tuple[int, ...] | None:
        """The plan of a state, if a search finds one; the shortest one while it is not decided who leads."""
        leads = WITHOUT_NETWORK if self.lead is None else (self.lead,)
        found = {lead: search(lead, self.expansions) for lead in leads}
        plans = [result.plan for result in found.values() if result.plan is not None]
        if any(result.status is Status.CANCELLED for result in found.values()):  # that says nothing about who is best
            return min(plans, key=len, default=None)
        if not plans:
            self.doubled = (self.doubled + 1) % (DOUBLINGS + 1)
            return None
        if self.lead is None:
            self._compare(found, longest=max(map(len, plans)))
        return min(plans, key=len)

    def _compare(self, found: dict[Lead, SearchResult], longest: int) -> None:
        """Expansions times steps, as if the plans that were not found were twice as long as the longest."""
        for lead, result in found.items():
            steps = 2 * longest if result.plan is None else len(result.plan)
            self._prices[lead].append(max(result.statistics.expanded, 1) * max(steps, 1))
        if all(len(prices) == TRIED_ON for prices in self._prices.values()):
            cheapest = min(WITHOUT_NETWORK, key=lambda lead: geometric_mean(self._prices[lead]))
            self.lead = cheapest
