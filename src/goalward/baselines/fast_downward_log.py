"""Reads the log of Fast Downward's search and the plans in its numbered files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path


@dataclass(frozen=True)
class TimedPlan:
    """One plan of an anytime planner: CPU seconds of search until it was found, number of steps, and cost.

    The time is None if its line is in the beginning of a long log, which is not kept.
    """

    seconds: float | None
    length: int
    cost: int


def timed_plans(plan_file: Path, log: str) -> Iterator[TimedPlan]:
    """The complete plans in the numbered files, with the times at which they were found."""
    found = list(_complete_plans(plan_file))
    times = re.findall(r"^\[t=([\d.e+-]+)s[^\]]*\] Plan cost: \d+$", log, flags=re.MULTILINE)
    missing = max(len(found) - len(times), 0)
    for number, (length, cost) in enumerate(found):
        yield TimedPlan(float(times[number - missing]) if number >= missing else None, length, cost)


def _complete_plans(plan_file: Path) -> Iterator[tuple[int, int]]:
    """Length and cost of each plan. A last file that was cut off has no line with the cost, and is left out."""
    for number in count(1):
        path = plan_file.with_name(f"{plan_file.name}.{number}")
        text = path.read_text(errors="replace") if path.exists() else ""
        cost = re.search(r"^; cost = (\d+) \(", text, flags=re.MULTILINE)
        if cost is None:
            return
        yield len(re.findall(r"^\(", text, flags=re.MULTILINE)), int(cost[1])


@dataclass(frozen=True)
class Figures:
    """The figures of one run; None if the log does not have them."""

    expanded: int | None
    evaluated: int | None
    generated: int | None
    search_time: float | None
    peak_memory: int | None
    translate_time: float | None


def read_figures(log: str, *, until_first_plan: bool) -> Figures:
    """Read the figures of the whole search, or of an anytime search until its first plan."""
    which = 0 if until_first_plan else -1

    def printed(pattern: str, which: int = which) -> str | None:
        """The group of the pattern in the first or last matching line, with or without a time stamp."""
        found = re.findall(rf"^(?:\[t=[^\]]*\] )?{pattern}$", log, flags=re.MULTILINE)
        return str(found[which]) if found else None

    def states(what: str) -> int | None:
        found = printed(rf"{what} (\d+) state\(s\)\.")
        return None if found is None else int(found)

    seconds = printed(r"Actual search time: ([\d.e+-]+)s" if until_first_plan else r"Search time: ([\d.e+-]+)s")
    memory = printed(r"Peak memory: (\d+) KB", -1)
    translated = printed(r"Done! \[[\d.e+-]+s CPU, ([\d.e+-]+)s wall-clock\]", 0)
    return Figures(
        expanded=states("Expanded"),
        evaluated=states("Evaluated"),
        generated=states("Generated"),
        search_time=None if seconds is None else float(seconds),
        peak_memory=None if memory is None else int(memory) * 1024,
        translate_time=None if translated is None else float(translated),
    )
