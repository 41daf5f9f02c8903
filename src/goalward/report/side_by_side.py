"""Comparisons of methods: pairs on commonly solved states, speed by size, statuses of searches, and failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Literal

from goalward.report.data import Entry, Experiment, Instance, instance_of

Measure = Literal["expansions", "plan_length"]

WINDOW = 2000
"""Width of the page's moving average of speeds, in atoms, as in the paper."""


@dataclass(frozen=True)
class Pair:
    """Values of two methods on the states that both solved; lower is better."""

    points: list[tuple[int, int]]

    @property
    def shares(self) -> tuple[float, float, float]:
        """Percent of the states on which the first method is better, the second is better, and both are equal."""
        if not self.points:
            return 0.0, 0.0, 0.0
        share = 100 / len(self.points)
        first = sum(a < b for a, b in self.points)
        second = sum(b < a for a, b in self.points)
        return first * share, second * share, (len(self.points) - first - second) * share


def pairwise(experiment: Experiment, first: str, second: str, measure: Measure) -> Pair:
    """The values of two methods, each with its chosen seed, on the states that both solved."""
    values: dict[str, dict[tuple[Instance, str | None], int]] = {first: {}, second: {}}
    for unit, result in experiment.representatives:
        value = getattr(result, measure)
        if unit.method in values and result.solved and value is not None:
            values[unit.method][instance_of(unit), unit.state] = value
    common = [key for key in values[first] if key in values[second]]
    return Pair([(values[first][key], values[second][key]) for key in common])


def rates(experiment: Experiment) -> dict[str, list[tuple[Instance, float]]]:
    """Evaluations per second of each method on each instance whose number of atoms is known.

    A rate is the sum of evaluations divided by the sum of search times, so short searches have little weight.
    """
    sums: dict[tuple[str, Instance], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for unit, result in experiment.searches:
        if result.evaluations and result.search_time and instance_of(unit) in experiment.atoms:
            total = sums[unit.method, instance_of(unit)]
            total[0] += result.evaluations
            total[1] += result.search_time
    found: dict[str, list[tuple[Instance, float]]] = defaultdict(list)
    for (method, instance), (evaluations, seconds) in sums.items():
        found[method].append((instance, evaluations / seconds))
    return dict(found)


@dataclass(frozen=True)
class Failure:
    """Units of one method and domain that failed for the same reason; ``example`` is the id of one."""

    method: str
    domain: str
    what: str
    reason: str
    count: int
    example: str


def outcomes(experiment: Experiment) -> dict[str, Counter[str]]:
    """The number of searches of each method by status, over all seeds."""
    found: dict[str, Counter[str]] = {method: Counter() for method in experiment.methods}
    for unit, result in experiment.searches:
        found[unit.method][result.status] += 1
    return found


def failures(experiment: Experiment) -> list[Failure]:
    """All failures, the most frequent first; units out of time or memory are included only if they have an error."""
    grouped: dict[tuple[str, str, str, str], list[Entry]] = defaultdict(list)
    for unit, result in [*experiment.trainings, *experiment.searches]:
        if result.status == "failed" or result.error:
            reason = " ".join((result.error or "no reason was recorded").split())
            grouped[unit.method, unit.domain, "training" if unit.kind == "train" else "search", reason].append(
                (unit, result)
            )
    found = [Failure(*key, len(entries), entries[0][0].id) for key, entries in grouped.items()]
    return sorted(found, key=lambda failure: (-failure.count, failure.method, failure.domain, failure.reason))
