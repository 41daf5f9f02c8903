"""Live views: a few figures on stderr that disappear when the work ends, or a table in a Jupyter notebook."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward import _core
from goalward.cli.signals import ended_at_once
from goalward.cli.terminal import errors
from goalward.display import html_table
from goalward.measures import format_count, format_duration, format_size
from goalward.search import ImprovedPlan, Statistics

BARS = " ▁▂▃▄▅▆▇█"
NOTEBOOK_INTERVAL = 0.5
"""Seconds between two updates of a table in a notebook."""

Rows = Callable[[], list[tuple[str, str]]]


def search_view(statistics: Statistics) -> Table:
    """The figures of a search in one row."""
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
    """The figures of improvement in one row."""
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
    """Shows the progress of search and improvement while a block runs; does nothing without a terminal.

    Lines that the block prints appear above the figures if stdout is a terminal too.
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
        """Show the figures of the search."""
        if self._live is not None:
            self._live.update(search_view(statistics), refresh=True)

    def improving(self, so_far: ImprovedPlan) -> None:
        """Show the figures of improvement."""
        if self._live is not None:
            self._live.update(improvement_view(so_far), refresh=True)


@contextlib.contextmanager
def spinner(message: str, enabled: bool = True) -> Iterator[None]:
    """For work that cannot be asked to stop: shows its name on a terminal, and a signal ends it at once."""
    shown = errors.status(message, spinner="dots") if enabled and errors.is_terminal else contextlib.nullcontext()
    with ended_at_once(message), shown:
        yield


def can_show_rows() -> bool:
    """True if there is a terminal or a notebook for :func:`live_rows`."""
    return errors.is_terminal or in_notebook()


def live_rows(rows: Rows) -> Live | NotebookRows:
    """A table of names and values, redrawn by a thread, so that the time is updated during an epoch."""
    if in_notebook():
        return NotebookRows(rows)

    def draw() -> Table:
        table = Table.grid(padding=(0, 2))
        for name, value in rows():
            table.add_row(Text(name, style="dim"), value)
        return table

    return Live(console=errors, refresh_per_second=4, transient=True, get_renderable=draw)


def in_notebook() -> bool:
    """True if this process serves a notebook."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class NotebookRows:
    """A table of names and values in the output of a cell, redrawn by a thread while the block runs."""

    def __init__(self, rows: Callable[[], list[tuple[str, str]]]) -> None:
        self.console = Console(highlight=False, markup=False)  # for lines that remain
        self._rows = rows
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)

    def __enter__(self) -> NotebookRows:
        from IPython.display import display  # noqa: PLC0415 - only notebooks have it

        self._output = display(self._drawn(), display_id=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._output.update(self._drawn())

    def _draw_on(self) -> None:
        while not self._ended.wait(NOTEBOOK_INTERVAL):
            self._output.update(self._drawn())

    def _drawn(self) -> Any:
        from IPython.display import HTML  # noqa: PLC0415

        return HTML(html_table("", self._rows()))


class Losses(Protocol):
    """The losses of one epoch."""

    @property
    def train_loss(self) -> float:
        """On the training states."""

    @property
    def validation_loss(self) -> float:
        """On the validation states."""


def describe_losses(curve: Sequence[Losses]) -> str:
    """The losses of the last epoch, and a sparkline of the validation losses."""
    bars = sparkline([epoch.validation_loss for epoch in curve])
    return f"{curve[-1].train_loss:.3f} training, {curve[-1].validation_loss:.3f} validation  {bars}"


def at_most_left(limit: float, elapsed: float) -> str:
    """The text about the remaining time, to follow the elapsed time."""
    return f", at most {format_duration(max(limit - elapsed, 0))} left"


def sparkline(losses: Sequence[float]) -> str:
    """The last losses as small bars, on a logarithmic scale."""
    finite = [loss for loss in losses if math.isfinite(loss)]  # a round that solved nothing has none
    values = [math.log(max(loss, 1e-9)) for loss in finite[-30:]] or [0.0]
    low, high = min(values), max(values)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0
    return "".join(BARS[round((value - low) * scale)] for value in values)
