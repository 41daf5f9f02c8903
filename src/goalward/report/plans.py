"""Plan cost over time, while plans are improved."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from goalward.experiments.store import Store
from goalward.report.data import Entry, Experiment, Instance, instance_of
from goalward.report.training import thin

MAX_STATES_PER_INSTANCE = 12


@dataclass(frozen=True)
class CostCurve:
    """The plans of one search, each cheaper than the one before, as points (seconds since the search began, cost)."""

    method: str
    instance: Instance
    state: str | None
    points: list[tuple[float, int]]


def cost_curves(experiment: Experiment, store: Store) -> list[CostCurve]:
    """Curves of a few states per method and instance, for instances on which some method improved a plan.

    A search that did not improve its plan has a curve with one point, for comparison with the others.
    """
    solved: dict[tuple[Instance, str], list[Entry]] = defaultdict(list)
    for unit, result in experiment.representatives:
        if result.solved and result.cost is not None and result.search_time is not None:
            solved[instance_of(unit), unit.method].append((unit, result))
    found: dict[Instance, list[CostCurve]] = defaultdict(list)
    for (instance, method), entries in solved.items():
        shown = thin(entries, MAX_STATES_PER_INSTANCE)
        extras = dict(store.extras(unit.id for unit, _ in shown))
        for unit, result in shown:
            extra = extras.get(unit.id, {})
            assert result.search_time is not None
            assert result.cost is not None
            first = extra.get("first_cost")
            points = [(float(result.search_time), int(result.cost if first is None else first))]
            points += [(float(seconds), int(cost)) for seconds, cost, _ in extra.get("better_plans") or []]
            found[instance].append(CostCurve(method, instance, unit.state, points))
    return [curve for curves in found.values() if any(len(c.points) > 1 for c in curves) for curve in curves]
