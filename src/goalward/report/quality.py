"""What training buys: cost over time as ratios over all states, and after how many states it has paid."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import fmean

from goalward.experiments.cost_over_time import KEYS, BreakEven, Curve, break_even, curve_of, log_ratios
from goalward.experiments.store import Store
from goalward.report.data import Experiment, Instance, instance_of

EARLIEST = 0.01
"""Seconds at which curves begin."""
PER_DECADE = 24
"""Moments between a time and ten times that."""

State = tuple[Instance, str | None]
Curves = dict[str, dict[State, Curve]]


def curves(experiment: Experiment, store: Store) -> Curves:
    """By method and state, cost over time with the chosen seed; methods of which no cost is known are left out."""
    found: Curves = defaultdict(dict)
    for unit, result in experiment.representatives:
        extra = dict(store.extras([unit.id])).get(unit.id, {}) if result.solved else {}
        curve = curve_of(replace(result, extra={name: extra[name] for name in KEYS if name in extra}))
        if curve is not None:
            found[unit.method][instance_of(unit), unit.state] = curve
    return {method: by_state for method, by_state in found.items() if any(curve.plans for curve in by_state.values())}


@dataclass(frozen=True)
class RatioSums:
    """For one method and domain: the number of states, and sums over them of the logarithm of the ratio of costs.

    The page adds up the domains that are shown; the geometric mean is the exponential of the sum over the number.
    """

    method: str
    domain: str
    states: int
    sums: list[float]


def ratios_over_time(found: Curves) -> tuple[list[float], list[RatioSums]]:
    """Moments, evenly on a logarithmic axis, and the ratios at each of them; nothing for fewer than two methods."""
    if len(found) < 2:
        return [], []
    longest = max(curve.seconds for by_state in found.values() for curve in by_state.values())
    steps = max(math.ceil(PER_DECADE * math.log10(max(longest, EARLIEST) / EARLIEST)), 1)
    times = [EARLIEST * 10 ** (step / PER_DECADE) for step in range(steps + 1)]
    sums = []
    for method, by_state in log_ratios(found, times).items():
        by_domain: dict[str, list[list[float]]] = defaultdict(list)
        for (instance, _), logs in by_state.items():
            by_domain[instance[0]].append(logs)
        for domain, rows in by_domain.items():
            sums.append(RatioSums(method, domain, len(rows), [sum(column) for column in zip(*rows, strict=True)]))
    return times, sums


@dataclass(frozen=True)
class Paid:
    """When training of one method on one instance has paid beside a baseline: for plans as good, and for any plan."""

    method: str
    instance: Instance
    as_good: BreakEven
    any_plan: BreakEven


def paid(experiment: Experiment, found: Curves) -> list[Paid]:
    """For each method that is trained, each instance and each method that is not, on the states that both tried."""
    training = training_seconds(experiment)
    rows = []
    for baseline in found:
        if baseline in experiment.learned:
            continue
        for (instance, method), seconds in training.items():
            pairs = [
                (curve, found[baseline][state])
                for state, curve in found.get(method, {}).items()
                if state[0] == instance and state in found[baseline]
            ]
            as_good, any_plan = (break_even(baseline, seconds, pairs, as_good=good) for good in (True, False))
            if as_good is not None and any_plan is not None:
                rows.append(Paid(method, instance, as_good, any_plan))
    return rows


def training_seconds(experiment: Experiment) -> dict[tuple[Instance, str], float]:
    """Seconds of learning by instance and method; where several seeds competed, all of them had to be trained."""
    seconds: dict[tuple[Instance, str], list[float]] = defaultdict(list)
    for unit, result in experiment.trainings:
        took = result.extra.get("seconds", result.total_time)
        if took is not None:
            seconds[instance_of(unit), unit.method].append(float(took))
    return {
        (instance, method): sum(times) if method in experiment.validated else fmean(times)
        for (instance, method), times in seconds.items()
    }
