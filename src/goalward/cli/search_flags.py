"""Flags of the commands that search."""

from __future__ import annotations

from goalward.cli.parameters import Flag, flag
from goalward.search.best_first import ALGORITHMS, MAX_CORES
from goalward.search.solving import DEFAULT_IMPROVEMENT, MIN_IMPROVE_TIME, Improvement


def search_flag(note: str, more: str = "") -> Flag:
    """The flag --search; ``more`` is added to its help text, and ``note`` names the default."""
    summaries = "; ".join(f"{name}: {summary}" for name, summary in ALGORITHMS.items())
    return flag("--search", "-s", "algorithm", help=summaries + more, metavar="|".join(ALGORITHMS), note=note)


CORES = flag(
    "--cores",
    help="processor cores for one state: parts of the search, and of improvement, run at the same time",
    default=1,
    low=1,
    high=MAX_CORES,
)
IMPROVE = flag(
    "--improve",
    help="time for improving the plan after the search, within the time limit",
    metavar="DURATION|none",
    note=f"default: as long as the search took, at least {MIN_IMPROVE_TIME:g}s",
)


def parse_improvement(text: str | None) -> Improvement | None:
    """How long to improve plans, from the text of --improve."""
    return DEFAULT_IMPROVEMENT if text is None else Improvement.of(text)
