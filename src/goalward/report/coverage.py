"""The coverage table of the paper: coverage by domain and method, averages over domains, and training times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from goalward.report.data import Entry, Experiment, Instance, instance_of


@dataclass(frozen=True)
class Column:
    """A column of the table: a method with one seed, or the mean or the validated best of a method's seeds."""

    method: str
    kind: Literal["single", "mean", "validated"]
    n_seeds: int = 1

    @property
    def title(self) -> str:
        """A description of the figure, empty for a single seed."""
        if self.kind == "single":
            return ""
        return f"mean of {self.n_seeds} seeds" if self.kind == "mean" else f"best of {self.n_seeds} by validation"


@dataclass(frozen=True)
class Cell:
    """Counts of searches from the states of one domain; ``planned`` also counts those that have not run yet.

    ``low`` and ``high`` are the coverage of the worst and the best seed, in percent.
    """

    solved: int
    states: int
    planned: int
    low: float | None = None
    high: float | None = None

    @property
    def percent(self) -> float:
        """Coverage in percent."""
        return 100 * self.solved / self.states


@dataclass(frozen=True)
class TrainingTime:
    """Total training time for ``instances`` instances of one domain."""

    seconds: float
    instances: int


def columns(experiment: Experiment) -> list[Column]:
    """The columns of the table: methods that learn first, as in the paper; two columns for validated methods."""
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
                if cell and cell.states:  # the searches with the chosen seed may not have run yet
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
    """The mean over domains, as in the paper: each domain has the same weight."""
    shares = [cell.percent for (d, _, c), cell in found.items() if (d, c) == (difficulty, column)]
    return fmean(shares) if shares else None


def training_times(experiment: Experiment) -> dict[Place, TrainingTime]:
    """Training time for each difficulty, domain and column.

    For a single seed or a mean over seeds, it is the mean time of one training. For the validated best seed, it is the
    sum over all seeds, because all of them had to be trained.
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
