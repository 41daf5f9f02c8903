"""Search over a grounded task: greedy, A*, weighted A*, and searches with several heuristics.

>>> result = search(task, "ff", SearchOptions(time_limit=10))  # doctest: +SKIP
>>> result.status, result.length  # doctest: +SKIP
(<Status.SOLVED: 'solved'>, 34)
"""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Literal

from goalward import _core
from goalward.display import html_list, html_table
from goalward.errors import UsageError
from goalward.measures import format_duration, parse_duration, parse_size
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction, bind_heuristic
from goalward.search.portfolio import (
    LEADS,
    LONGEST_HEAD_START,
    WITHOUT_NETWORK,
    Lead,
    current_lead,
    hybrid_parts,
    portfolio_parts,
)
from goalward.task.states import StateLike, as_state, to_bits
from goalward.task.strips import Ints, Task

Algorithm = Literal["gbfs", "astar", "wastar", "beam", "portfolio", "hybrid"]
ALGORITHMS: dict[str, str] = {
    "gbfs": "greedy best-first search: expand the least h first",
    "astar": "A*: expand the least g + h first; optimal with an admissible heuristic",
    "wastar": "weighted A*: expand the least g + w·h first",
    "beam": "beam search: expand the best states of a layer, as many as the batch size, and forget the others",
    "portfolio": "searches with h_FF and landmarks, goal by goal, and by novelty take turns; needs no other heuristic",
    "hybrid": "the same and searches with a learned heuristic; those with and without it share the time",
}
"""The searches that :class:`SearchOptions` can name."""
FORMER_ALGORITHMS: dict[str, Algorithm] = {"lama": "portfolio"}
"""Names that searches had once: commands, configs and programs may still use them."""
GUIDED = ("portfolio", "hybrid")
ADDING_COSTS = ("astar", "wastar", "beam")  # order states by g and h together

MAX_CORES = 1024

# Batch sizes of searches that take turns with a learned heuristic: narrow, medium, wide.
TURNS = (1, 32, 256)
BEAM_WIDTH = 256  # of beam search unless a batch size is given; not tuned


class Status(Enum):
    """How a search ended."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"  # the whole reachable space was searched
    EXHAUSTED = "exhausted"  # nothing left to expand, but the heuristic may have pruned wrongly
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    CANCELLED = "cancelled"
    OUT_OF_EXPANSIONS = "out of expansions"


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    ``unit_costs`` says what g and the heuristic count: steps, or the costs in the PDDL. None means PDDL costs for A*
    and weighted A*, and steps for the searches that only look for a plan. Limits may be written ``"2m"`` and ``"4G"``;
    None is no limit, and memory is that of the whole process, shared by so many searches ``at_once``. A limit on
    expansions, unlike one on time, ends a search at the same place on every machine.

    ``batch`` is how many of the best states are expanded at once; 1 is plain best-first search. Several numbers make as
    many greedy searches that take turns until one of them ends: a wide search gets out of places where the heuristic
    misleads, a narrow one follows a good heuristic with fewer evaluations. In hybrid search it is about its searches
    with the learned heuristic alone. None is 1, and :data:`TURNS` in hybrid search. ``lead`` is the part of a
    portfolio or hybrid search that begins, ``head_start`` about how many seconds later the others do; None leaves both
    to the heuristic: a learned one was tried with each of them.

    ``cores`` is how many threads the parts of a portfolio or hybrid search and several greedy searches run on. The same
    number gives the same plan on every run. A single search runs on one.
    """

    algorithm: Algorithm = "gbfs"
    weight: float = 5.0
    batch: int | tuple[int, ...] | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    unit_costs: bool | None = None
    expansion_limit: int | None = None
    at_once: int = 1
    lead: Lead | None = None
    head_start: float | None = None
    cores: int = 1

    def __post_init__(self) -> None:
        for name, read in (("time_limit", parse_duration), ("memory_limit", parse_size)):
            limit = getattr(self, name)
            if isinstance(limit, str):  # as people write them: "2m", "4G"
                object.__setattr__(self, name, read(limit))
        for name in (
            "weight",
            "batch",
            "time_limit",
            "memory_limit",
            "expansion_limit",
            "at_once",
            "head_start",
            "cores",
        ):
            value = getattr(self, name)
            parts = value if name == "batch" and isinstance(value, tuple) else () if value is None else (value,)
            if any(isinstance(part, bool) or not isinstance(part, numbers.Real) for part in parts):
                raise UsageError(f"{name} must be a number, but is {value!r}")
        object.__setattr__(self, "algorithm", FORMER_ALGORITHMS.get(self.algorithm, self.algorithm))
        object.__setattr__(self, "lead", current_lead(self.lead))
        if self.algorithm not in ALGORITHMS:
            raise UsageError(f"unknown search {self.algorithm!r} (known: {', '.join(ALGORITHMS)})")
        if not 1 <= len(self.batches) <= 16 or not all(1 <= batch <= 1_000_000 for batch in self.batches):
            shown = ",".join(map(str, self.batches))
            raise UsageError(f"batch is {shown}; it goes from 1 to 1000000, and there are at most 16 of them")
        if self.lead is not None and self.lead not in LEADS:
            raise UsageError(f"{self.lead!r} does not lead in any search (what may: {', '.join(LEADS)})")
        if self.head_start is not None and not 0 < self.head_start <= LONGEST_HEAD_START:
            raise UsageError(f"the head start is {self.head_start} s; it must be above 0, {LONGEST_HEAD_START} at most")
        if len(self.batches) > 1 and self.algorithm not in {"gbfs", "hybrid"}:
            raise UsageError("only greedy searches take turns; give one batch size")
        if self.algorithm == "portfolio" and self.batches != (1,):
            raise UsageError("the search portfolio expands one state at a time; leave the batch size out")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise UsageError(f"weight is {self.weight}; it must be a number of at least 0")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"the time limit is {self.time_limit} s; it must be above 0")
        if self.memory_limit is not None and not 0 < self.memory_limit < 2**63:
            raise UsageError(f"the memory limit is {self.memory_limit} bytes; it must be above 0")
        if not 1 <= self.at_once < 2**31:
            raise UsageError(f"the number of searches at once is {self.at_once}; it must be above 0")
        if not 1 <= self.cores <= MAX_CORES:
            raise UsageError(f"cores must be between 1 and {MAX_CORES}, but is {self.cores}")
        if self.expansion_limit is not None and not 0 < self.expansion_limit < 2**63:
            raise UsageError(f"the limit is {self.expansion_limit} expansions; it must be above 0")

    @property
    def batches(self) -> tuple[int, ...]:
        """The batch size of each search."""
        if self.batch is None:
            return {"hybrid": TURNS, "beam": (BEAM_WIDTH,)}.get(self.algorithm, (1,))
        return (self.batch,) if isinstance(self.batch, int) else self.batch

    @property
    def counts_steps(self) -> bool:
        """Is the cost of a path its number of steps?"""
        return self.algorithm not in ADDING_COSTS if self.unit_costs is None else self.unit_costs

    def native(self) -> _core.SearchOptions:
        """As the native core takes them."""
        return _core.SearchOptions(
            greedy=self.algorithm not in ADDING_COSTS,
            weight=self.weight if self.algorithm == "wastar" else 1.0,
            beam=self.algorithm == "beam",
            unit_costs=self.counts_steps,
            batches=self.batches,
            time_limit=self.time_limit or 0.0,
            memory_limit=self.memory_limit or 0,
            at_once=self.at_once,
            expansion_limit=self.expansion_limit or 0,
            cores=self.cores,
        )


@dataclass(frozen=True)
class Statistics:
    """What a search has done so far."""

    expanded: int
    evaluated: int
    generated: int
    reopened: int
    dead_ends: int
    stored: int
    open: int
    bytes: int
    initial_h: float
    best_h: float
    seconds: float
    # Names and counts, if a search has several heuristics, queues or parts.
    evaluations_by_heuristic: list[tuple[str, int]] = field(default_factory=list)
    expansions_by_queue: list[tuple[str, int]] = field(default_factory=list)
    led_by: str = ""  # the queue that led to the goal, if there are several
    effort_by_part: list[tuple[str, int]] = field(default_factory=list)  # of a portfolio: about nanoseconds, counted
    evicted: list[str] = field(default_factory=list)  # parts that were ended to free memory for the others

    @classmethod
    def of(cls, native: _core.Statistics) -> Statistics:
        """What the native core counted."""
        return cls(**{part.name: getattr(native, part.name) for part in fields(cls)})


@dataclass(frozen=True)
class SearchResult:
    """How a search ended, and the plan if it found one, as operators of the task."""

    task: Task
    status: Status
    plan: tuple[int, ...] | None
    statistics: Statistics

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def _repr_html_(self) -> str:
        figures = self.statistics
        rows = [
            ("status", self.status.value),
            ("steps", None if self.length is None else f"{self.length:,}"),
            ("cost", None if self.cost is None or not self.task.uses_costs else f"{self.cost:,}"),
            ("expanded", f"{figures.expanded:,}"),
            ("evaluated", f"{figures.evaluated:,}"),
            ("h of the initial state", f"{figures.initial_h:g}"),
            ("least h", f"{figures.best_h:g}"),
            ("time", format_duration(figures.seconds)),
        ]
        return html_table(
            f"Search in {self.task.problem_name}", rows, "" if self.steps is None else html_list(self.steps)
        )

    def summary(self, what: str = "") -> str:
        """One line; ``what`` was searched from."""
        what = f" {what}" if what else ""
        steps = "" if self.length is None else f"{self.length:,} steps, "
        time = format_duration(self.statistics.seconds)
        return f"{self.status.value}{what}: {steps}{self.statistics.expanded:,} expansions, {time}"

    @property
    def solved(self) -> bool:
        """Is there a plan?"""
        return self.status is Status.SOLVED

    @property
    def steps(self) -> list[str] | None:
        """The plan's steps, ``(action arg …)``; None without a plan."""
        return None if self.plan is None else [self.task.operators[operator] for operator in self.plan]

    @property
    def length(self) -> int | None:
        """Number of steps; None without a plan."""
        return None if self.plan is None else len(self.plan)

    @property
    def cost(self) -> int | None:
        """Cost of the plan by the PDDL, or its length if the PDDL has no costs; None without a plan."""
        return None if self.plan is None else self.task.cost_of(self.plan)


Progress = Callable[[Statistics], bool | None]


def search(
    task: Task,
    heuristic: str | HeuristicFunction | BoundHeuristic = "ff",
    options: SearchOptions | None = None,
    *,
    init: StateLike | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Search for a plan from ``init``, atoms or a problem file (default: the task's own initial state).

    The searches portfolio and hybrid bring h_FF and landmarks with them: portfolio takes no other heuristic, hybrid one
    that is worth having beside them.

    ``progress`` is called about twenty times a second with the statistics so far and may return False to cancel. The
    interpreter is free for other threads meanwhile. Ctrl-C raises KeyboardInterrupt as usual.
    """
    begun = time.monotonic()
    options = options or SearchOptions()
    bound = (
        heuristic
        if isinstance(heuristic, BoundHeuristic)
        else bind_heuristic(task, heuristic, unit_costs=options.counts_steps)
    )
    if bound.task is not task:
        raise UsageError("the heuristic was bound to another task")

    def heartbeat(native: _core.Statistics) -> bool | None:
        return progress(Statistics.of(native)) if progress else None

    start = task.init if init is None else as_state(task, init)
    told = heartbeat if progress else None
    evaluator, guidance = prepare(bound, options, start)
    if options.time_limit is not None:  # what comes before the search counts
        options = replace(options, time_limit=max(options.time_limit - (time.monotonic() - begun), 1e-3))
    if guidance is not None:
        lead, head_start = options.lead or bound.lead, options.head_start
        if head_start is None and options.lead is None:
            head_start = bound.head_start
        if evaluator is None and lead not in WITHOUT_NETWORK:  # what leads with the network says nothing without it
            lead, head_start = "landmarks", None
        parts = hybrid_parts(options.batches, lead, head_start) if evaluator else portfolio_parts(lead, head_start)
        native = _core.portfolio_search(guidance, evaluator, parts, start, options.native(), told)
        proven = True  # h_FF and landmarks never prune wrongly, and the heuristic beside them does not prune
    else:
        assert evaluator is not None
        native = _core.search(evaluator, start, options.native(), told)
        proven = evaluator.safe and options.algorithm != "beam"
    status = end_status(native.status, proven=proven)
    plan = tuple(native.plan) if status is Status.SOLVED else None
    return SearchResult(task, status, plan, Statistics.of(native.statistics))


def prepare(
    heuristic: BoundHeuristic, options: SearchOptions, init: Ints
) -> tuple[_core.Heuristic | None, _core.Guidance | None]:
    """What a search from ``init`` works with; made once, kept by the heuristic for searches to come."""
    if options.algorithm in ADDING_COSTS:
        heuristic.require_costs(f"the search {options.algorithm}", unit_costs=options.counts_steps)
    if options.algorithm == "portfolio" and heuristic.name != "ff" and not heuristic.learned:
        raise UsageError(
            f"the search portfolio uses h_FF and landmarks alone, not {heuristic.name}; "
            "hybrid takes another beside them"
        )
    if options.algorithm == "hybrid" and heuristic.name == "ff":
        raise UsageError("the search hybrid needs a heuristic beside h_FF, such as a model; without one, use portfolio")
    states = to_bits([init], heuristic.task.n_atoms)
    return (
        None if options.algorithm == "portfolio" else heuristic.evaluator(states),
        heuristic.guidance(states) if options.algorithm in GUIDED else None,
    )


_STATUS = {native: Status[native.name] for native in _core.Status}


def end_status(native: _core.Status, *, proven: bool) -> Status:
    """How a native search ended; that nothing is left to expand proves something if nothing was pruned wrongly."""
    status = _STATUS[native]
    return Status.UNSOLVABLE if status is Status.EXHAUSTED and proven else status
