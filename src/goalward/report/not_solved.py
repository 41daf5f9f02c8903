"""Lists of states that were not solved, and histograms of training labels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from goalward.report.data import Experiment, Instance, instance_of

MAX_ROWS = 500
MAX_STATE_NAMES = 60


@dataclass(frozen=True)
class Unsolved:
    """States of one instance on which the searches of one method ended with the same status, without a plan."""

    method: str
    instance: Instance
    status: str
    states: list[str]


def unsolved(experiment: Experiment) -> list[Unsolved]:
    """All unsolved states, sorted by instance; a method with several seeds is represented by the chosen one."""
    grouped: dict[tuple[str, Instance, str], list[str]] = defaultdict(list)
    for unit, result in experiment.representatives:
        if not result.solved:
            grouped[unit.method, instance_of(unit), result.status].append(unit.state or "problem")
    order = {instance: place for place, instance in enumerate(experiment.instances)}
    found = [Unsolved(*key, states) for key, states in grouped.items()]
    return sorted(found, key=lambda one: (order[one.instance], experiment.methods.index(one.method), one.status))


@dataclass(frozen=True)
class Labels:
    """Histogram of the training labels of one method on one instance: counts of equal bins from 0 to ``beyond``."""

    method: str
    instance: Instance
    sampler: str
    beyond: int
    counts: list[int]


def labels(experiment: Experiment) -> list[Labels]:
    """The histograms of the chosen seeds, one per sampler."""
    found: dict[tuple[str, Instance, str], Labels] = {}
    for unit, result in experiment.trainings:
        if experiment.chosen.get((instance_of(unit), unit.method)) != unit.seed:
            continue
        for data in result.extra.get("data") or []:
            if isinstance(data, dict) and data.get("label histogram"):
                one = _labels(unit.method, instance_of(unit), data)
                found.setdefault((one.method, one.instance, one.sampler), one)
    return list(found.values())


def _labels(method: str, instance: Instance, data: dict[str, Any]) -> Labels:
    counts = [int(count) for count in data["label histogram"]]
    return Labels(method, instance, str(data.get("sampler") or ""), int(data["beyond"]), counts)
