"""Solves a state: searches for a plan, improves it, validates it on the PDDL, and reports the outcome.

Every command that plans uses :func:`solve`: ``goalward plan``, ``solve`` and ``compare``, experiments, and the
validation of models.

>>> outcome = solve(initial_state(task), "ff", default_search(learned=False))  # doctest: +SKIP
>>> outcome.status, outcome.length, outcome.search_time  # doctest: +SKIP
(<Status.SOLVED: 'solved'>, 34, 0.02)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

from goalward.declared import DURATION
from goalward.errors import UsageError
from goalward.search.best_first import (
    Progress,
    SearchOptions,
    SearchResult,
    Statistics,
    Status,
    search,
)
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction, bind_heuristic
from goalward.search.improve import ImprovedPlan, ImproveProgress, Improver
from goalward.search.portfolio import EFFORT_PER_SECOND
from goalward.search.starts import Start, check_plan
from goalward.task.plan_file import format_plan
from goalward.task.strips import Task

TIME_LIMIT = 30.0
"""Default time limit for each of several states, in seconds."""
MIN_IMPROVE_TIME = 0.1
"""Minimum time for improving a plan, in seconds. Not tuned: users do not notice it."""
MAX_IMPROVE_TIME = 0.25
"""Maximum time for improving a plan, in seconds, unless the search took longer."""
_IMPROVEMENT = replace(DURATION, expected="a duration such as 10s, or none")


@dataclass(frozen=True)
class Improvement:
    """The time for improving a plan after the search, within the time limit of the search.

    By default (None), improvement stops early if it finds no better plan, but not before 0.1 s. It takes at most
    0.25 s, or as long as the search took if that is longer.
    """

    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"the time for improving a plan must be above 0 s, but is {self.seconds}")

    @classmethod
    def of(cls, value: Improvement | float | str | None, name: str = "improve") -> Improvement | None:
        """Read a number of seconds, a duration such as ``"10s"``, or None or ``"none"`` for no improvement.

        ``name`` is the name of the option, for error messages.
        """
        if value is None or isinstance(value, Improvement):
            return value
        if isinstance(value, str) and value.strip().lower() == "none":
            return None
        return cls(_IMPROVEMENT.named(name, value))

    def limits(self, search_time: float, limit: float | None) -> dict[str, Any]:
        """The limits of improvement, as arguments of :meth:`Improver.improve`.

        ``search_time`` is the time that the search took and ``limit`` its time limit. By default, effort is limited and
        not time, so that the same command gives the same plan after a short search.
        """
        time_left = math.inf if limit is None else limit - search_time
        if self.seconds is not None:
            seconds = min(self.seconds, time_left)
            return {"time_limit": None if math.isinf(seconds) else seconds}
        min_time = max(MIN_IMPROVE_TIME, search_time * MIN_IMPROVE_TIME / MAX_IMPROVE_TIME)
        max_time = max(MAX_IMPROVE_TIME, search_time)
        return {
            "effort_limit": round(min_time * EFFORT_PER_SECOND),
            "max_effort": round(max_time * EFFORT_PER_SECOND),
            "time_limit": None if limit is None else time_left,
        }


DEFAULT_IMPROVEMENT = Improvement()
"""Improvement that stops early if it finds nothing."""
UNLIMITED_IMPROVEMENT = Improvement(math.inf)
"""Improvement until the limit of the search, or until nothing is left to try."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of solving a state. Its plan, if there is one, was validated on the PDDL."""

    start: Start
    heuristic: str
    found: SearchResult
    improved: ImprovedPlan | None = None

    def __repr__(self) -> str:
        return f"<{self._best.summary(self.start.source if self.start.text is not None else '')}>"

    def _repr_html_(self) -> str:
        return self._best._repr_html_()

    @property
    def _best(self) -> SearchResult:
        """The search result with the improved plan in place of the first one."""
        return replace(self.found, plan=self.plan)

    @property
    def status(self) -> Status:
        """The status of the search."""
        return self.found.status

    @property
    def solved(self) -> bool:
        """True if there is a plan."""
        return self.status is Status.SOLVED

    @property
    def plan(self) -> tuple[int, ...] | None:
        """The best plan as operators of the task."""
        return self.found.plan if self.improved is None else self.improved.plan

    @property
    def steps(self) -> list[str] | None:
        """The plan's steps, ``(action arg …)``; None without a plan."""
        return None if self.plan is None else [self.start.task.operators[operator] for operator in self.plan]

    @property
    def length(self) -> int | None:
        """Number of steps; None without a plan."""
        return None if self.plan is None else len(self.plan)

    @property
    def cost(self) -> int | None:
        """Cost of the plan by the PDDL, or its length if the PDDL has no costs; None without a plan."""
        return None if self.plan is None else self.start.task.cost_of(self.plan)

    @property
    def plan_text(self) -> str:
        """The text of a plan file, for a state that was solved."""
        return format_plan(self.steps or [], self.cost or 0, not self.start.task.uses_costs)

    @property
    def statistics(self) -> Statistics:
        """The statistics of the search."""
        return self.found.statistics

    @property
    def measured_by(self) -> str:
        """The heuristic of ``initial_h`` and ``best_h``: the first one if the search has several."""
        several = self.statistics.evaluations_by_heuristic
        return several[0][0] if several else self.heuristic

    @property
    def search_time(self) -> float:
        """Seconds of search."""
        return self.statistics.seconds

    @property
    def improve_time(self) -> float:
        """Seconds of improvement after the search."""
        return 0.0 if self.improved is None else self.improved.seconds

    @property
    def found_after(self) -> float:
        """Seconds from the start of the search until the best plan was found."""
        better = self.improved.better if self.improved is not None else ()
        return self.search_time + (better[-1].seconds if better else 0.0)

    @property
    def better_plans(self) -> list[tuple[float, int, str]]:
        """Each better plan as (seconds since the start of the search, cost, name of the technique that found it)."""
        better = () if self.improved is None else self.improved.better
        return [(round(self.search_time + plan.seconds, 6), plan.cost, plan.by) for plan in better]

    def record(self) -> dict[str, Any]:
        """All figures by name, for JSON and tables.

        Infinite and missing values are None. Counts by heuristic and by queue are included if there are several.
        """
        figures = {name: value for name, value in asdict(self.statistics).items() if value != []}
        figures["search_time"] = round(figures.pop("seconds"), 6)
        figures |= {
            "first_plan_length": self.found.length,
            "first_cost": self.found.cost,
            "improve_time": round(self.improve_time, 6),
        }
        return {"status": self.status.value, "plan_length": self.length, "cost": self.cost} | {
            name: _plain(value) for name, value in figures.items()
        }


def _plain(value: Any) -> Any:
    if isinstance(value, list) and not isinstance(value[0], str):  # counts by the name of a heuristic or of a queue
        return dict(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


OnPlan = Callable[[Outcome], None]


def solve(
    start: Start,
    heuristic: str | HeuristicFunction | BoundHeuristic,
    options: SearchOptions,
    *,
    improve: Improvement | None = None,
    progress: Progress | None = None,
    improving: ImproveProgress | None = None,
    on_plan: OnPlan | None = None,
) -> Outcome:
    """Search for a plan from a state, improve it if ``improve`` is given, and validate it.

    ``progress`` is called as in :func:`~goalward.search.search`, during the improvement too, unless ``improving`` is
    given for that. Returning False during the improvement keeps the best plan so far. ``on_plan`` is called with the
    outcome so far for each plan that is found. Each plan is better than the one before, and validated. Plans that are
    replaced within a twentieth of a second may be left out.
    """
    started = time.monotonic()
    bound = (
        heuristic
        if isinstance(heuristic, BoundHeuristic)
        else bind_heuristic(start.task, heuristic, unit_costs=options.counts_steps)
    )
    found = search(start.task, bound, options, init=start.atoms, progress=progress)
    name = "ff" if options.algorithm == "portfolio" else bound.name  # a portfolio ignores the model
    reported: tuple[int, ...] | None = None

    def report_plan(improved: ImprovedPlan | None) -> None:
        nonlocal reported
        outcome = Outcome(start, name, found, improved)
        if on_plan is not None and outcome.plan is not None and outcome.plan != reported:
            reported = outcome.plan
            check_plan(start, outcome.steps or [])
            on_plan(outcome)

    def on_progress(so_far: ImprovedPlan) -> bool | None:
        report_plan(so_far)
        if improving is not None:
            return improving(so_far)
        return progress(found.statistics) if progress else None

    report_plan(None)
    if options.time_limit is not None:  # includes the time for preparation and for validating the first plan
        overhead = time.monotonic() - started - found.statistics.seconds
        options = replace(options, time_limit=max(options.time_limit - overhead, 1e-3))
    improved = _improve(start, bound, found, options, improve, on_progress)
    report_plan(improved)
    outcome = Outcome(start, name, found, improved)
    if outcome.steps is not None:
        check_plan(start, outcome.steps)
    return outcome


def _improve(
    start: Start,
    heuristic: BoundHeuristic,
    found: SearchResult,
    options: SearchOptions,
    improve: Improvement | None,
    progress: ImproveProgress,
) -> ImprovedPlan | None:
    if improve is None or found.plan is None:
        return None
    limits = improve.limits(found.statistics.seconds, options.time_limit)
    if limits["time_limit"] is not None and limits["time_limit"] <= 0:
        return None
    improver = Improver(start.task, unit_costs=options.unit_costs, heuristic=heuristic)
    return improver.improve(
        found.plan, init=start.atoms, **limits, memory_limit=options.memory_limit, n_concurrent=options.n_concurrent,
        cores=options.cores, progress=progress,
    )  # fmt: skip


def solve_all(
    starts: Sequence[Start],
    heuristic_for: Callable[[Task], BoundHeuristic],
    options: SearchOptions,
    *,
    jobs: int = 1,
    improve: Improvement | None = None,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Solve each state, ``jobs`` of them at a time, and yield the outcomes in order.

    It uses threads, since native search releases the interpreter lock. Each thread has its own heuristic and an equal
    part of the memory.
    """
    jobs = min(jobs, max(len(starts), 1))
    options = replace(options, n_concurrent=jobs)
    idle_heuristics: list[BoundHeuristic | None] = [None] * jobs

    def solve_one(start: Start) -> Outcome:
        heuristic = idle_heuristics.pop()
        if heuristic is None or heuristic.task is not start.task:
            heuristic = heuristic_for(start.task)
        try:
            return solve(start, heuristic, options, improve=improve, progress=progress)
        finally:
            idle_heuristics.append(heuristic)

    if jobs == 1:
        yield from map(solve_one, starts)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(solve_one, starts)
