"""The output of ``goalward plan``: lines that Downward Lab's parsers read, or JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from goalward import _core
from goalward.cli.console import say
from goalward.cli.limits import Limits
from goalward.errors import ExitCode, LimitError
from goalward.search import ImproveStatus, Status
from goalward.search.solving import Outcome

if TYPE_CHECKING:
    from goalward.task.grounding import UnsolvableError

EXIT_CODES = {
    Status.SOLVED: ExitCode.SUCCESS,
    Status.UNSOLVABLE: ExitCode.SEARCH_UNSOLVABLE,
    Status.EXHAUSTED: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
    Status.OUT_OF_TIME: ExitCode.OUT_OF_TIME,
    Status.OUT_OF_MEMORY: ExitCode.OUT_OF_MEMORY,
    Status.CANCELLED: ExitCode.INTERRUPTED,
    Status.OUT_OF_EXPANSIONS: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
}

EARLY_ENDS = {
    ExitCode.TRANSLATE_UNSOLVABLE: Status.UNSOLVABLE,
    ExitCode.OUT_OF_TIME: Status.OUT_OF_TIME,
    ExitCode.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
}

SENTENCES = {
    Status.SOLVED: "Solution found.",
    Status.UNSOLVABLE: "No plan exists: all reachable states have been searched.",
    Status.EXHAUSTED: "Search ended without a plan and without proof that there is none.",
    Status.OUT_OF_TIME: "Time limit reached.",
    Status.OUT_OF_MEMORY: "Memory limit reached.",
    Status.CANCELLED: "Interrupted.",
    Status.OUT_OF_EXPANSIONS: "Limit of expansions reached.",
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


def report(outcome: Outcome, limits: Limits, written: str = "") -> None:
    """Print the lines that Downward Lab's parsers read; ``written`` names the files of plans, if there are any."""
    s = outcome.statistics
    evaluated = outcome.solved or s.expanded or s.dead_ends  # the time limit may have ended the search before
    lines = [f"Initial heuristic value for {outcome.measured_by}: {_format_h(s.initial_h)}"] if evaluated else []
    lines.append(SENTENCES[outcome.status])
    if outcome.solved:
        lines += [f"Plan length: {outcome.length} step(s).", f"Plan cost: {outcome.cost}", "Plan valid."]
        if outcome.improved is not None:
            lines.append(f"Cost before improvement: {outcome.found.cost} ({outcome.found.length} step(s))")
        if written:
            lines.append(written)
    lines += [
        f"Expanded {s.expanded} state(s).",
        f"Reopened {s.reopened} state(s).",
        f"Evaluated {s.evaluated} state(s).",
        f"Evaluations: {sum(n for _, n in s.evaluations_by_heuristic) or s.evaluated}",
        f"Generated {s.generated} state(s).",
        f"Dead ends: {s.dead_ends} state(s).",
        f"Number of registered states: {s.stored}",
        *(f"Evaluations by {name}: {count}" for name, count in s.evaluations_by_heuristic),
        *(f"Expansions by {name}: {count}" for name, count in s.expansions_by_queue if count),
        *([f"Led to the goal by {s.led_by}."] if s.led_by else []),
        *([f"Ended to free memory for other parts: {', '.join(s.evicted)}."] if s.evicted else []),
        f"Search time: {outcome.search_time:.6f}s",
        f"Improvement time: {outcome.improve_time:.6f}s",
        f"Total time: {limits.elapsed:.6f}s",
        f"Peak memory: {_core.peak_memory() // 1024} KB",
    ]
    say("\n".join(lines))


def _format_h(h: float) -> str:
    """h without an exponent if it is a whole number, and ``infinity`` for dead ends, as Fast Downward writes it."""
    if math.isinf(h):
        return "infinity"
    return f"{h:.0f}" if h.is_integer() else f"{h:g}"


def early_end_as_json(error: UnsolvableError | LimitError, limits: Limits) -> dict[str, Any]:
    """The JSON object for a problem that was not searched."""
    return {
        "status": EARLY_ENDS[error.exit_code].value,
        "reason": str(error),
        "plan": None,
        "plan_length": None,
        "cost": None,
        "valid": None,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }


def plan_as_json(outcome: Outcome, limits: Limits) -> dict[str, Any]:
    """The JSON object for a search."""
    return {
        **outcome.record(),
        "plan": outcome.steps,
        "better_plans": outcome.better_plans,
        "end_of_improvement": None if outcome.improved is None else outcome.improved.status.value,
        "valid": True if outcome.solved else None,
        "heuristic": outcome.heuristic,
        "atoms": outcome.start.task.n_atoms,
        "operators": outcome.start.task.n_operators,
        "seconds": outcome.search_time,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }
