"""What plans cost while they are improved."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from goalward.experiments.store import Store
from goalward.report.data import Entry, Experiment, Instance, instance_of
from goalward.report.training import thin

STATES_PER_INSTANCE = 12


@dataclass(frozen=True)
class Course:
    """The plans of one search, one cheaper than the other: seconds since it began, and cost."""

    method: str
    instance: Instance
    state: str | None
    points: list[tuple[float, int]]


def courses(experiment: Experiment, store: Store) -> list[Course]:
    """Of each method and instance a few states, on instances where anybody has improved a plan.

    What did not improve its plan is there with one point, so that others can be seen beside it.
    """
    solved: dict[tuple[Instance, str], list[Entry]] = defaultdict(list)
    for unit, result in experiment.representatives:
        if result.solved and result.cost is not None and result.search_time is not None:
            solved[instance_of(unit), unit.method].append((unit, result))
    found: dict[Instance, list[Course]] = defaultdict(list)
    for (instance, method), entries in solved.items():
        shown = thin(entries, STATES_PER_INSTANCE)
        extras = dict(store.extras(unit.id for unit, _ in shown))
        for unit, result in shown:
            extra = extras.get(unit.id, {})
            assert result.search_time is not None
            assert result.cost is not None
            first = extra.get("first_cost")
            points = [(float(result.search_time), int(result.cost if first is None else first))]
            points += [(float(seconds), int(cost)) for seconds, cost, _ in extra.get("better_plans") or []]
            found[instance].append(Course(method, instance, unit.state, points))
    return [one for all_of in found.values() if any(len(c.points) > 1 for c in all_of) for one in all_of]
