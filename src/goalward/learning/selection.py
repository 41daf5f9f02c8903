"""The verdict on a network: how many validation states it helps to solve, and how it is used best.

The verdict is stored in the model file; ``search/strategy.py`` turns it into a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goalward.learning.budget import Budget
from goalward.learning.leads import Compared, best_lead, compare_leads
from goalward.learning.quality import NETWORK_SHARE, Quality, measure_quality
from goalward.learning.validation import TooLateError
from goalward.search.heuristics import BoundHeuristic
from goalward.search.portfolio import LEADS_WITH_NETWORK, LEADS_WITHOUT_NETWORK, Lead
from goalward.search.strategy import NetworkUse
from goalward.task.strips import Ints

LEADS_SHARE = 0.4
"""The share of the time for a verdict in which a lead is chosen; the rest is for the cost of plans. Not tuned."""


@dataclass(frozen=True)
class Verdict:
    """Results of validation searches with each part leading, and costs of improved plans of validation states."""

    by_lead: Compared
    quality: Quality

    @property
    def states(self) -> int:
        """States that were searched with each part leading."""
        return self.by_lead[self.lead].states

    @property
    def lead(self) -> Lead:
        """The part that should lead."""
        return best_lead(self.by_lead)

    @property
    def solved(self) -> int:
        """States solved by a part with the network."""
        return max(self.by_lead[lead].solved for lead in LEADS_WITH_NETWORK)

    @property
    def solved_without(self) -> int:
        """States solved by a part without it."""
        return max(self.by_lead[lead].solved for lead in LEADS_WITHOUT_NETWORK)

    @property
    def use(self) -> NetworkUse:
        """How the network is used best."""
        if self.quality.states:
            best = self.quality.best
            if best.first:
                return NetworkUse.SEARCH
            return NetworkUse.IMPROVEMENT if best.improvement else NetworkUse.NONE
        if self.solved == self.solved_without == 0:
            return NetworkUse.UNKNOWN
        helps = self.solved > self.solved_without or self.lead in LEADS_WITH_NETWORK
        return NetworkUse.SEARCH if helps else NetworkUse.NONE

    @property
    def rank(self) -> tuple[float, ...]:
        """Larger is better: states solved with the network, then cheaper plans, then faster searches."""
        with_network = [self.by_lead[lead] for lead in LEADS_WITH_NETWORK]
        ratio = self.quality.ratio(self.quality.best)
        return (self.solved / self.states, -ratio, -min(leading.price for leading in with_network))

    def info(self) -> dict[str, Any]:
        """The entries of the model file."""
        best = self.quality.best
        alone = self.by_lead[best_lead(self.by_lead, LEADS_WITHOUT_NETWORK)]
        return {
            "network_use": self.use.value,
            "lead": self.lead,
            "head_start": self.by_lead[self.lead].head_start,
            "network_share": NETWORK_SHARE if best.improvement else 0.0,
            "cost_ratio": round(self.quality.ratio(best), 4),
            "quality_states": self.quality.states,
            "validation_states": self.states,
            "solved": self.solved,
            "solved_alone": self.by_lead["network"].solved,
            "solved_without": self.solved_without,
            "seconds_by_lead": {name: round(leading.seconds, 6) for name, leading in self.by_lead.items()},
            "expansions_by_lead": {name: round(leading.expanded) for name, leading in self.by_lead.items()},
            "seconds_per_state": round(self.by_lead[self.lead].seconds, 6),
            "seconds_per_state_without": round(alone.seconds, 6),
        }


def judge(heuristic: BoundHeuristic, states: list[Ints], seconds: float, budget: Budget) -> Verdict | None:
    """Search from validation states with at most so many seconds for each search; None if there is no time for it."""
    try:
        choosing = budget if budget.seconds is None else budget.part(LEADS_SHARE * budget.remaining)
        by_lead = compare_leads(heuristic, states, seconds, choosing)
    except TooLateError:
        return None
    lead = best_lead(by_lead)
    heuristic.lead, heuristic.head_start = lead, by_lead[lead].head_start
    return Verdict(by_lead, measure_quality(heuristic, states, seconds, budget))
