"""The table of ``goalward solve``: one row for each state, printed as soon as the state is done."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any

from goalward.cli.console import say
from goalward.measures import format_short_duration
from goalward.search import Statistics, Status

Row = dict[str, Any]
"""The result for one state: its file, the figures of its outcome, and the file of its plan."""

WIDTHS = {"status": 11, "steps": 5, "first": 5, "cost": 5, "expanded": 8, "search": 8, "improve": 8, "total": 8}
MIN_NAME = 12


def is_solved(row: Row) -> bool:
    """True if a plan was found."""
    return bool(row["status"] == Status.SOLVED.value)


class StateTable:
    """The header and the rows as text. Rows are printed one by one, so the widths are fixed in advance.

    ``first`` is the length of the plan before it was improved. If the PDDL has costs, ``cost`` takes its place.
    """

    def __init__(self, states: Sequence[object], *, costs: bool) -> None:
        second = "cost" if costs else "first"  # 80 columns have no room for both
        self._columns = ["status", "steps", second, "expanded", "search", "improve", "total"]
        self._name = max(len("state"), *(len(str(state)) for state in states))
        if sys.stdout.isatty():  # long names are cut so that a row is one line
            others = sum(WIDTHS[column] + 2 for column in self._columns)
            self._name = min(self._name, max(shutil.get_terminal_size().columns - others, MIN_NAME))

    def header(self) -> str:
        """The titles of the columns."""
        return self._line("state", {column: column for column in self._columns})

    def row(self, row: Row) -> str:
        """The figures of one state."""
        if row["status"] == INVALID:
            return f"{self._shortened(str(row['state'])):{self._name}}  {row['status']}"
        known = {
            "status": row["status"],
            "steps": _or_dash(row["plan_length"]),
            "first": _or_dash(row["first_plan_length"]),
            "cost": _or_dash(row["cost"]),
            "expanded": str(row["expanded"]),
            "search": format_short_duration(row["search_time"]),
            "improve": format_short_duration(row["improve_time"]),
            "total": format_short_duration(row["total_time"]),
        }
        evicted = f"  without {', '.join(row['evicted'])} for lack of memory" if row.get("evicted") else ""
        return self._line(str(row["state"]), known) + evicted

    def _line(self, name: str, cells: dict[str, str]) -> str:
        parts = [f"{self._shortened(name):{self._name}}", f"{cells['status']:{WIDTHS['status']}}"]
        parts += [f"{cells[column]:>{WIDTHS[column]}}" for column in self._columns[1:]]
        return "  ".join(parts)

    def _shortened(self, name: str) -> str:
        return name if len(name) <= self._name else "…" + name[len(name) - self._name + 1 :]


INVALID = "invalid input"
"""The status of a state whose file could not be read as a state of the model."""


def _or_dash(value: Any) -> str:
    return "-" if value is None else str(value)


class Results:
    """Prints the table on stdout while states are solved, or nothing."""

    def __init__(self, table: StateTable | None) -> None:
        self._table = table

    def __enter__(self) -> Results:
        if self._table is not None:
            say(self._table.header())
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def add(self, row: Row) -> None:
        """A state is done."""
        if self._table is not None:
            say(self._table.row(row))

    def searching(self, figures: Statistics) -> None:
        """A search is running."""
