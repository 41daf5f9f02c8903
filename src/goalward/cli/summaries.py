"""The table of results that ``compare`` and ``experiment run`` print: one line per method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goalward.cli.console import say, say_wrapped
from goalward.cli.terminal import make_table, print_table
from goalward.experiments.cost_over_time import PENALTY
from goalward.experiments.summary import MethodSummary
from goalward.measures import format_count, format_duration, format_short_duration
from goalward.outward import printable

FOOTNOTE = """\
medians over the states that the method solved
search: time of the search alone
time: wall-clock time including grounding or loading, and plan improvement"""

RATIO_FOOTNOTE = f"""\
geometric means over the states that some method solved; time as above
a state without a plan counts as {PENALTY:g} times its most expensive known plan"""


def show_summaries(summaries: Sequence[MethodSummary]) -> None:
    """Print the table, the meaning of its columns, and why a method could not be trained."""
    costs = any(summary.median_cost != summary.median_plan_length for summary in summaries)
    lengths = ("length", "cost") if costs else ("cost",)  # a step costs 1 otherwise
    titles = ("method", "solved", "training", "expanded", "evaluations/s", *lengths, "search", "time")
    print_table(make_table(titles, [_cells(summary, costs=costs) for summary in summaries]))
    if len({summary.states for summary in summaries}) > 1:
        say("solved: of the searches from each state with each seed")
    say_wrapped(FOOTNOTE)
    _show_ratios(summaries)
    for summary in summaries:
        for found in summary.break_even:
            say_wrapped(f"{summary.method}: {found.text}")
        if summary.failure:
            say_wrapped(f"{summary.method}: {summary.failure}")


def _show_ratios(summaries: Sequence[MethodSummary]) -> None:
    """Print the cost of plans over time, if several methods found plans."""
    times = list(dict.fromkeys(seconds for summary in summaries for seconds in summary.cost_ratios or ()))
    if not times:
        return
    rows = []
    for summary in summaries:
        known = summary.cost_ratios or {}
        ratios = [f"{known[seconds]:.2f}" if seconds in known else "-" for seconds in times]
        rows.append([printable(summary.method), *ratios])
    say()
    print_table(make_table(["cost over the best known, after", *(f"{seconds:g} s" for seconds in times)], rows))
    say_wrapped(RATIO_FOOTNOTE)


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
