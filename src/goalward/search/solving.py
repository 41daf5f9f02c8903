"""Solving one state: search, improve the plan, check it on the PDDL, say what happened.

Everything that plans comes through :func:`solve`: ``goalward plan``, ``solve`` and ``compare``, experiments, and the
validation of models. How a state is searched where nobody says otherwise stands here too.

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

from goalward.errors import UsageError
from goalward.measures import parse_duration
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
"""Seconds for one state of many, where nobody says otherwise."""
SHORT = 0.1
"""Seconds that a plan is improved for at least. Not tuned: what a user does not notice."""
LONG = 0.25
"""Seconds that a plan is improved for at most after a search that took no longer."""


@dataclass(frozen=True)
class Improvement:
    """How long a plan is improved once it has been found, never past the limit of its search.

    By default (None) improvement ends if it has found nothing for as long as it took to get there, and at least for
    :data:`SHORT`. It takes at most :data:`LONG`, or as long as the search took if that is longer.
    """

    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"a plan is to be improved for {self.seconds} s; that must be above 0")

    @classmethod
    def of(cls, value: Improvement | float | str | None) -> Improvement | None:
        """From what people write: a number of seconds, ``"10s"``, or None or ``"none"`` for no improvement."""
        if value is None or isinstance(value, Improvement):
            return value
        if isinstance(value, str) and value.strip().lower() == "none":
            return None
        return cls(parse_duration(value))

    def limits(self, search_time: float, limit: float | None) -> dict[str, Any]:
        """The limits of improvement after a search of so many seconds.

        By default it is effort that counts, not the clock: after a short search the same command gives the same plan.
        """
        left = math.inf if limit is None else limit - search_time
        if self.seconds is not None:
            return {"time_limit": None if math.isinf(min(self.seconds, left)) else min(self.seconds, left)}
        effort, most = max(SHORT, search_time * SHORT / LONG), max(LONG, search_time)
        return {
            "effort_limit": round(effort * EFFORT_PER_SECOND),
            "most_effort": round(most * EFFORT_PER_SECOND),
            "time_limit": None if limit is None else left,
        }


WHILE_IT_PAYS = Improvement()
"""What users get who do not ask for anything else."""
UNTIL_THE_END = Improvement(math.inf)
"""Until the limit of the search, or until there is nothing left to try."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one state. Its plan, if there is one, was accepted by the checker that works on the PDDL."""

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
        """The search, as if it had found the improved plan."""
        return replace(self.found, plan=self.plan)

    @property
    def status(self) -> Status:
        """How it ended."""
        return self.found.status

    @property
    def solved(self) -> bool:
        """Is there a plan?"""
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
        """What a plan file holds; only a state that was solved has one."""
        return format_plan(self.steps or [], self.cost or 0, not self.start.task.uses_costs)

    @property
    def statistics(self) -> Statistics:
        """What the search did."""
        return self.found.statistics

    @property
    def measured_by(self) -> str:
        """Whose values ``initial_h`` and ``best_h`` are: of several heuristics, those of the first."""
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
        """Seconds from the beginning of the search until the plan was found."""
        better = self.improved.better if self.improved is not None else ()
        return self.search_time + (better[-1].seconds if better else 0.0)

    @property
    def better_plans(self) -> list[tuple[float, int, str]]:
        """Each plan that beat the one before it: seconds since the search began, cost, and what found it."""
        better = () if self.improved is None else self.improved.better
        return [(round(self.search_time + plan.seconds, 6), plan.cost, plan.by) for plan in better]

    def record(self) -> dict[str, Any]:
        """All figures by name, as JSON and tables can hold them.

        What is infinite or missing is None; counts by heuristic and by queue are there if the search has several.
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
    """Search from a state, improve the plan if asked to, and check it.

    ``progress`` is that of :func:`~goalward.search.search`; it is called while the plan is improved too, where False
    keeps the best plan so far, unless ``improving`` is there for that. ``on_plan`` gets the outcome so far with each
    plan, one better than the other and all checked, as they are found; a plan that is beaten within a twentieth of a
    second is left out.
    """
    begun = time.monotonic()
    bound = (
        heuristic
        if isinstance(heuristic, BoundHeuristic)
        else bind_heuristic(start.task, heuristic, unit_costs=options.counts_steps)
    )
    found = search(start.task, bound, options, init=start.atoms, progress=progress)
    name = "ff" if options.algorithm == "portfolio" else bound.name  # the portfolio leaves a model out
    known: tuple[int, ...] | None = None

    def tell(improved: ImprovedPlan | None) -> None:
        nonlocal known
        outcome = Outcome(start, name, found, improved)
        if on_plan is not None and outcome.plan is not None and outcome.plan != known:
            known = outcome.plan
            check_plan(start, outcome.steps or [])
            on_plan(outcome)

    def heard(so_far: ImprovedPlan) -> bool | None:
        tell(so_far)
        if improving is not None:
            return improving(so_far)
        return progress(found.statistics) if progress else None

    tell(None)
    if options.time_limit is not None:  # what came before the search, and what its plan was checked for, counts
        others = time.monotonic() - begun - found.statistics.seconds
        options = replace(options, time_limit=max(options.time_limit - others, 1e-3))
    improved = _improve(start, bound, found, options, improve, heard)
    tell(improved)
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
        found.plan, init=start.atoms, **limits, memory_limit=options.memory_limit, at_once=options.at_once,
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
    """Solve each state, ``jobs`` of them at a time, and give the outcomes in order.

    Native search leaves the interpreter free, so threads are enough; each has a heuristic of its own, and an equal part
    of the memory.
    """
    jobs = min(jobs, max(len(starts), 1))
    options = replace(options, at_once=jobs)
    idle: list[BoundHeuristic | None] = [None] * jobs

    def one(start: Start) -> Outcome:
        heuristic = idle.pop()
        if heuristic is None or heuristic.task is not start.task:
            heuristic = heuristic_for(start.task)
        try:
            return solve(start, heuristic, options, improve=improve, progress=progress)
        finally:
            idle.append(heuristic)

    if jobs == 1:
        yield from map(one, starts)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, starts)
