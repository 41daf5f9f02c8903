"""The verdict on a network: how it is used best, and how much it helps.

Validation states are solved as users get it, a first plan and a short improvement, in several ways. The way with the
cheapest plans is stored in the model file; ``search/strategy.py`` turns it into a search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any

from goalward.learning.budget import Budget
from goalward.search.heuristics import BoundHeuristic
from goalward.search.portfolio import LEADS, LEADS_WITH_NETWORK, LEADS_WITHOUT_NETWORK, Lead
from goalward.search.solving import DEFAULT_IMPROVEMENT, solve
from goalward.search.starts import Start
from goalward.search.strategy import PLAIN, NetworkUse, default_search
from goalward.task.strips import Ints

NETWORK_SHARE = 0.5
"""The network's share of the effort of improvement, if it gets any. 0.3 and 0.7 were about as good on eight instances;
the larger the share, the more is lost if the network is of no use."""
MIN_GAIN = 0.005
"""A way is better if plans cost less by this share. Not tuned."""
MIN_STATES = 3
"""Fewer states are no evidence for any other way than without the network. Not tuned."""
HOPELESS = 1
"""A way that is worse by so many standard errors is not tried on more states. With 2, there is time for fewer states:
verdicts on pipesworld were wrong, others equal (docs/lab/learning.md)."""
MIN_SECONDS = 0.05
"""Among ways with equal costs, one is better if it saves this time for a state, which users hardly notice."""
UNSOLVED = 2
"""A state that is not solved costs this multiple of its most expensive plan. Not tuned."""
HEAD_STARTS = (0.1, 1.0)
"""The head start of the lead is twice the time of its longest search, between so many seconds."""

Way = Lead | None
"""A way to solve a state: without the network (None), or with the network taking part in improvement and this part
leading in the search for a first plan. If h_FF and landmarks lead, that is the search without the network."""
WAYS: tuple[Way, ...] = (None, *LEADS)


@dataclass(frozen=True)
class Attempt:
    """One way to solve a state: seconds of the search for a first plan and with improvement, and the plan's cost."""

    search_seconds: float
    seconds: float
    cost: int | None  # None without a plan


@dataclass
class Verdict:
    """The results of all ways to solve the same validation states."""

    attempts: dict[Way, list[Attempt]] = field(default_factory=lambda: {way: [] for way in WAYS})

    @property
    def states(self) -> int:
        """States that were tried in every way."""
        return min(map(len, self.attempts.values()))

    def solved(self, *ways: Way) -> int:
        """How many of these states the best of these ways solves."""
        return max(sum(each.cost is not None for each in self.attempts[way][: self.states]) for way in ways)

    def _log_cost(self, way: Way, state: int) -> float:
        cost = self.attempts[way][state].cost
        if cost is None:
            cost = UNSOLVED * max(tried[state].cost or 0 for tried in self.attempts.values() if state < len(tried))
        return math.log(max(cost, 1))

    def gains(self, way: Way, other: Way = None) -> list[float]:
        """Logarithms of cost in the other way over cost in this way, for each state that was tried in both."""
        tried = min(len(self.attempts[way]), len(self.attempts[other]))
        return [self._log_cost(other, state) - self._log_cost(way, state) for state in range(tried)]

    def better(self, way: Way, other: Way) -> bool:
        """True if plans are clearly cheaper, or if states take less time and plans cost no more.

        Costs after different first plans differ by chance, so the gain must exceed its standard error as well.
        """
        gains = self.gains(way, other)
        if len(gains) < MIN_STATES:
            return False
        same_first_plan = {way, other} == {None, "landmarks"}
        chance = 0.0 if same_first_plan else standard_error(gains)
        if fmean(gains) > MIN_GAIN + chance:
            return True
        saved = fmean(b.seconds - a.seconds for a, b in zip(self.attempts[way], self.attempts[other], strict=False))
        return fmean(gains) >= 0 and saved > MIN_SECONDS

    @property
    def best(self) -> Way:
        """The way to use the network: without it if no state is solved in any way."""
        best: Way = None
        for way in LEADS:
            if self.solved(*WAYS) and self.better(way, best):
                best = way
        return best

    def hopeless(self, way: Way) -> bool:
        """True if plans are so much dearer than in the best way that more states would hardly change that."""
        gains = self.gains(way, self.best)
        return len(gains) > 1 and fmean(gains) < -MIN_GAIN - HOPELESS * standard_error(gains)

    @property
    def use(self) -> NetworkUse:
        """The use of the network in the best way; unknown if too few states were tried, or none was solved."""
        if len(self.attempts[None]) < MIN_STATES or not self.solved(*WAYS):
            return NetworkUse.UNKNOWN
        uses: dict[Way, NetworkUse] = {None: NetworkUse.NONE, "landmarks": NetworkUse.IMPROVEMENT}
        return uses.get(self.best, NetworkUse.SEARCH)

    @property
    def rank(self) -> tuple[float, ...]:
        """Larger is better: states solved with the network, then cheaper plans."""
        return (self.solved(*LEADS_WITH_NETWORK) / self.states, fmean(self.gains(self.best)))

    def info(self) -> dict[str, Any]:
        """The entries of the model file."""
        best = self.best
        longest = max((each.search_seconds for each in self.attempts[best] if each.cost is not None), default=0.0)
        return {
            "network_use": self.use.value,
            "lead": best or "landmarks",
            "head_start": min(max(2 * longest, HEAD_STARTS[0]), HEAD_STARTS[1]),
            "network_share": NETWORK_SHARE if best else 0.0,
            "cost_ratio": round(math.exp(-fmean(self.gains(best))), 4),
            "quality_states": len(self.gains(best)) if self.solved(*WAYS) else 0,
            "validation_states": self.states,
            "solved": self.solved(*LEADS_WITH_NETWORK),
            "solved_alone": self.solved("network"),
            "solved_without": self.solved(None, *LEADS_WITHOUT_NETWORK),
        }


def standard_error(values: list[float]) -> float:
    """The standard error of the mean."""
    return stdev(values) / math.sqrt(len(values))


def judge(heuristic: BoundHeuristic, states: list[Ints], seconds: float, budget: Budget) -> Verdict | None:
    """Solve states in every way, as many as there is time for; None if there is no time for any.

    Hopeless ways are dropped, so that there is time for more states. A way has at most ``seconds`` for a state. No
    state begins if the budget would not suffice for it.
    """
    found, ways = Verdict(), list(WAYS)
    longest = 0.0  # seconds of one way for one state
    for state in states:
        if budget.over or longest * len(ways) > budget.remaining:
            break
        limit, begun = min(seconds, budget.remaining / len(ways)), budget.elapsed
        for way in ways:
            found.attempts[way].append(_solve(heuristic, state, way, limit))
        longest = max(longest, (budget.elapsed - begun) / len(ways))
        ways = [way for way in ways if way is None or not found.hopeless(way)]
    return found if found.states else None


def _solve(heuristic: BoundHeuristic, state: Ints, way: Way, seconds: float) -> Attempt:
    """Solve a state in one way. The part that leads searches alone."""
    options = PLAIN
    if way not in (None, "landmarks"):
        options = replace(default_search(learned=True), lead=way, head_start=seconds)
    heuristic.network_share = NETWORK_SHARE if way else 0.0
    options = replace(options, time_limit=seconds)
    outcome = solve(Start(heuristic.task, state), heuristic, options, improve=DEFAULT_IMPROVEMENT)
    return Attempt(outcome.search_time, outcome.search_time + outcome.improve_time, outcome.cost)
