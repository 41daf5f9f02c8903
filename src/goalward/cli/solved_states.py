"""A line for each state that ``goalward solve`` is done with."""

from __future__ import annotations

from typing import Any

from goalward.cli.console import say
from goalward.measures import format_count
from goalward.search import Statistics, Status

Row = dict[str, Any]
"""One line of the result: the state, the figures of its outcome, the plan's file."""


def is_solved(row: Row) -> bool:
    """Was a plan found?"""
    return bool(row["status"] == Status.SOLVED.value)


def line(row: Row) -> str:
    """The row as people read it."""
    rate = row["evaluated"] / row["search_time"] if row["search_time"] > 0 else 0.0
    length = "-" if row["plan_length"] is None else f"{row['plan_length']} step(s)"
    if row["first_plan_length"] != row["plan_length"]:
        length += f" (first {row['first_plan_length']})"
    evicted = f", without {', '.join(row['evicted'])} for lack of memory" if row.get("evicted") else ""
    return (
        f"{row['state']}: {row['status']}, {length}, {row['expanded']} expanded, {row['evaluated']} evaluated, "
        f"{format_count(rate)} evaluations/s, {row['search_time']:.3f}s{evicted}"
    )


class Results:
    """A line on stdout for each state that is done, or nothing."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def add(self, row: Row) -> None:
        """A state is done."""
        if self._enabled:
            say(line(row))

    def searching(self, figures: Statistics) -> None:
        """A search goes on."""
