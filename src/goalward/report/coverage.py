"""The coverage table of the paper: domains × methods, moderate and hard, averages over domains, training time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from goalward.report.data import Entry, Experiment, Instance, instance_of


@dataclass(frozen=True)
class Column:
    """A method, or a view of one with several seeds: their mean, or the seed that validation chose."""

    method: str
    kind: Literal["single", "mean", "validated"]
    n_seeds: int = 1

    @property
    def title(self) -> str:
        """What kind of figure it is, in words."""
        if self.kind == "single":
            return ""
        return f"mean of {self.n_seeds} seeds" if self.kind == "mean" else f"best of {self.n_seeds} by validation"


@dataclass(frozen=True)
class Cell:
    """Searches from the states of one domain; ``planned`` are those that there will be in the end.

    ``low`` and ``high`` are the coverage of the worst and the best seed, in percent.
    """

    solved: int
    states: int
    planned: int
    low: float | None = None
    high: float | None = None

    @property
    def percent(self) -> float:
        """Coverage."""
        return 100 * self.solved / self.states


@dataclass(frozen=True)
class TrainingTime:
    """Seconds spent on learning for ``instances`` instances of one domain."""

    seconds: float
    instances: int


def columns(experiment: Experiment) -> list[Column]:
    """One for each method, two for those whose seeds competed; those that learn first, as in the paper."""
    found = []
    for method in sorted(experiment.methods, key=lambda label: label not in experiment.learned):
        n_seeds = len(experiment.seeds.get(method, []))
        found.append(Column(method, "mean" if n_seeds > 1 else "single", max(1, n_seeds)))
        if method in experiment.validated:
            found.append(Column(method, "validated", n_seeds))
    return found


Place = tuple[str, str, Column]
"""Difficulty, domain, column."""


def cells(experiment: Experiment) -> dict[Place, Cell]:
    """Coverage for each difficulty, domain and column that has results."""
    grouped: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
    for unit, result in experiment.searches:
        grouped[unit.difficulty, unit.domain, unit.method].append((unit, result))
    found: dict[Place, Cell] = {}
    for column in columns(experiment):
        for difficulty in experiment.difficulties:
            for domain in experiment.domains:
                entries = grouped.get((difficulty, domain, column.method), [])
                cell = _cell(experiment, column, entries) if entries else None
                if cell and cell.states:  # the chosen seed's searches may be still to come
                    found[difficulty, domain, column] = cell
    return found


def _cell(experiment: Experiment, column: Column, entries: list[Entry]) -> Cell:
    unit = entries[0][0]
    seeds = [*experiment.seeds.get(column.method, []), None]
    planned = [experiment.planned[unit.domain, unit.difficulty, column.method, seed] for seed in seeds]
    if column.kind == "validated":
        chosen = [e for e in entries if experiment.chosen[instance_of(e[0]), column.method] == e[0].seed]
        return Cell(sum(result.solved for _, result in chosen), len(chosen), max(planned))
    by_seed: dict[int | None, list[bool]] = defaultdict(list)
    for unit, result in entries:
        by_seed[unit.seed].append(result.solved)
    shares = [100 * fmean(solved) for solved in by_seed.values()]
    spread = (min(shares), max(shares)) if len(shares) > 1 else (None, None)
    return Cell(sum(result.solved for _, result in entries), len(entries), sum(planned), *spread)


def average(found: dict[Place, Cell], difficulty: str, column: Column) -> float | None:
    """The mean over domains, as the paper averages: a domain counts once, however many states it has."""
    shares = [cell.percent for (d, _, c), cell in found.items() if (d, c) == (difficulty, column)]
    return fmean(shares) if shares else None


def training_times(experiment: Experiment) -> dict[Place, TrainingTime]:
    """Time to learn for each difficulty, domain and column.

    A single seed or the mean over seeds: the mean time of one training. With validation: all seeds had to be trained,
    so their times are added up.
    """
    seconds: dict[tuple[Instance, str], list[float]] = defaultdict(list)
    for unit, result in experiment.trainings:
        took = result.extra.get("seconds", result.total_time)
        if took is not None:
            seconds[instance_of(unit), unit.method].append(float(took))
    totals: dict[Place, list[float]] = defaultdict(list)
    for (instance, method), times in seconds.items():
        for column in columns(experiment):
            if column.method == method:
                spent = sum(times) if column.kind == "validated" else fmean(times)
                totals[instance[1], instance[0], column].append(spent)
    return {place: TrainingTime(sum(times), len(times)) for place, times in totals.items()}
