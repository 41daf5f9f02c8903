"""Runs Fast Downward, from the extra ``goalward[baselines]``, as a separate program under goalward's limits.

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
MIN_MEMORY = 32 * 2**20
"""Bytes. With a lower limit, Fast Downward crashes at the start instead of reporting that it lacks memory."""
OUT_OF_MEMORY_MESSAGES = ("MemoryError", "Cannot allocate memory", "failed to map segment", "bad_alloc")
"""Parts of the output of a program that lacks memory."""


@dataclass(frozen=True)
class Planner:
    """A configuration of Fast Downward, given by an alias of its driver or by a search."""

    name: str
    summary: str
    paper: str
    alias: str | None = None
    search: str | None = None
    anytime: bool = False
    """True if it searches for better plans until it is stopped, and writes them to numbered files."""

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
            "GBFS with h_FF, by Fast Downward",
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
    """How a run ended: the statuses of goalward's searches, and ``FAILED`` if the planner crashed or was killed."""

    SOLVED = Status.SOLVED.value
    UNSOLVABLE = Status.UNSOLVABLE.value
    EXHAUSTED = Status.EXHAUSTED.value
    OUT_OF_TIME = Status.OUT_OF_TIME.value
    OUT_OF_MEMORY = Status.OUT_OF_MEMORY.value
    CANCELLED = Status.CANCELLED.value
    FAILED = "failed"


STATUS_OF_EXIT_CODE = {
    10: PlannerStatus.UNSOLVABLE,
    11: PlannerStatus.UNSOLVABLE,
    12: PlannerStatus.EXHAUSTED,
    20: PlannerStatus.OUT_OF_MEMORY,
    21: PlannerStatus.OUT_OF_TIME,
    22: PlannerStatus.OUT_OF_MEMORY,
    23: PlannerStatus.OUT_OF_TIME,
}
"""The exit codes of Fast Downward's driver that determine the status on their own."""


@dataclass(frozen=True)
class PlannerResult:
    """How a run ended, the plan if there is one, and the figures that the planner printed (None if it printed none).

    ``total_time`` is wall-clock time including translation, measured here. ``search_time`` (CPU seconds) and
    ``peak_memory`` (bytes of virtual memory, search only) are Fast Downward's own figures. The figures of an anytime
    planner cover the time until its first plan. ``reason`` says why a run failed.
    """

    planner: str
    status: PlannerStatus
    total_time: float
    steps: tuple[str, ...] = ()
    cost: int | None = None
    uses_costs: bool = False
    """True if the PDDL minimises action costs; otherwise the cost of a plan is its length."""
    expanded: int | None = None
    evaluated: int | None = None
    generated: int | None = None
    search_time: float | None = None
    peak_memory: int | None = None
    translate_time: float | None = None
    """Seconds of wall-clock time before the search began."""
    plans: tuple[TimedPlan, ...] = ()
    """All plans of an anytime planner; the last one is that in ``steps``."""
    reason: str = ""
    signal: int | None = None
    """The signal that ended a failed run; another process may have sent it."""

    @property
    def solved(self) -> bool:
        """True if there is a plan."""
        return self.status is PlannerStatus.SOLVED

    @property
    def length(self) -> int | None:
        """Number of steps; None without a plan."""
        return len(self.steps) if self.solved else None


def find_driver() -> Path | None:
    """The path of Fast Downward's driver in the package up-fast-downward; None if it is not installed."""
    spec = find_spec("up_fast_downward")
    driver = Path(spec.origin).parent / "downward" / "fast-downward.py" if spec and spec.origin else None
    return driver if driver is not None and driver.is_file() else None


def missing_driver(name: str) -> UsageError:
    """The error to raise if Fast Downward is not installed."""
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

    ``time_limit`` is in seconds of wall-clock time for translation and search together. ``memory_limit`` is in bytes of
    address space for each of them. ``cpu_limit`` is in seconds of CPU time, rounded up, and enforced by the system.
    ``cancelled`` is called about twenty times per second. ``driver`` is the ``fast-downward.py`` of another build.

    If goalward cannot read the PDDL, or cannot check plans on it, an error is raised before anything runs.
    """
    if name not in PLANNERS:
        raise UsageError(f"unknown planner {name!r} (known: {', '.join(PLANNERS)})")
    SearchOptions(time_limit=time_limit, memory_limit=memory_limit)  # raises UsageError for limits out of bounds
    if memory_limit is not None and sys.platform == "darwin":
        raise UsageError(f"macOS does not enforce memory limits: run {name} without one")
    driver = driver or find_driver()
    if driver is None:
        raise missing_driver(name)
    domain = read_domain(domain_path)
    problem = read_problem(problem_path, domain)
    validate_plan(domain, problem, ())  # raises now, not after an hour of search, if plans cannot be checked
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
    """The driver's arguments for the limits that the system enforces.

    CPU time is limited even without ``cpu_limit``: if this process is killed, it cannot end the planner. A limit above
    the hard limit of this process is left out, since the driver could not set it.
    """
    arguments = []
    # Without ``cpu_limit``, the wall clock of this process decides, so the driver must not end the planner earlier.
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
        if plans and status is not PlannerStatus.CANCELLED:  # a plan counts even if a limit ended the planner
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
    """Fast Downward's plan is missing, unreadable or not valid; the message says which."""


def _checked_plan(plan_file: Path, domain: Domain, problem: Problem) -> tuple[tuple[str, ...], int]:
    """The steps of the plan in a file and their cost by the PDDL; _PlanError unless the plan is valid."""
    if not plan_file.exists():
        raise _PlanError("Fast Downward reported a plan, but wrote none")
    try:
        steps = [words for _, words in read_plan(plan_file)]
    except GoalwardError as error:
        raise _PlanError(f"Fast Downward's plan cannot be read: {error}") from None
    verdict = validate_plan(domain, problem, steps)
    if not verdict.valid:
        raise _PlanError(f"Fast Downward's plan is not valid: {verdict.reason}")
    return tuple(f"({' '.join(words)})" for words in steps), verdict.cost


def _judge(ended: Ended, memory_limit: int | None) -> tuple[PlannerStatus, str]:
    """The status of a run, from its exit code and from who ended it, and the reason if it failed.

    The plan is not checked here.
    """
    if ended.cut is not None:
        return PlannerStatus.OUT_OF_TIME if ended.cut is Cut.TIME else PlannerStatus.CANCELLED, ""
    if ended.code == 0:
        return PlannerStatus.SOLVED, ""
    if ended.code in STATUS_OF_EXIT_CODE:
        return STATUS_OF_EXIT_CODE[ended.code], ""
    number = _signal_number(ended.code)
    if number == signal.SIGXCPU:
        return PlannerStatus.OUT_OF_TIME, ""
    out_of_memory = any(message in ended.err or message in ended.out for message in OUT_OF_MEMORY_MESSAGES)
    if out_of_memory or (memory_limit is not None and memory_limit < MIN_MEMORY):
        return PlannerStatus.OUT_OF_MEMORY, ""
    if number is not None:
        return PlannerStatus.FAILED, f"Fast Downward was ended by signal {number}{_signal_name(number)}"
    line = _error_line(ended)
    return PlannerStatus.FAILED, f"Fast Downward failed with exit code {ended.code}{line and f': {line}'}"


def _signal_number(code: int) -> int | None:
    """The signal behind an exit code, or None; the driver turns a component's exit code -11 into 245."""
    return -code if code < 0 else 256 - code if code > 192 else None


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    return f" ({name}, perhaps by the system for lack of memory)" if name == "SIGKILL" else f" ({name})"


def _error_line(ended: Ended) -> str:
    """The first line of the output with the word "error", or else the last line that is not one of the driver's.

    The driver prints the translator's stderr as the ``repr`` of bytes, ``b'…\\n…'``.
    """
    err = re.sub(r"^b(['\"])(.*)\1$", lambda shown: shown[2].replace("\\n", "\n"), ended.err, flags=re.MULTILINE)
    noise = re.compile(r"\s|INFO |\[t=|\w+ exit code:|Driver aborting|Remove intermediate file|Peak memory:|usage:")
    lines = [line.strip() for line in err.splitlines() + ended.out.splitlines() if line and not noise.match(line)]
    chosen = next((line for line in lines if re.search("error", line, re.IGNORECASE)), lines[-1] if lines else "")
    return "".join(letter for letter in chosen[:300] if letter.isprintable())
