"""Counts the finished units of an experiment, and estimates the remaining time."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from goalward.experiments.config import Budgets
from goalward.experiments.store import Result, Unit

Group = tuple[str, str]
"""Method and kind of units, which take about the same time."""


@dataclass
class _Times:
    units: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, units: int = 1) -> None:
        self.units += units
        self.seconds += seconds * units

    @property
    def mean(self) -> float | None:
        return self.seconds / self.units if self.units else None


@dataclass
class Progress:
    """Counts units during a run; a resumed run starts with the counts of the store."""

    budgets: Budgets
    rows: dict[Group, dict[str, Any]] = field(default_factory=dict)
    running: Counter[Group] = field(default_factory=Counter)
    lost: int = 0
    _times: dict[Group, _Times] = field(default_factory=lambda: defaultdict(_Times))
    # Time from submission to result. Unlike a unit's own time, it includes the start of the process and validation.
    _spans: dict[Group, _Times] = field(default_factory=lambda: defaultdict(_Times))
    _begun: dict[str, float] = field(default_factory=dict)
    _at_once: deque[int] = field(default_factory=lambda: deque(maxlen=20))  # number of running units at recent starts

    @classmethod
    def of(cls, rows: list[dict[str, Any]], budgets: Budgets) -> Progress:
        """The progress that a store has recorded; ``rows`` are those of :meth:`Store.progress`."""
        progress = cls(budgets)
        for row in rows:
            group = row["method"], row["kind"]
            progress.rows[group] = dict(row)
            if row["mean_time"] is not None:
                progress._times[group].add(row["mean_time"], row["done"])
                progress._spans[group].add(row["mean_time"], row["done"])
        return progress

    def started(self, unit: Unit) -> None:
        """Count a unit as running."""
        self.running[unit.method, unit.kind] += 1
        self._begun[unit.id] = time.monotonic()
        self._at_once.append(self.running.total())

    def finished(self, unit: Unit, result: Result) -> None:
        """Count the result of a unit."""
        group = unit.method, unit.kind
        self._not_running(group)
        if unit.id in self._begun:
            self._spans[group].add(time.monotonic() - self._begun.pop(unit.id))
        row = self.rows[group]
        row["done"] += 1
        row["solved"] += result.solved
        row["failed"] += result.status == "failed"
        if result.total_time is not None:
            self._times[group].add(result.total_time)
            row["mean_time"] = self._times[group].mean

    def was_lost(self, unit: Unit) -> None:
        """Count a unit as lost; it will be tried again."""
        self.lost += 1
        self._not_running((unit.method, unit.kind))

    def _not_running(self, group: Group) -> None:
        if self.running[group]:
            self.running[group] -= 1

    def total(self, column: str) -> int:
        """The sum of a column (units, done, solved or failed) over all groups."""
        return sum(row[column] for row in self.rows.values())

    def searches(self) -> tuple[int, int]:
        """The numbers of searches that are solved and done."""
        rows = [row for (_, kind), row in self.rows.items() if kind == "search"]
        return sum(row["solved"] for row in rows), sum(row["done"] for row in rows)

    def seconds_left(self, jobs: int) -> float:
        """Estimate the remaining wall-clock time.

        Each remaining unit counts with the mean time of its group, or with its time limit if none of the group has
        ended. The number of units at the same time is the recent one, or ``jobs`` before any unit has started.
        """
        seconds = 0.0
        for group, row in self.rows.items():
            mean = self._spans[group].mean
            budget = self.budgets.train if group[1] == "train" else self.budgets.search
            seconds += (row["units"] - row["done"]) * (budget if mean is None else mean)
        return seconds / max(self._at_once, default=jobs)
