"""What a terminal shows while ``goalward solve`` runs: the rows of the table so far, and the progress below them."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward.cli.console import say
from goalward.cli.live import search_view
from goalward.cli.solved_states import Results, Row, StateTable, is_solved
from goalward.cli.terminal import errors
from goalward.measures import counted
from goalward.outward import printable
from goalward.search import Statistics

LOOK_INTERVAL = 0.25
"""Seconds of search between two updates of its figures; drawing takes milliseconds, too long for short searches."""


class LiveResults(Results):
    """Rows and progress on a terminal.

    If stdout is a terminal, rich writes both to it: two writers would not know where the cursor is.
    """

    def __init__(self, table: StateTable, total: int, jobs: int) -> None:
        super().__init__(table)
        self._rows = table
        self._total = total
        self._jobs = jobs
        self._done = 0
        self._solved = 0
        self._next_look = LOOK_INTERVAL
        out = Console(highlight=False, markup=False, emoji=False)
        console = out if out.is_terminal else errors
        self._live = Live(console=console, transient=True, auto_refresh=False, redirect_stdout=False)

    def __enter__(self) -> LiveResults:
        self._live.start()
        self._print(self._rows.header(), style="bold")
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def add(self, row: Row) -> None:
        """A state is done."""
        self._done += 1
        self._solved += is_solved(row)
        self._print(self._rows.row(row), style="" if is_solved(row) else "dim")
        self._next_look = LOOK_INTERVAL
        self._show()

    def _print(self, line: str, style: str) -> None:
        if self._live.console.stderr:
            say(line)
        else:
            self._live.console.print(Text(printable(line), style=style), soft_wrap=True)

    def searching(self, figures: Statistics) -> None:
        """A search is running; the figures of several at a time would take turns, so they are not shown."""
        if self._jobs == 1 and figures.seconds >= self._next_look:
            self._next_look = figures.seconds + LOOK_INTERVAL
            self._show(search_view(figures))

    def _show(self, *above: Table) -> None:
        counts = Text(f"{self._done} of {counted(self._total, 'state')}, {self._solved} solved", style="dim")
        self._live.update(Group(*above, counts), refresh=True)
