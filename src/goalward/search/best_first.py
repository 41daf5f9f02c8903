"""Search over a grounded task: greedy, A*, weighted A*, beam search, and portfolios of searches.

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
from goalward.declared import DURATION, SIZE
from goalward.display import html_list, html_table
from goalward.errors import UsageError
from goalward.former_names import renamed_fields
from goalward.measures import format_duration
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction, bind_heuristic
from goalward.search.portfolio import (
    LEADS,
    LEADS_WITHOUT_NETWORK,
    MAX_HEAD_START,
    Lead,
    current_lead,
    hybrid_parts,
    portfolio_parts,
)
from goalward.task.states import StateLike, as_state, to_bits
from goalward.task.strips import Ints, Task

Algorithm = Literal["gbfs", "astar", "wastar", "beam", "portfolio", "hybrid"]
ALGORITHMS: dict[str, str] = {
    "gbfs": "greedy best-first search: expands the state with minimum h first",
    "astar": "A*: expands the state with minimum g + h first; optimal with an admissible heuristic",
    "wastar": "weighted A*: expands the state with minimum g + w·h first",
    "beam": "beam search: expands the best states of each layer, as many as the batch size, and drops the others",
    "portfolio": "searches by h_FF and landmarks, by goal agenda and by novelty take turns; needs no heuristic",
    "hybrid": "the portfolio and searches with a learned heuristic share the time",
}
"""The search algorithms by name."""
FORMER_ALGORITHMS: dict[str, Algorithm] = {"lama": "portfolio"}
"""Former names of algorithms; commands, configs and programs may still use them."""
GUIDED = ("portfolio", "hybrid")
"""Algorithms that run several searches, among them searches with h_FF and landmarks."""
COST_SENSITIVE = ("astar", "wastar", "beam")
"""Algorithms that order states by g and h."""

MAX_CORES = 1024

TURNS = (1, 32, 256)
"""Default batch sizes of the searches with a learned heuristic that take turns."""
DEFAULT_BEAM_WIDTH = 256
"""Width of beam search unless a batch size is given. Not tuned."""


class Status(Enum):
    """The reason why a search ended."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"  # all reachable states were searched
    EXHAUSTED = "exhausted"  # nothing left to expand, but solvable states may have been pruned
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    CANCELLED = "cancelled"
    OUT_OF_EXPANSIONS = "out of expansions"


@renamed_fields(at_once="n_concurrent")
@dataclass(frozen=True)
class SearchOptions:
    """Options of a search.

    With ``unit_costs``, g and the heuristic count steps, and otherwise the costs in the PDDL. None means PDDL costs for
    algorithms that order states by g and h, and steps for all others. Limits may be written as ``"2m"`` and ``"4G"``;
    None means no limit. The memory limit is for the whole process, and ``n_concurrent`` searches share it equally. With
    an expansion limit, unlike a time limit, a search ends in the same state on every machine.

    ``batch`` is the number of states that are expanded together; 1 is plain best-first search. With several numbers,
    greedy searches with these batch sizes take turns until one of them ends: large batches escape from regions where
    the heuristic is misleading, small ones need fewer evaluations if the heuristic is good. In hybrid search these are
    the searches with the learned heuristic only. None means 1, in hybrid search :data:`TURNS`, and in beam search 256.

    ``lead`` is the part of a portfolio or hybrid search that starts first, and ``head_start`` the time in seconds
    before the others start. None means the values that suit the heuristic: training tries them with learned ones.

    ``cores`` is the number of threads for searches that take turns. The same number gives the same plan on every run.
    A single search uses one thread.
    """

    algorithm: Algorithm = "gbfs"
    weight: float = 5.0
    batch: int | tuple[int, ...] | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    unit_costs: bool | None = None
    expansion_limit: int | None = None
    n_concurrent: int = 1
    lead: Lead | None = None
    head_start: float | None = None
    cores: int = 1

    def __post_init__(self) -> None:
        for name, kind in (("time_limit", DURATION), ("memory_limit", SIZE)):
            limit = getattr(self, name)
            if isinstance(limit, str):
                object.__setattr__(self, name, kind.named(name, limit))
        for name in _NUMERIC_OPTIONS:
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
            raise UsageError(f"batch must be between 1 and 1000000, with at most 16 batch sizes, but is {shown}")
        if self.lead is not None and self.lead not in LEADS:
            raise UsageError(f"unknown lead {self.lead!r} (known: {', '.join(LEADS)})")
        if self.head_start is not None and not 0 < self.head_start <= MAX_HEAD_START:
            raise UsageError(f"head_start must be above 0 and at most {MAX_HEAD_START} s, but is {self.head_start}")
        if len(self.batches) > 1 and self.algorithm not in {"gbfs", "hybrid"}:
            raise UsageError(f"the search {self.algorithm} takes only one batch size; gbfs and hybrid take several")
        if self.algorithm == "portfolio" and self.batches != (1,):
            raise UsageError("the search portfolio expands one state at a time: do not give a batch size")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise UsageError(f"weight must be a number of at least 0, but is {self.weight}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"time_limit must be above 0 s, but is {self.time_limit}")
        if self.memory_limit is not None and not 0 < self.memory_limit < 2**63:
            raise UsageError(f"memory_limit must be above 0 bytes, but is {self.memory_limit}")
        if not 1 <= self.n_concurrent < 2**31:
            raise UsageError(f"n_concurrent must be at least 1, but is {self.n_concurrent}")
        if not 1 <= self.cores <= MAX_CORES:
            raise UsageError(f"cores must be between 1 and {MAX_CORES}, but is {self.cores}")
        if self.expansion_limit is not None and not 0 < self.expansion_limit < 2**63:
            raise UsageError(f"expansion_limit must be above 0, but is {self.expansion_limit}")

    @property
    def batches(self) -> tuple[int, ...]:
        """The batch size of each search."""
        if self.batch is None:
            return {"hybrid": TURNS, "beam": (DEFAULT_BEAM_WIDTH,)}.get(self.algorithm, (1,))
        return (self.batch,) if isinstance(self.batch, int) else self.batch

    @property
    def counts_steps(self) -> bool:
        """True if the cost of a path is its number of steps."""
        return self.algorithm not in COST_SENSITIVE if self.unit_costs is None else self.unit_costs

    def native(self) -> _core.SearchOptions:
        """The options in the form that the native core takes."""
        return _core.SearchOptions(
            greedy=self.algorithm not in COST_SENSITIVE,
            weight=self.weight if self.algorithm == "wastar" else 1.0,
            beam=self.algorithm == "beam",
            unit_costs=self.counts_steps,
            batches=self.batches,
            time_limit=self.time_limit or 0.0,
            memory_limit=self.memory_limit or 0,
            n_concurrent=self.n_concurrent,
            expansion_limit=self.expansion_limit or 0,
            cores=self.cores,
        )


_NUMERIC_OPTIONS = (
    "weight", "batch", "time_limit", "memory_limit", "expansion_limit", "n_concurrent", "head_start", "cores",
)  # fmt: skip


@dataclass(frozen=True)
class Statistics:
    """Counts of a search so far."""

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
    led_by: str = ""  # the queue from which the goal was reached, if there are several
    effort_by_part: list[tuple[str, int]] = field(default_factory=list)  # in units of about a nanosecond
    evicted: list[str] = field(default_factory=list)  # parts that were ended early to free memory for others

    @classmethod
    def of(cls, native: _core.Statistics) -> Statistics:
        """Convert from the statistics of the native core."""
        return cls(**{part.name: getattr(native, part.name) for part in fields(cls)})


@dataclass(frozen=True)
class SearchResult:
    """The result of a search: its status, its statistics and, if it found one, its plan as operators of the task."""

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
            ("minimum h", f"{figures.best_h:g}"),
            ("time", format_duration(figures.seconds)),
        ]
        return html_table(
            f"Search in {self.task.problem_name}", rows, "" if self.steps is None else html_list(self.steps)
        )

    def summary(self, what: str = "") -> str:
        """One line for people; ``what`` names the start state."""
        what = f" {what}" if what else ""
        steps = "" if self.length is None else f"{self.length:,} steps, "
        time = format_duration(self.statistics.seconds)
        return f"{self.status.value}{what}: {steps}{self.statistics.expanded:,} expansions, {time}"

    @property
    def solved(self) -> bool:
        """True if there is a plan."""
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
    """Search for a plan from the state ``init`` (default: the task's own initial state).

    The searches portfolio and hybrid always use h_FF and landmarks. Portfolio ignores a learned heuristic and takes no
    other one; hybrid uses the given heuristic in addition.

    ``progress`` is called about twenty times a second with the statistics so far and may return False to cancel the
    search. Other Python threads can run during the search. Ctrl-C raises KeyboardInterrupt as usual.
    """
    started = time.monotonic()
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
    callback = heartbeat if progress else None
    evaluator, guidance = prepare(bound, options, start)
    if options.time_limit is not None:  # includes the time for preparation
        options = replace(options, time_limit=max(options.time_limit - (time.monotonic() - started), 1e-3))
    if guidance is not None:
        lead, head_start = options.lead or bound.lead, options.head_start
        if head_start is None and options.lead is None:
            head_start = bound.head_start
        if evaluator is None and lead not in LEADS_WITHOUT_NETWORK:  # the validated lead needs the network
            lead, head_start = "landmarks", None
        parts = hybrid_parts(options.batches, lead, head_start) if evaluator else portfolio_parts(lead, head_start)
        native = _core.portfolio_search(guidance, evaluator, parts, start, options.native(), callback)
        safe_pruning = True  # h_FF and landmarks prune only dead ends, and a learned heuristic does not prune
    else:
        assert evaluator is not None
        native = _core.search(evaluator, start, options.native(), callback)
        safe_pruning = evaluator.safe and options.algorithm != "beam"
    status = end_status(native.status, safe_pruning=safe_pruning)
    plan = tuple(native.plan) if status is Status.SOLVED else None
    return SearchResult(task, status, plan, Statistics.of(native.statistics))


def prepare(
    heuristic: BoundHeuristic, options: SearchOptions, init: Ints
) -> tuple[_core.Heuristic | None, _core.Guidance | None]:
    """The native evaluator and guidance for a search from ``init``; the heuristic caches them for later searches."""
    if options.algorithm in COST_SENSITIVE:
        heuristic.require_costs(f"the search {options.algorithm}", unit_costs=options.counts_steps)
    if options.algorithm == "portfolio" and heuristic.name != "ff" and not heuristic.learned:
        raise UsageError(
            f"the search portfolio uses only h_FF and landmarks; use the search hybrid to add {heuristic.name}"
        )
    if options.algorithm == "hybrid" and heuristic.name == "ff":
        raise UsageError("the search hybrid needs another heuristic than h_FF, such as a model; or use portfolio")
    states = to_bits([init], heuristic.task.n_atoms)
    return (
        None if options.algorithm == "portfolio" else heuristic.evaluator(states),
        heuristic.guidance(states) if options.algorithm in GUIDED else None,
    )


_STATUS = {native: Status[native.name] for native in _core.Status}


def end_status(native: _core.Status, *, safe_pruning: bool) -> Status:
    """Convert the status of a native search; an exhausted search proves unsolvability if it pruned only dead ends."""
    status = _STATUS[native]
    return Status.UNSOLVABLE if status is Status.EXHAUSTED and safe_pruning else status
