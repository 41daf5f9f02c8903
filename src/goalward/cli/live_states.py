"""What a terminal shows while ``goalward solve`` runs: the states that are done, and below them how far we are."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward.cli.live import search_view
from goalward.cli.solved_states import Results, Row, is_solved, line
from goalward.cli.terminal import errors
from goalward.outward import printable
from goalward.search import Statistics

LOOK_INTERVAL = 0.25
"""Seconds of search between two looks at its figures; drawing takes milliseconds, which short searches do not have."""


class LiveResults(Results):
    """Lines and progress must not be written to one terminal by two writers, who would not know where the cursor is.

    If stdout is a terminal, rich writes both to it.
    """

    def __init__(self, total: int, jobs: int) -> None:
        super().__init__(enabled=True)
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
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def add(self, row: Row) -> None:
        """A state is done."""
        self._done += 1
        self._solved += is_solved(row)
        if self._live.console.stderr:
            super().add(row)
        else:
            self._live.console.print(Text(printable(line(row)), style="" if is_solved(row) else "dim"), soft_wrap=True)
        self._next_look = LOOK_INTERVAL
        self._show()

    def searching(self, figures: Statistics) -> None:
        """A search goes on; with several at a time their figures would take turns, so none are shown."""
        if self._jobs == 1 and figures.seconds >= self._next_look:
            self._next_look = figures.seconds + LOOK_INTERVAL
            self._show(search_view(figures))

    def _show(self, *above: Table) -> None:
        counts = Text(f"{self._done} of {self._total} states, {self._solved} solved", style="dim")
        self._live.update(Group(*above, counts), refresh=True)
