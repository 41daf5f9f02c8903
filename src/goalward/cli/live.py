"""Figures that change while work goes on: on stderr, where they disappear afterwards, or in a cell of a notebook."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward import _core
from goalward.cli.console import say
from goalward.cli.signals import Interrupt, ended_at_once
from goalward.cli.terminal import errors
from goalward.display import html_table
from goalward.measures import format_count, format_duration, format_size
from goalward.outward import printable
from goalward.search import ImprovedPlan, Statistics

NOTEBOOK_INTERVAL = 0.5
"""Seconds between two updates of a table in a notebook."""

Rows = Callable[[], list[tuple[str, str]]]
"""Gives names and values, as they are now."""


class LiveFigures:
    """Figures that change while a block runs; lines that it prints stay, above them.

    Without a terminal there are only the lines. ``rows`` are drawn several times a second; otherwise ``update`` draws.
    """

    def __init__(self, rows: Rows | None = None, *, enabled: bool = True, interrupt: Interrupt | None = None) -> None:
        self._interrupt = interrupt
        self._live: Live | None = None
        if enabled and errors.is_terminal:
            draw = None if rows is None else lambda: _table(rows())
            self._live = Live(
                console=errors, transient=True, auto_refresh=draw is not None, get_renderable=draw,
                redirect_stdout=sys.stdout.isatty(),
            )  # fmt: skip

    def __enter__(self) -> LiveFigures:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    @property
    def shown(self) -> bool:
        """True if there is a terminal."""
        return self._live is not None

    def update(self, *parts: RenderableType) -> None:
        """Show these instead of what was shown before."""
        if self._live is not None:
            self._live.update(Group(*parts), refresh=True)

    def say(self, line: str) -> None:
        """Print a line that stays."""
        if self._live is not None:
            self._live.console.print(printable(line))
        else:
            say(line, err=True)

    def searching(self, statistics: Statistics, *below: RenderableType) -> bool:
        """Show the figures of a search; False once a stop was requested."""
        if self._live is not None:
            rate = statistics.evaluated / statistics.seconds if statistics.seconds > 0 else 0.0
            figures = _row(
                ("time", format_duration(statistics.seconds)),
                ("expanded", format_count(statistics.expanded)),
                ("evaluations/s", format_count(rate)),
                ("best h", f"{statistics.best_h:g}"),
            )
            self.update(figures, *below)
        return self._interrupt is None or self._interrupt.go_on()

    def improving(self, so_far: ImprovedPlan) -> bool:
        """Show the figures of the improvement of a plan; False once a stop was requested."""
        if self._live is not None:
            last = format_duration(so_far.better[-1].seconds) if so_far.better else "-"
            cost = f"{so_far.cost_before} → {so_far.cost}"
            self.update(
                _row(("improving", format_duration(so_far.seconds)), ("cost", cost), ("last better plan", last))
            )
        return self._interrupt is None or self._interrupt.go_on()


class NotebookFigures:
    """Names and values in the output of a cell, drawn by a thread while a block runs; lines are printed below."""

    shown = True

    def __init__(self, rows: Rows) -> None:
        self._console = Console(highlight=False, markup=False)
        self._rows = rows
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)

    def __enter__(self) -> NotebookFigures:
        from IPython.display import display  # noqa: PLC0415 - only notebooks have it

        self._output = display(self._drawn(), display_id=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._output.update(self._drawn())

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self._console.print(printable(line))

    def _draw_on(self) -> None:
        while not self._ended.wait(NOTEBOOK_INTERVAL):
            self._output.update(self._drawn())

    def _drawn(self) -> Any:
        from IPython.display import HTML  # noqa: PLC0415

        return HTML(html_table("", self._rows()))


def in_notebook() -> bool:
    """True if this process serves a notebook."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def spinner(message: str, enabled: bool = True) -> Iterator[None]:
    """For work that cannot be asked to stop: shows its name on a terminal, and a signal ends it at once."""
    shown = errors.status(message, spinner="dots") if enabled and errors.is_terminal else contextlib.nullcontext()
    with ended_at_once(message), shown:
        yield


def _row(*cells: tuple[str, str]) -> Table:
    table = Table.grid(padding=(0, 3))
    shown = [*cells, ("memory", format_size(_core.resident_memory()))]
    table.add_row(*(Text.assemble((f"{label} ", "dim"), (value, "bold")) for label, value in shown))
    return table


def _table(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(value))
    return table
