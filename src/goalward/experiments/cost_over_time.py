"""Plan cost over time: a curve per run, ratios over many states, and the break-even point of training.

``goalward compare`` and the report both use these functions, so their figures mean the same.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from goalward.experiments.records import Result
from goalward.measures import counted, format_duration, format_short_duration

MIN_SAVED_SECONDS = 0.001
"""Seconds per state that must be saved before training can pay; smaller differences are noise."""
PENALTY = 2.0
"""Until a run has a plan for a state, its cost counts as this factor times the highest known plan cost of the state."""
KEYS = ("preparation", "first_plan_time", "first_cost", "better_plans")
"""The keys of a result's ``extra`` that :func:`curve_of` reads."""

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Curve:
    """The plans that one run found for a state, each cheaper than the one before, as (seconds, cost).

    Seconds count from the beginning of the run and include reading, grounding or loading. ``seconds`` is its total
    duration.
    """

    plans: tuple[tuple[float, float], ...]
    seconds: float

    @property
    def cost(self) -> float:
        """Cost of the last plan; infinite without one."""
        return self.plans[-1][1] if self.plans else math.inf

    def cost_at(self, seconds: float) -> float:
        """Cost of the best plan found within this time; infinite if there was none."""
        return min((cost for found, cost in self.plans if found <= seconds), default=math.inf)

    def time_until(self, cost: float) -> float | None:
        """Seconds until the first plan that costs at most ``cost``; None if there is none."""
        return next((found for found, reached in self.plans if reached <= cost), None)


def curve_of(result: Result) -> Curve | None:
    """The curve of a search; None if its time, or the cost of its plan, is unknown.

    A plan of unknown time counts as found at the end.
    """
    total = result.total_time
    if total is None or (result.solved and result.cost is None):
        return None
    if not result.solved or result.cost is None:
        return Curve((), total)
    extra = result.extra
    preparation, better = extra.get("preparation"), extra.get("better_plans") or []
    first = extra.get("first_plan_time", result.search_time)
    if first is None or (preparation is None and not better):
        return Curve(((total, float(result.cost)),), total)
    first_cost = extra.get("first_cost")
    plans = [(first, result.cost if first_cost is None else first_cost), *((found, cost) for found, cost, _ in better)]
    begun = preparation or 0.0
    return Curve(tuple((min(begun + found, total), float(cost)) for found, cost in plans), total)


@dataclass(frozen=True)
class BreakEven:
    """The number of states after which training plus solving takes less time than a baseline without training.

    With ``as_good``, the baseline's time for a state ends with its first plan that costs at most as much as ours.
    Otherwise both times end with the first plan. If the baseline finds no such plan (``unmatched`` of ``compared``
    states), all of its time counts, and ``states`` is an upper bound. ``states`` is None if training was not shown to
    pay.
    """

    baseline: str
    as_good: bool
    training: float
    seconds: float
    """Mean time for a state with what was learned."""
    baseline_seconds: float
    compared: int
    unmatched: int
    states: int | None

    @property
    def text(self) -> str:
        """The result as one sentence."""
        goal = f"compared with {'plans as good' if self.as_good else 'any plan'} from {self.baseline}"
        ours, theirs = format_short_duration(self.seconds), format_short_duration(self.baseline_seconds)
        times = f"{ours} per state against {theirs}"
        if self.unmatched:
            times += f"; {self.baseline} found no plan for {self.unmatched} of {counted(self.compared, 'state')}"
        if self.states is not None:
            states = f"{'at most ' if self.unmatched else ''}{counted(self.states, 'state')}"
            training = f"{format_duration(self.training)} of training"
            return f"{goal}, training pays off after {states} ({training}, then {times})"
        if self.unmatched:
            return f"{goal}, it is not known when training pays off ({times})"
        return f"{goal}, training does not pay off ({times})"


def break_even(
    baseline: str, training: float, pairs: Iterable[tuple[Curve, Curve]], *, as_good: bool
) -> BreakEven | None:
    """The break-even point, from pairs of curves (with the model, baseline) of the same states; None without pairs.

    A state that was not solved with the model costs the model's time and saves none of the baseline's.
    """
    ours: list[float] = []
    theirs: list[float] = []
    unmatched = 0
    for learned, other in pairs:
        first = learned.time_until(math.inf)
        ours.append(learned.seconds if as_good or first is None else first)
        reached = 0.0 if first is None else other.time_until(learned.cost if as_good else math.inf)
        unmatched += reached is None
        theirs.append(other.seconds if reached is None else reached)
    if not ours:
        return None
    each, other_each = statistics.fmean(ours), statistics.fmean(theirs)
    saved = other_each - each
    states = math.ceil(training / saved) if saved >= MIN_SAVED_SECONDS else None
    return BreakEven(baseline, as_good, training, each, other_each, len(ours), unmatched, states)


def log_ratios(
    curves: Mapping[str, Mapping[State, Curve]], times: Sequence[float]
) -> dict[str, dict[State, list[float]]]:
    """By method and state: at each time, the logarithm of the plan cost divided by the best known cost of the state.

    The best known cost is over all methods and times. Before a method has a plan, its cost counts as :data:`PENALTY`
    times the highest plan cost of any method. States that no method solved are left out. Costs below 1 count as 1, to
    avoid division by zero.
    """
    known: dict[State, list[float]] = {}
    for by_state in curves.values():
        for state, curve in by_state.items():
            known.setdefault(state, []).extend(max(cost, 1.0) for _, cost in curve.plans)
    found: dict[str, dict[State, list[float]]] = {}
    for method, by_state in curves.items():
        found[method] = {}
        for state, curve in by_state.items():
            if known[state]:
                best, unsolved = min(known[state]), PENALTY * max(known[state])
                costs = [max(curve.cost_at(seconds), 1.0) for seconds in times]
                found[method][state] = [math.log(min(cost, unsolved) / best) for cost in costs]
    return found


def cost_ratios(curves: Mapping[str, Mapping[State, Curve]], times: Sequence[float]) -> dict[str, list[float] | None]:
    """By method: at each time, the geometric mean over states of the ratios of :func:`log_ratios`.

    None for a method that was not run on all states that some method solved: its mean would be over other states.
    """
    logs = log_ratios(curves, times)
    states = {state for by_state in logs.values() for state in by_state}
    return {
        method: [math.exp(statistics.fmean(column)) for column in zip(*by_state.values(), strict=True)]
        if by_state and by_state.keys() == states
        else None
        for method, by_state in logs.items()
    }
