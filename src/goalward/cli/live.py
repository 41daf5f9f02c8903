"""Live views on a terminal: a few calm numbers on stderr that disappear when the work ends."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward import _core
from goalward.cli.notebook import NotebookRows, in_notebook
from goalward.cli.signals import ended_at_once
from goalward.cli.terminal import errors
from goalward.measures import format_count, format_duration, format_size
from goalward.search import ImprovedPlan, Statistics

BARS = " ▁▂▃▄▅▆▇█"

Rows = Callable[[], list[tuple[str, str]]]


def search_view(statistics: Statistics) -> Table:
    """One row of figures."""
    rate = statistics.evaluated / statistics.seconds if statistics.seconds > 0 else 0.0
    cells = [
        ("time", format_duration(statistics.seconds)),
        ("expanded", format_count(statistics.expanded)),
        ("evaluations/s", format_count(rate)),
        ("best h", f"{statistics.best_h:g}"),
        ("memory", format_size(_core.resident_memory())),
    ]
    return _row(cells)


def improvement_view(so_far: ImprovedPlan) -> Table:
    """One row of figures."""
    cells = [
        ("improving", format_duration(so_far.seconds)),
        ("cost", f"{so_far.cost_before} → {so_far.cost}"),
        ("last better plan", format_duration(so_far.better[-1].seconds) if so_far.better else "-"),
        ("memory", format_size(_core.resident_memory())),
    ]
    return _row(cells)


def _row(cells: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 3))
    table.add_row(*(Text.assemble((f"{label} ", "dim"), (value, "bold")) for label, value in cells))
    return table


class LiveFigures:
    """Shows how search and improvement get on while a block runs; does nothing where there is no terminal.

    What the block prints meanwhile goes above the figures if stdout is a terminal too, and untouched to a pipe or file.
    """

    def __init__(self, enabled: bool) -> None:
        self._live = (
            Live(console=errors, transient=True, auto_refresh=False, redirect_stdout=sys.stdout.isatty())
            if enabled and errors.is_terminal
            else None
        )

    def __enter__(self) -> LiveFigures:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def searching(self, statistics: Statistics) -> None:
        """How far the search is."""
        if self._live is not None:
            self._live.update(search_view(statistics), refresh=True)

    def improving(self, so_far: ImprovedPlan) -> None:
        """How far the plan has come."""
        if self._live is not None:
            self._live.update(improvement_view(so_far), refresh=True)


@contextlib.contextmanager
def spinner(message: str, enabled: bool = True) -> Iterator[None]:
    """Work that cannot be asked to stop: on a terminal a word on what is happening, and a signal ends it at once."""
    shown = errors.status(message, spinner="dots") if enabled and errors.is_terminal else contextlib.nullcontext()
    with ended_at_once(message), shown:
        yield


def can_show_rows() -> bool:
    """Is there a terminal or a notebook for :func:`live_rows`?"""
    return errors.is_terminal or in_notebook()


def live_rows(rows: Rows) -> Live | NotebookRows:
    """A table of names and values, drawn by a thread of its own, so that the clock goes on during an epoch."""
    if in_notebook():
        return NotebookRows(rows)

    def draw() -> Table:
        table = Table.grid(padding=(0, 2))
        for name, value in rows():
            table.add_row(Text(name, style="dim"), value)
        return table

    return Live(console=errors, refresh_per_second=4, transient=True, get_renderable=draw)


class Losses(Protocol):
    """An epoch of any training."""

    @property
    def train_loss(self) -> float:
        """On what is learned from."""

    @property
    def validation_loss(self) -> float:
        """On what is held back."""


def describe_losses(curve: Sequence[Losses]) -> str:
    """The losses of the last epoch, and how they came down."""
    bars = sparkline([epoch.validation_loss for epoch in curve])
    return f"{curve[-1].train_loss:.3f} training, {curve[-1].validation_loss:.3f} validation  {bars}"


def at_most_left(limit: float, elapsed: float) -> str:
    """The rest of a time limit, to be put after the time that has passed."""
    return f", at most {format_duration(max(limit - elapsed, 0))} left"


def sparkline(losses: Sequence[float]) -> str:
    """The last losses as little bars, on a logarithmic scale."""
    finite = [loss for loss in losses if math.isfinite(loss)]  # a round that solved nothing has none
    values = [math.log(max(loss, 1e-9)) for loss in finite[-30:]] or [0.0]
    low, high = min(values), max(values)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0
    return "".join(BARS[round((value - low) * scale)] for value in values)
