"""The benefit of training: plan cost over time as ratios over all states, and break-even points."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import fmean

from goalward.experiments.cost_over_time import KEYS, BreakEven, Curve, break_even, curve_of, log_ratios
from goalward.experiments.store import Store
from goalward.report.data import Experiment, Instance, instance_of

EARLIEST = 0.01
"""The first time of a curve, in seconds."""
PER_DECADE = 24
"""Number of times between a time and ten times that time."""

State = tuple[Instance, str | None]
Curves = dict[str, dict[State, Curve]]


def curves(experiment: Experiment, store: Store) -> Curves:
    """By method and state, the cost over time with the chosen seed; methods without any known cost are left out."""
    found: Curves = defaultdict(dict)
    for unit, result in experiment.representatives:
        extra = dict(store.extras([unit.id])).get(unit.id, {}) if result.solved else {}
        curve = curve_of(replace(result, extra={name: extra[name] for name in KEYS if name in extra}))
        if curve is not None:
            found[unit.method][instance_of(unit), unit.state] = curve
    return {method: by_state for method, by_state in found.items() if any(curve.plans for curve in by_state.values())}


@dataclass(frozen=True)
class RatioSums:
    """For one method and domain: the number of states, and at each time the sum of the logarithms of their cost ratios.

    The page adds up the domains that are shown. The geometric mean is the exponential of sum / number.
    """

    method: str
    domain: str
    states: int
    sums: list[float]


def ratios_over_time(found: Curves) -> tuple[list[float], list[RatioSums]]:
    """Times, evenly spaced on a logarithmic axis, and the sums of log cost ratios at these times by method and domain.

    Both are empty if there are fewer than two methods.
    """
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
class BreakEvenRow:
    """The break-even points of one method on one instance relative to a baseline: for equal cost, and for any plan."""

    method: str
    instance: Instance
    as_good: BreakEven
    any_plan: BreakEven


def break_even_rows(experiment: Experiment, found: Curves) -> list[BreakEvenRow]:
    """Break-even points for each trained method, instance and untrained method, over the states that both ran on."""
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
                rows.append(BreakEvenRow(method, instance, as_good, any_plan))
    return rows


def training_seconds(experiment: Experiment) -> dict[tuple[Instance, str], float]:
    """Training time by instance and method: the sum over all seeds with validation, and their mean without."""
    seconds: dict[tuple[Instance, str], list[float]] = defaultdict(list)
    for unit, result in experiment.trainings:
        took = result.extra.get("seconds", result.total_time)
        if took is not None:
            seconds[instance_of(unit), unit.method].append(float(took))
    return {
        (instance, method): sum(times) if method in experiment.validated else fmean(times)
        for (instance, method), times in seconds.items()
    }
