"""What was measured, one line per method: for tables on a screen. The report room has the figures of the paper."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from goalward.experiments.store import Result, Unit
from goalward.learning.methods import FORMER_METHODS
from goalward.measures import format_break_even

Entry = tuple[Unit, Result]


WITHOUT_TRAINING = ("lama", "portfolio", *FORMER_METHODS)
"""What training has to be faster than, in the long run: the first of these that was measured."""


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
    median_cost: float | None
    median_search_time: float | None
    median_total_time: float | None
    mean_total_time: float | None
    """Over all states, those that were given up too."""
    failure: str | None
    """Why its first failed training failed."""
    break_even: str | None = None
    """Of a method that is trained: after how many states it takes less time than one of :data:`WITHOUT_TRAINING`."""


def summarise(entries: Iterable[Entry]) -> list[MethodSummary]:
    """One line per method, in the order in which they come."""
    by_method: dict[str, list[Entry]] = {}
    for unit, result in entries:
        by_method.setdefault(unit.method, []).append((unit, result))
    summaries = [_summary(method, found) for method, found in by_method.items()]
    others = [summary for name in WITHOUT_TRAINING for summary in summaries if summary.method == name]
    return [_compared(summary, others[0]) if others else summary for summary in summaries]


def _compared(summary: MethodSummary, other: MethodSummary) -> MethodSummary:
    """With the number of states after which training pays, where there is something to say of it."""
    training, each, without = summary.training_time, summary.mean_total_time, other.mean_total_time
    if training is None or each is None or without is None:
        return summary
    return replace(summary, break_even=format_break_even(training, each, without, other.method))


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
        median_cost=_median(result.cost for result in solved),
        median_search_time=_median(result.search_time for result in solved),
        median_total_time=_median(result.total_time for result in solved),
        mean_total_time=_mean([result.total_time for result in searches]),
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
