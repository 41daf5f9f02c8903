"""Solving one state: search, check the plan on the PDDL, say what happened.

Everything that plans comes through :func:`solve`: ``goalward plan``, ``solve`` and ``compare``, experiments, and the
validation of models. How a state is searched where nobody says otherwise stands here too.

>>> outcome = solve(initial_state(task), "ff", default_search(learned=False))  # doctest: +SKIP
>>> outcome.status, outcome.length, outcome.search_time  # doctest: +SKIP
(<Status.SOLVED: 'solved'>, 34, 0.02)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from goalward.errors import GoalwardError
from goalward.search.best_first import (
    TURNS,
    Algorithm,
    Progress,
    SearchOptions,
    SearchResult,
    Statistics,
    Status,
    search,
)
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction, bind_heuristic
from goalward.task.lifted import Domain
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.plan_file import format_plan
from goalward.task.states import format_problem
from goalward.task.strips import Ints, Task
from goalward.task.validate import validate_plan

TIME_LIMIT = 30.0
"""Seconds for one state of many, where nobody says otherwise."""


def default_search(
    *, learned: bool, algorithm: Algorithm | None = None, batch: int | tuple[int, ...] | None = None
) -> SearchOptions:
    """How to search; None stands for what is best with a learned heuristic, or with one known by name.

    A learned heuristic may mislead, so greedy searches of several widths take turns with it.
    """
    algorithm = algorithm or "gbfs"
    if batch is None:
        batch = TURNS if learned and algorithm == "gbfs" else 1
    return SearchOptions(algorithm=algorithm, batch=batch)


@dataclass(frozen=True, eq=False)
class Start:
    """A state to begin at, on the atoms of its task.

    ``text`` is the PDDL problem that it was read from; plans are checked on that. A state that was never PDDL (the end
    of a random walk, say) is written as PDDL for the check.
    """

    task: Task
    atoms: Ints
    text: str | None = None
    source: str = "this state"


def initial_state(task: Task) -> Start:
    """The state in which the task itself begins."""
    return Start(task, task.init, task.problem_text, task.problem_name)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one state. Its plan, if there is one, was accepted by the checker that works on the PDDL."""

    start: Start
    heuristic: str
    found: SearchResult

    def __repr__(self) -> str:
        return f"<{self.found.summary(self.start.source)}>"

    def _repr_html_(self) -> str:
        return self.found._repr_html_()

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
        """The plan as operators of the task."""
        return self.found.plan

    @property
    def steps(self) -> list[str] | None:
        """The plan's steps, ``(action arg …)``."""
        return self.found.steps if self.solved else None

    @property
    def length(self) -> int | None:
        """Number of steps."""
        return self.found.length if self.solved else None

    @property
    def cost(self) -> int | None:
        """Cost of the plan by the PDDL; its length where the PDDL has no costs."""
        return self.found.cost if self.solved else None

    @property
    def plan_text(self) -> str:
        """What a plan file holds; only a state that was solved has one."""
        return format_plan(self.found.steps, self.found.cost, not self.start.task.uses_costs)

    @property
    def statistics(self) -> Statistics:
        """What the search did."""
        return self.found.statistics

    @property
    def search_time(self) -> float:
        """Seconds of search."""
        return self.statistics.seconds

    def record(self) -> dict[str, Any]:
        """All figures by name, as JSON and tables can hold them.

        What is infinite or missing is None; counts by heuristic and by queue are there if the search has several.
        """
        figures = {name: value for name, value in asdict(self.statistics).items() if value != []}
        figures["search_time"] = round(figures.pop("seconds"), 6)
        return {"status": self.status.value, "plan_length": self.length, "cost": self.cost} | {
            name: _plain(value) for name, value in figures.items()
        }


def _plain(value: Any) -> Any:
    if isinstance(value, list):  # counts by the name of a heuristic or of a queue
        return dict(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def solve(
    start: Start,
    heuristic: str | HeuristicFunction | BoundHeuristic,
    options: SearchOptions,
    *,
    progress: Progress | None = None,
) -> Outcome:
    """Search from a state and check the plan; ``progress`` is that of :func:`~goalward.search.search`."""
    bound = (
        heuristic
        if isinstance(heuristic, BoundHeuristic)
        else bind_heuristic(start.task, heuristic, unit_costs=options.counts_steps)
    )
    found = search(start.task, bound, options, init=start.atoms, progress=progress)
    if found.solved:
        check_plan(start, found.steps)
    return Outcome(start, bound.name, found)


def solve_all(
    starts: Sequence[Start],
    heuristic_for: Callable[[Task], BoundHeuristic],
    options: SearchOptions,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Solve each state, ``jobs`` of them at a time, and give the outcomes in order.

    Native search leaves the interpreter free, so threads are enough; each has a heuristic of its own.
    """
    idle: list[BoundHeuristic | None] = [None] * jobs

    def one(start: Start) -> Outcome:
        heuristic = idle.pop()
        if heuristic is None or heuristic.task is not start.task:
            heuristic = heuristic_for(start.task)
        try:
            return solve(start, heuristic, options, progress=progress)
        finally:
            idle.append(heuristic)

    if jobs == 1:
        yield from map(one, starts)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, starts)


def check_plan(start: Start, steps: Sequence[str]) -> None:
    """No plan leaves this program unless the checker, which shares no code with search, accepts it.

    A task that was made from arrays, not from PDDL, has nothing that a plan could be checked on.
    """
    if not start.task.domain_text:
        return
    domain = _lifted_domain(start.task.domain_text)
    text = format_problem(start.task, start.atoms, "state") if start.text is None else start.text
    problem = parse_problem(text, start.source, domain)
    verdict = validate_plan(domain, problem, [tuple(step[1:-1].split()) for step in steps])
    if not verdict.valid:
        raise GoalwardError(f"goalward found a plan that its own checker rejects; please report this: {verdict.reason}")


@lru_cache(maxsize=4)
def _lifted_domain(text: str) -> Domain:
    return parse_domain(text, "the domain of the task")
