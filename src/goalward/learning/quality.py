"""What a network is worth to the cost of plans, and how it is used best.

Users get a first plan and then its improvement, which ends after a short while. Validation states are solved in the
same way with and without the network in either of the two. The model file keeps what gave the cheapest plans.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import geometric_mean
from typing import Any

from goalward.search.heuristics import BoundHeuristic
from goalward.search.improve import Improver
from goalward.search.solving import DEFAULT_IMPROVEMENT, solve
from goalward.search.starts import Start
from goalward.search.strategy import PLAIN, default_search
from goalward.task.strips import Ints

NETWORK_SHARES = (0.0, 0.5, 0.8)
"""Shares of improvement that are tried. Not tuned; 0 leaves the network out."""
WORTH_USING = 0.995
"""The network is used in a way if plans cost less than this part of those without. Not tuned."""
UNSOLVED = 2.0
"""A state that is not solved counts as so many times its most expensive plan. Not tuned."""


@dataclass(frozen=True)
class Use:
    """Is the network used for the first plan, and what share of improvement does it get?"""

    first: bool
    share: float


WITHOUT = Use(first=False, share=0.0)
"""As ``goalward plan`` does it."""
USES = [Use(first, share) for first in (False, True) for share in NETWORK_SHARES]

Costs = dict[Use, list[float]]


def costs_by_use(heuristic: BoundHeuristic, states: Sequence[Ints], seconds: float, until: float) -> Costs:
    """Costs of improved plans of some states, for as many states as there is time for.

    A first plan has at most ``seconds``; no state begins if it would not be done at the moment ``until``.
    """
    found: Costs = {use: [] for use in USES}
    improvers = {share: Improver(heuristic.task, heuristic=heuristic, network_share=share) for share in NETWORK_SHARES}
    longest = 0.0
    for state in states:
        begun = time.monotonic()
        if begun + longest >= until:
            break
        costs = {}
        for first in (False, True):
            limit = max(min(seconds, until - time.monotonic()), 1e-3)
            options = replace(default_search(learned=True) if first else PLAIN, time_limit=limit)
            plan = solve(Start(heuristic.task, state), heuristic, options).plan
            for share, improver in improvers.items():
                improved = (
                    improver.improve(plan, init=state, **DEFAULT_IMPROVEMENT.limits(0.0, None)).cost if plan else None
                )
                costs[Use(first, share)] = improved
        longest = max(longest, time.monotonic() - begun)
        known = [cost for cost in costs.values() if cost is not None]
        for use, cost in costs.items():
            if known:
                found[use].append(max(cost if cost is not None else UNSOLVED * max(known), 1))
    return found


def best_use(costs: Costs, *, faster_first: bool) -> tuple[Use, float]:
    """The use with the cheapest plans, and their cost over that without the network (geometric mean over states).

    ``faster_first`` says that first plans come sooner with the network: then it is used for them unless it costs more.
    """
    if not costs[WITHOUT]:
        return Use(faster_first, 0.0), 1.0
    ratios = {
        use: geometric_mean([cost / base for cost, base in zip(found, costs[WITHOUT], strict=True)])
        for use, found in costs.items()
    }
    usual = Use(faster_first, 0.0)
    if WORTH_USING * ratios[usual] > 1:
        usual = WITHOUT
    best = min(ratios, key=lambda use: ratios[use])
    if ratios[best] >= WORTH_USING * ratios[usual]:
        best = usual
    return best, ratios[best]


def quality(
    heuristic: BoundHeuristic, said: dict[str, Any], states: Sequence[Ints], seconds: float, until: float = math.inf
) -> dict[str, Any]:
    """How the network is used best, with what that saves on validation states; ``said`` is the verdict on speed."""
    heuristic.lead, heuristic.head_start = said.get("lead") or heuristic.lead, said.get("head_start")
    costs = costs_by_use(heuristic, states, seconds, until)
    use, ratio = best_use(costs, faster_first=bool(said.get("likely_to_help")))
    return {
        "likely_to_help": use.first if costs[WITHOUT] else said.get("likely_to_help"),
        "network_share": use.share,
        "cost_ratio": round(ratio, 4),
        "quality_states": len(costs[WITHOUT]),
    }
