"""What a network is worth to the cost of plans, and how it is used best.

Users get a first plan and then a short improvement. Validation states are solved in the same way, with and without the
network in either of the two. The network is used in the way that gives the cheapest plans.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev

from goalward.learning.budget import Budget
from goalward.search.heuristics import BoundHeuristic
from goalward.search.improve import Improver
from goalward.search.solving import DEFAULT_IMPROVEMENT, solve
from goalward.search.starts import Start
from goalward.search.strategy import PLAIN, default_search
from goalward.task.strips import Ints

NETWORK_SHARE = 0.7
"""The network's share of the effort of improvement, if it gets any. 0.5, 0.8 and 0.95 were about as good on depot p19,
grid prob05-1 and blocks 18-4."""
WORTH_USING = 0.995
"""The network is used in a way if plans cost less than this share of those without it. Not tuned."""
UNSOLVED = 2.0
"""A state that is not solved counts as this multiple of its most expensive plan. Not tuned."""
MIN_GAIN = 0.05
"""If plans cost the same, the network finds the first plan only if that saves this many seconds for a state."""


@dataclass(frozen=True)
class Use:
    """Does the network help to find the first plan, and does it take part in improvement?"""

    first: bool
    improvement: bool


WITHOUT = Use(first=False, improvement=False)
"""As ``goalward plan`` does it."""
USES = [Use(first, improvement) for first in (False, True) for improvement in (False, True)]


@dataclass
class Quality:
    """Costs of improved plans by use, and the seconds of the search for first plans without and with the network."""

    costs: dict[Use, list[float]] = field(default_factory=lambda: {use: [] for use in USES})
    seconds: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})

    @property
    def states(self) -> int:
        """States that were compared."""
        return len(self.costs[WITHOUT])

    def log_ratios(self, use: Use, other: Use) -> list[float]:
        """Logarithms of cost over cost with another use, by state."""
        return [math.log(a / b) for a, b in zip(self.costs[use], self.costs[other], strict=True)]

    def ratio(self, use: Use) -> float:
        """Cost over cost without the network: the geometric mean over states."""
        return math.exp(fmean(self.log_ratios(use, WITHOUT))) if self.states else 1.0

    def _with_improvement(self, first: bool) -> Use:
        """The network takes part in improvement if that makes plans cheaper in the mean."""
        used, unused = Use(first, True), Use(first, False)
        return used if self.ratio(used) < WORTH_USING * self.ratio(unused) else unused

    @property
    def best(self) -> Use:
        """The use with the cheapest plans.

        Costs after different first plans differ more by chance: the network finds first plans only if the mean gain
        exceeds its standard error, or if it saves time at no cost.
        """
        if not self.states:
            return WITHOUT
        usual, first = (self._with_improvement(first) for first in (False, True))
        gains = self.log_ratios(first, usual)
        error = stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else 0.0
        saved = fmean(self.seconds[False]) - fmean(self.seconds[True])
        limit = 0.0 if saved > MIN_GAIN else math.log(WORTH_USING) - error
        return first if fmean(gains) <= limit else usual


def measure_quality(heuristic: BoundHeuristic, states: Sequence[Ints], seconds: float, budget: Budget) -> Quality:
    """Solve some states in every way, as many as there is time for.

    A first plan has at most ``seconds``; no state begins if the budget would not suffice for it.
    """
    found = Quality()
    shares = {False: 0.0, True: NETWORK_SHARE}
    improvers = {used: Improver(heuristic.task, heuristic=heuristic, network_share=shares[used]) for used in shares}
    longest = 0.0
    for state in states:
        begun = budget.elapsed
        if longest >= budget.remaining:
            break
        costs: dict[Use, int | None] = {}
        times = {}
        for first in (False, True):
            limit = max(min(seconds, budget.remaining), 1e-3)
            options = replace(default_search(learned=True) if first else PLAIN, time_limit=limit)
            outcome = solve(Start(heuristic.task, state), heuristic, options)
            times[first] = outcome.search_time
            limits = DEFAULT_IMPROVEMENT.limits(outcome.search_time, None)
            for used, improver in improvers.items():
                plan = outcome.plan
                costs[Use(first, used)] = improver.improve(plan, init=state, **limits).cost if plan else None
        longest = max(longest, budget.elapsed - begun)
        known = [cost for cost in costs.values() if cost is not None]
        if known:
            for use, cost in costs.items():
                found.costs[use].append(max(cost if cost is not None else UNSOLVED * max(known), 1))
            for first, taken in times.items():
                found.seconds[first].append(taken)
    return found
