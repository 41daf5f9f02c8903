"""What was measured, one line per method: for tables on a screen. The report room has the figures of the paper."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goalward.experiments.store import Result, Unit

Entry = tuple[Unit, Result]


@dataclass(frozen=True)
class MethodSummary:
    """All units of a method. Medians are over solved states, means over trainings; None where there is nothing."""

    method: str
    solved: int
    states: int
    training_time: float | None
    median_expansions: float | None
    evaluations_per_second: float | None
    median_plan_length: float | None
    median_search_time: float | None
    median_total_time: float | None
    failure: str | None
    """Why its first failed training failed."""


def summarise(entries: Iterable[Entry]) -> list[MethodSummary]:
    """One line per method, in the order in which they come."""
    by_method: dict[str, list[Entry]] = {}
    for unit, result in entries:
        by_method.setdefault(unit.method, []).append((unit, result))
    return [_summary(method, found) for method, found in by_method.items()]


def _summary(method: str, entries: Sequence[Entry]) -> MethodSummary:
    trainings = [result for unit, result in entries if unit.kind == "train"]
    searches = [result for unit, result in entries if unit.kind == "search"]
    solved = [result for result in searches if result.solved]
    trained = [result.total_time for result in trainings if result.status == "trained"]
    failed = [result.error or result.status for result in trainings if result.status != "trained"]
    counted = [(r.evaluations, r.search_time) for r in searches if r.evaluations is not None and r.search_time]
    evaluations, seconds = (sum(column) for column in zip(*counted, strict=True)) if counted else (0, 0.0)
    return MethodSummary(
        method=method,
        solved=len(solved),
        states=len(searches),
        training_time=_mean(trained),
        median_expansions=_median(result.expansions for result in solved),
        evaluations_per_second=evaluations / seconds if seconds else None,
        median_plan_length=_median(result.plan_length for result in solved),
        median_search_time=_median(result.search_time for result in solved),
        median_total_time=_median(result.total_time for result in solved),
        failure=failed[0] if failed else None,
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _median(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return statistics.median(known) if known else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return statistics.fmean(known) if known else None
