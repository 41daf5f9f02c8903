"""The table of results that ``compare`` and ``experiment run`` print: one line per method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.table import Table

from goalward.cli.console import say_wrapped
from goalward.cli.terminal import print_table
from goalward.experiments.summary import MethodSummary
from goalward.measures import format_count, format_duration, format_short_duration
from goalward.outward import printable

FOOTNOTE = """\
expanded, length, cost, search and time are medians over solved states; search is the search alone
time is wall-clock time and includes reading and grounding, or loading the model"""


def show_summaries(summaries: Sequence[MethodSummary]) -> None:
    """Print the table, the meaning of its columns, and why a method could not be trained."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("method")
    costs = any(summary.median_cost != summary.median_plan_length for summary in summaries)
    lengths = ("length", "cost") if costs else ("cost",)  # a step costs 1 otherwise
    for title in ("solved", "training", "expanded", "evaluations/s", *lengths, "search", "time"):
        table.add_column(title, justify="right")
    for summary in summaries:
        table.add_row(*_cells(summary, costs=costs))
    print_table(table)
    say_wrapped(FOOTNOTE)
    for summary in summaries:
        if summary.break_even:
            say_wrapped(f"{summary.method}: {summary.break_even}")
        if summary.failure:
            say_wrapped(f"{summary.method}: {summary.failure}")


def _cells(summary: MethodSummary, *, costs: bool) -> list[str]:
    def shown(value: float | None, write: Callable[[float], str]) -> str:
        return "-" if value is None else write(value)

    return [
        printable(summary.method),
        f"{summary.solved}/{summary.states}",
        shown(summary.training_time, format_duration),
        shown(summary.median_expansions, format_count),
        shown(summary.evaluations_per_second, format_count),
        *([shown(summary.median_plan_length, "{:g}".format)] if costs else []),
        shown(summary.median_cost, "{:g}".format),
        shown(summary.median_search_time, format_short_duration),
        shown(summary.median_total_time, format_short_duration),
    ]
