"""Flags of the commands that search."""

from __future__ import annotations

from typing import Any

import typer

from goalward.search.best_first import ALGORITHMS, MAX_CORES
from goalward.search.solving import SHORT, WHILE_IT_PAYS, Improvement


def search_flag(more: str) -> Any:
    """The flag --search, which names one of our searches; ``more`` ends its help text."""
    summaries = "; ".join(f"{name}: {summary}" for name, summary in ALGORITHMS.items())
    return typer.Option("--search", "-s", metavar="|".join(ALGORITHMS), help=summaries + more, show_default=False)


CORES = typer.Option(
    min=1,
    max=MAX_CORES,
    help="processor cores for one state: parts of the search, and of improvement, run at the same time",
)
IMPROVE = typer.Option(
    "--improve",
    metavar="DURATION|none",
    help="improve the plan for so long after the search, within the time limit  "
    f"[default: as long as the search took, at least {SHORT:g}s]",
    show_default=False,
)


def parse_improvement(text: str | None) -> Improvement | None:
    """How long to improve plans, from what was typed."""
    return WHILE_IT_PAYS if text is None else Improvement.of(text)
