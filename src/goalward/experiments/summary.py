"""Summarises results, one line per method, for tables on a terminal. The room ``report`` has the paper's figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from goalward.experiments.cost_over_time import KEYS, BreakEven, Curve, break_even, cost_ratios, curve_of
from goalward.experiments.store import Result, Unit
from goalward.learning.methods import FORMER_METHODS

Entry = tuple[Unit, Result]

AS_GOOD = ("lama-full", "portfolio", *FORMER_METHODS)
"""Anytime baselines: the break-even point for plans of equal cost is computed for each of these that was run."""
ANY_PLAN = ("lama", "lama-full", "portfolio", *FORMER_METHODS)
"""The break-even point for any plan is computed for the first of these that was run."""
TIMES = (0.1, 1.0, 10.0)
"""Seconds after which plan costs are compared."""


@dataclass(frozen=True)
class MethodSummary:
    """Figures of one method. Medians are over solved states, means over trainings; None if there are none."""

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
    failure: str | None
    """The error of its first failed training."""
    cost_ratios: dict[float, float] | None = None
    """By seconds: the ratio of :func:`~goalward.experiments.cost_over_time.cost_ratios`."""
    break_even: tuple[BreakEven, ...] = ()
    """For a method that is trained: the break-even points relative to methods that are not."""


def summarise(entries: Iterable[Entry]) -> list[MethodSummary]:
    """Summarise results by method, in order of first appearance."""
    by_method: dict[str, list[Entry]] = {}
    for unit, result in entries:
        kept = {name: result.extra[name] for name in KEYS if name in result.extra}  # drops the rest to save memory
        by_method.setdefault(unit.method, []).append((unit, replace(result, extra=kept)))
    summaries = [_summary(method, found) for method, found in by_method.items()]
    curves = {method: _curves(found) for method, found in by_method.items()}
    return [_with_break_even(summary, curves) for summary in _with_ratios(summaries, curves)]


_State = tuple[str, str, str, str | None]
_Curves = dict[_State, dict[int | None, Curve]]


def _curves(entries: Sequence[Entry]) -> _Curves:
    """The curves of one method's searches, by state and seed."""
    found: _Curves = {}
    for unit, result in entries:
        if unit.kind == "search" and (curve := curve_of(result)) is not None:
            found.setdefault((unit.domain, unit.difficulty, unit.instance, unit.state), {})[unit.seed] = curve
    return found


def _with_ratios(summaries: list[MethodSummary], curves: dict[str, _Curves]) -> list[MethodSummary]:
    """Add cost ratios if at least two methods found plans; a state with several seeds counts as several states."""
    own = {seed for found in curves.values() for by_seed in found.values() for seed in by_seed if seed is not None}
    seeds: list[int | None] = [*sorted(own)] or [None]
    by_seed = {
        method: {
            (*state, seed): curve
            for state, seeded in found.items()
            for seed in seeds
            if (curve := seeded.get(seed, seeded.get(None))) is not None
        }
        for method, found in curves.items()
    }
    solved = sum(any(curve.plans for curve in found.values()) for found in by_seed.values())
    if solved < 2:
        return summaries
    reached = max(curve.seconds for found in by_seed.values() for curve in found.values())
    times = [seconds for seconds in TIMES if seconds == TIMES[0] or seconds <= reached]
    ratios = cost_ratios(by_seed, times)
    return [
        replace(summary, cost_ratios=dict(zip(times, known, strict=True)))
        if (known := ratios[summary.method]) is not None
        else summary
        for summary in summaries
    ]


def _with_break_even(summary: MethodSummary, curves: dict[str, _Curves]) -> MethodSummary:
    """Add the break-even points of a method that was trained."""
    if summary.training_time is None:
        return summary
    ours = curves[summary.method]
    wanted = [(name, True) for name in AS_GOOD if name in curves]
    wanted += [(name, False) for name in [name for name in ANY_PLAN if name in curves][:1]]
    found = []
    for name, as_good in wanted:
        pairs = [
            (curve, theirs)
            for state, by_seed in ours.items()
            for curve in by_seed.values()
            for theirs in curves[name].get(state, {}).values()
        ]
        found.append(break_even(name, summary.training_time, pairs, as_good=as_good))
    return replace(summary, break_even=tuple(one for one in found if one is not None))


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
