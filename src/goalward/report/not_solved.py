"""Which states were not solved, and what the data that networks learned from looked like."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from goalward.report.data import Experiment, Instance, instance_of

ROWS = 500
NAMES = 60


@dataclass(frozen=True)
class Unsolved:
    """States of one instance whose searches by one method ended in the same way without a plan."""

    method: str
    instance: Instance
    status: str
    states: list[str]


def unsolved(experiment: Experiment) -> list[Unsolved]:
    """All of them, by instance; a method with several seeds is represented by the chosen one."""
    grouped: dict[tuple[str, Instance, str], list[str]] = defaultdict(list)
    for unit, result in experiment.representatives:
        if not result.solved:
            grouped[unit.method, instance_of(unit), result.status].append(unit.state or "problem")
    order = {instance: place for place, instance in enumerate(experiment.instances)}
    found = [Unsolved(*key, states) for key, states in grouped.items()]
    return sorted(found, key=lambda one: (order[one.instance], experiment.methods.index(one.method), one.status))


@dataclass(frozen=True)
class Labels:
    """The labels that one method learned from on one instance: counts of equal bins from 0 to ``beyond``."""

    method: str
    instance: Instance
    sampler: str
    beyond: int
    counts: list[int]


def labels(experiment: Experiment) -> list[Labels]:
    """Those of the chosen seeds, for each sampler that was tried once."""
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
