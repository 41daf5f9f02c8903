"""Fast Downward from the extra ``goalward[baselines]``, run as a program of its own under goalward's limits.

>>> result = run_planner("lama", "domain.pddl", "problem.pddl", time_limit=60)  # doctest: +SKIP
>>> result.status, result.length, result.total_time  # doctest: +SKIP
(<PlannerStatus.SOLVED: 'solved'>, 34, 0.41)
"""

from __future__ import annotations

import math
import re
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

from goalward.baselines.fast_downward_log import TimedPlan, read_figures, timed_plans
from goalward.baselines.process import Cut, Ended, run_limited
from goalward.errors import GoalwardError, UsageError
from goalward.search import SearchOptions, Status
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import read_plan
from goalward.task.validate import validate_plan

PLAN_FILE = "sas_plan"
LEAST_MEMORY = 32 * 2**20
"""Below this, in bytes, Fast Downward does not get as far as noticing that it lacks memory: it crashes at the start."""
WORDS_OF_LACKING_MEMORY = ("MemoryError", "Cannot allocate memory", "failed to map segment", "bad_alloc")


@dataclass(frozen=True)
class Planner:
    """A configuration of Fast Downward: by an alias of its driver, or by a search."""

    name: str
    summary: str
    paper: str
    alias: str | None = None
    search: str | None = None
    anytime: bool = False
    """Does it go on for better plans until it is stopped, and number their files?"""

    def arguments(self, files: list[str]) -> list[str]:
        """The driver's arguments for a domain and a problem file."""
        by_alias = [] if self.alias is None else ["--alias", self.alias]
        by_search = [] if self.search is None else ["--search", self.search]
        return [*by_alias, *files, *by_search]


PLANNERS: dict[str, Planner] = {
    planner.name: planner
    for planner in (
        Planner(
            "fd-ff",
            "GBFS with h_FF, Fast Downward's",
            "Hoffmann, Nebel 2001; Helmert 2006",
            search="let(h,eval_modify_costs(ff(),cost_type=one),eager_greedy([h],cost_type=one))",
        ),
        Planner(
            "lama",
            "LAMA's first iteration, by Fast Downward",
            "Richter, Westphal 2010",
            alias="lama-first",
        ),
        Planner(
            "lama-full",
            "all of LAMA until the time limit, by Fast Downward",
            "Richter, Westphal 2010",
            alias="lama",
            anytime=True,
        ),
    )
}


class PlannerStatus(Enum):
    """How a run ended: as a search of goalward may end, or without an answer because the planner failed."""

    SOLVED = Status.SOLVED.value
    UNSOLVABLE = Status.UNSOLVABLE.value
    EXHAUSTED = Status.EXHAUSTED.value
    OUT_OF_TIME = Status.OUT_OF_TIME.value
    OUT_OF_MEMORY = Status.OUT_OF_MEMORY.value
    CANCELLED = Status.CANCELLED.value
    FAILED = "failed"


STATUSES = {
    10: PlannerStatus.UNSOLVABLE,
    11: PlannerStatus.UNSOLVABLE,
    12: PlannerStatus.EXHAUSTED,
    20: PlannerStatus.OUT_OF_MEMORY,
    21: PlannerStatus.OUT_OF_TIME,
    22: PlannerStatus.OUT_OF_MEMORY,
    23: PlannerStatus.OUT_OF_TIME,
}
"""What the exit codes of Fast Downward's driver mean that need no second look."""


@dataclass(frozen=True)
class PlannerResult:
    """How a run ended, the plan if there is one, and what the planner printed of itself (None: it did not).

    ``total_time`` is wall-clock time with translation, measured here. ``search_time`` (CPU seconds) and ``peak_memory``
    (bytes, virtual, of the search alone) are Fast Downward's own figures. Those of a search that goes on for better
    plans are figures until the first one. ``reason`` says what failed.
    """

    planner: str
    status: PlannerStatus
    total_time: float
    steps: tuple[str, ...] = ()
    cost: int | None = None
    uses_costs: bool = False
    """Does the PDDL ask for a cheap plan, or are costs steps?"""
    expanded: int | None = None
    evaluated: int | None = None
    generated: int | None = None
    search_time: float | None = None
    peak_memory: int | None = None
    translate_time: float | None = None
    """Seconds of wall-clock time before the search began."""
    plans: tuple[TimedPlan, ...] = ()
    """Of a planner that goes on for better plans: all of them, the one in ``steps`` last."""
    reason: str = ""
    signal: int | None = None
    """What ended it, where that is why it failed; it need not be its own fault."""

    @property
    def solved(self) -> bool:
        """Is there a plan?"""
        return self.status is PlannerStatus.SOLVED

    @property
    def length(self) -> int | None:
        """Number of steps; None without a plan."""
        return len(self.steps) if self.solved else None


def find_driver() -> Path | None:
    """Fast Downward's driver in the package up-fast-downward, found without importing that package."""
    spec = find_spec("up_fast_downward")
    driver = Path(spec.origin).parent / "downward" / "fast-downward.py" if spec and spec.origin else None
    return driver if driver is not None and driver.is_file() else None


def missing_driver(name: str) -> UsageError:
    """What to say where Fast Downward is not installed."""
    return UsageError(f"{name} needs Fast Downward: pip install 'goalward[baselines]'")


def run_planner(
    name: str,
    domain_path: str | Path,
    problem_path: str | Path,
    *,
    time_limit: float | None,
    memory_limit: int | None = None,
    cpu_limit: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    driver: Path | None = None,
) -> PlannerResult:
    """Run a planner of ``PLANNERS`` on PDDL files and check its plan.

    The limits hold for translation and search: seconds of wall-clock time for both together, bytes of address space for
    each. ``cpu_limit`` is seconds of CPU time, which the system holds them to; it counts whole seconds, rounded up.
    ``cancelled`` is asked about twenty times a second. ``driver`` is the ``fast-downward.py`` of another build.
    PDDL that goalward cannot read, or on which it cannot check plans, is refused before anything runs.
    """
    if name not in PLANNERS:
        raise UsageError(f"unknown planner {name!r} (known: {', '.join(PLANNERS)})")
    SearchOptions(time_limit=time_limit, memory_limit=memory_limit)  # refuses limits out of bounds
    if memory_limit is not None and sys.platform == "darwin":
        raise UsageError(f"{name} cannot be held to a memory limit on macOS, which enforces none; run it without")
    driver = driver or find_driver()
    if driver is None:
        raise missing_driver(name)
    domain = read_domain(domain_path)
    problem = read_problem(problem_path, domain)
    validate_plan(domain, problem, ())  # refuses now, not after an hour of search, what it cannot check
    files = [str(Path(path).absolute()) for path in (domain_path, problem_path)]
    arguments = [
        *_limit_arguments(time_limit, memory_limit, cpu_limit),
        "--plan-file",
        PLAN_FILE,
        *PLANNERS[name].arguments(files),
    ]
    with tempfile.TemporaryDirectory(prefix="goalward-", ignore_cleanup_errors=True) as folder:
        command: list[str | Path] = [sys.executable, driver.absolute(), *arguments]
        ended = run_limited(command, Path(folder), time_limit=time_limit, cancelled=cancelled)
        return _result(PLANNERS[name], ended, Path(folder), domain, problem, memory_limit)


def _limit_arguments(time_limit: float | None, memory_limit: int | None, cpu_limit: float | None = None) -> list[str]:
    """The limits that the system holds: memory, and CPU time in case this process is killed and cannot end the other.

    A limit that is in force already and cannot be raised stays as it is.
    """
    arguments = []
    # Without a limit of CPU time the clock that counts is ours, and the driver, which rounds down, must not be faster.
    seconds = None if cpu_limit is None else math.ceil(cpu_limit)
    if seconds is None and time_limit is not None and math.isfinite(time_limit):
        seconds = math.ceil(time_limit) + 2
    if seconds is not None and _may_set(resource.RLIMIT_CPU, seconds + 1):
        arguments += ["--overall-time-limit", f"{seconds}s"]
    if memory_limit is not None and _may_set(resource.RLIMIT_AS, memory_limit):
        arguments += ["--overall-memory-limit", f"{max(memory_limit // 1024, 1)}K"]
    return arguments


def _may_set(kind: int, limit: int) -> bool:
    _, hard = resource.getrlimit(kind)
    return hard == resource.RLIM_INFINITY or limit <= hard


def _result(
    planner: Planner, ended: Ended, folder: Path, domain: Domain, problem: Problem, memory_limit: int | None
) -> PlannerResult:
    plan_file = folder / PLAN_FILE
    status, reason = _judge(ended, memory_limit)
    plans: tuple[TimedPlan, ...] = ()
    if planner.anytime:
        plans = tuple(timed_plans(folder / PLAN_FILE, ended.out))
        plan_file = folder / f"{PLAN_FILE}.{len(plans)}"
        if plans and status is not PlannerStatus.CANCELLED:  # whatever ended it
            status, reason = PlannerStatus.SOLVED, ""
    steps: tuple[str, ...] = ()
    cost = None
    if status is PlannerStatus.SOLVED:
        try:
            steps, cost = _checked_plan(plan_file, domain, problem)
        except _PlanError as error:
            status, reason = PlannerStatus.FAILED, str(error)
    return PlannerResult(
        planner=planner.name,
        status=status,
        total_time=ended.seconds,
        steps=steps,
        cost=cost,
        uses_costs=problem.minimizes_cost,
        **asdict(read_figures(ended.out, until_first_plan=planner.anytime)),
        plans=plans,
        reason=reason,
        signal=_signal_number(ended.code) if status is PlannerStatus.FAILED else None,
    )


class _PlanError(Exception):
    """A plan that is none, and why."""


def _checked_plan(plan_file: Path, domain: Domain, problem: Problem) -> tuple[tuple[str, ...], int]:
    """The steps of a plan and what they cost by the PDDL."""
    if not plan_file.exists():
        raise _PlanError("Fast Downward says that it found a plan, but wrote none")
    try:
        steps = [words for _, words in read_plan(plan_file)]
    except GoalwardError as error:
        raise _PlanError(f"Fast Downward's plan cannot be read: {error}") from None
    verdict = validate_plan(domain, problem, steps)
    if not verdict.valid:
        raise _PlanError(f"Fast Downward's plan is not valid: {verdict.reason}")
    return tuple(f"({' '.join(words)})" for words in steps), verdict.cost


def _judge(ended: Ended, memory_limit: int | None) -> tuple[PlannerStatus, str]:
    """How a run ended by its exit code and by who ended it, and the reason if it failed. No plan is checked here."""
    if ended.cut is not None:
        return PlannerStatus.OUT_OF_TIME if ended.cut is Cut.TIME else PlannerStatus.CANCELLED, ""
    if ended.code == 0:
        return PlannerStatus.SOLVED, ""
    if ended.code in STATUSES:
        return STATUSES[ended.code], ""
    number = _signal_number(ended.code)
    if number == signal.SIGXCPU:
        return PlannerStatus.OUT_OF_TIME, ""
    lacking = any(words in ended.err or words in ended.out for words in WORDS_OF_LACKING_MEMORY)
    if lacking or (memory_limit is not None and memory_limit < LEAST_MEMORY):
        return PlannerStatus.OUT_OF_MEMORY, ""
    if number is not None:
        return PlannerStatus.FAILED, f"Fast Downward was ended by signal {number}{_signal_name(number)}"
    line = _useful_line(ended)
    return PlannerStatus.FAILED, f"Fast Downward failed with exit code {ended.code}{line and f': {line}'}"


def _signal_number(code: int) -> int | None:
    """The signal behind an exit code; the driver hands on those of its parts, -11 becoming 245."""
    return -code if code < 0 else 256 - code if code > 192 else None


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    return f" ({name}, perhaps by the system for lack of memory)" if name == "SIGKILL" else f" ({name})"


def _useful_line(ended: Ended) -> str:
    """The first line that speaks of an error; else the last that is no report of the driver's. Empty if there is none.

    The driver prints what the translator wrote to stderr as Python shows bytes, ``b'…\\n…'``.
    """
    err = re.sub(r"^b(['\"])(.*)\1$", lambda shown: shown[2].replace("\\n", "\n"), ended.err, flags=re.MULTILINE)
    noise = re.compile(r"\s|INFO |\[t=|\w+ exit code:|Driver aborting|Remove intermediate file|Peak memory:|usage:")
    told = [line.strip() for line in err.splitlines() + ended.out.splitlines() if line and not noise.match(line)]
    chosen = next((line for line in told if re.search("error", line, re.IGNORECASE)), told[-1] if told else "")
    return "".join(letter for letter in chosen[:300] if letter.isprintable())
