"""Flags and status texts that are common to the commands that search."""

from __future__ import annotations

from goalward.cli.parameters import Flag, flag
from goalward.errors import ExitCode
from goalward.measures import counted, format_duration
from goalward.search import ImproveStatus, Status
from goalward.search.best_first import ALGORITHMS, MAX_CORES
from goalward.search.solving import DEFAULT_IMPROVEMENT, MAX_IMPROVE_TIME, Improvement
from goalward.task.strips import Task

EXIT_CODES = {
    Status.SOLVED: ExitCode.SUCCESS,
    Status.UNSOLVABLE: ExitCode.SEARCH_UNSOLVABLE,
    Status.EXHAUSTED: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
    Status.OUT_OF_TIME: ExitCode.OUT_OF_TIME,
    Status.OUT_OF_MEMORY: ExitCode.OUT_OF_MEMORY,
    Status.CANCELLED: ExitCode.INTERRUPTED,
    Status.OUT_OF_EXPANSIONS: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
}
ENDS_OF_IMPROVEMENT = {
    ImproveStatus.OPTIMAL: "No plan is cheaper.",
    ImproveStatus.NOTHING_LEFT: "Nothing left to try.",
    ImproveStatus.OUT_OF_TIME: "Time limit reached.",
    ImproveStatus.OUT_OF_MEMORY: "Memory limit reached.",
    ImproveStatus.OUT_OF_EFFORT: "Limit of effort reached.",
    ImproveStatus.CANCELLED: "Interrupted: this is the best plan so far.",
}
"""Why improvement ended."""

CORES = flag(
    "--cores",
    help="processor cores for one state: parts of the search, and of improvement, run at the same time",
    default=1, low=1, high=MAX_CORES,
)  # fmt: skip
IMPROVE = flag(
    "--improve",
    help="time for improving the plan after the search, within the time limit",
    metavar="DURATION|none",
    note=f"default: at most {MAX_IMPROVE_TIME:g}s, or as long as the search took; less if it finds nothing",
)


def describe_grounding(task: Task, seconds: float) -> str:
    """The line about the grounded task."""
    several = f" from {len(task.inits)} initial states" if len(task.inits) > 1 else ""
    sizes = f"{counted(task.n_atoms, 'atom')}, {counted(task.n_operators, 'operator')}"
    return f"Task: {sizes}, grounded{several} in {format_duration(seconds)}"


def search_flag(note: str, more: str = "") -> Flag:
    """The flag --search; ``more`` is added to its help text, and ``note`` names the default."""
    summaries = "; ".join(f"{name}: {summary}" for name, summary in ALGORITHMS.items())
    return flag("--search", "-s", "algorithm", help=summaries + more, metavar="|".join(ALGORITHMS), note=note)


def parse_improvement(text: str | None) -> Improvement | None:
    """The limits of plan improvement, from the value of --improve."""
    return DEFAULT_IMPROVEMENT if text is None else Improvement.of(text, "--improve")
