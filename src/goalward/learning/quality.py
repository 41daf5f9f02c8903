"""What a network is worth to the cost of plans: how much of the effort of improving a plan it should get.

Users get a first plan and then its improvement, which ends after a short while. Validation states are solved in the
same way with several shares of that effort for the network. The model file keeps the share with the cheapest plans.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import geometric_mean

from goalward.search.heuristics import BoundHeuristic
from goalward.search.improve import Improver
from goalward.search.solving import WHILE_IT_PAYS, solve
from goalward.search.starts import Start
from goalward.search.strategy import default_search
from goalward.task.strips import Ints

NETWORK_SHARES = (0.0, 0.5, 0.8)
"""Shares that are tried. Not tuned; 0 leaves the network out."""
WORTH_USING = 0.995
"""The network is used if plans cost less than this part of those without it. Not tuned."""


def costs_by_share(
    heuristic: BoundHeuristic, states: Sequence[Ints], seconds: float, until: float
) -> dict[float, list[int]]:
    """Costs of improved plans of some states with each share, for as many states as there is time for.

    The first plan of a state has at most ``seconds``; nothing begins after the moment ``until``.
    """
    found: dict[float, list[int]] = {share: [] for share in NETWORK_SHARES}
    improvers = [Improver(heuristic.task, heuristic=heuristic, network_share=share) for share in NETWORK_SHARES]
    longest = 0.0
    for state in states:
        begun = time.monotonic()
        if begun + longest >= until:
            break
        options = replace(default_search(learned=True), time_limit=min(seconds, until - begun))
        first = solve(Start(heuristic.task, state), heuristic, options)
        if not first.plan:
            continue
        limits = WHILE_IT_PAYS.limits(0.0, None)
        for improver in improvers:
            found[improver.network_share].append(improver.improve(first.plan, init=state, **limits).cost)
        longest = max(longest, time.monotonic() - begun)
    return found


def best_share(costs: dict[float, list[int]]) -> tuple[float, float]:
    """The share with the cheapest plans, and their cost over that without the network (geometric mean)."""
    without = costs[0.0]
    if not without:
        return 0.0, 1.0
    ratios = {
        share: geometric_mean([max(cost, 1) / max(base, 1) for cost, base in zip(found, without, strict=True)])
        for share, found in costs.items()
    }
    best = min(ratios, key=lambda share: ratios[share])
    return (best, ratios[best]) if ratios[best] < WORTH_USING else (0.0, 1.0)
