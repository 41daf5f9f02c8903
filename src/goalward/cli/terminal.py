"""Tables and live views on a terminal, by rich.

rich keeps a console, and everything that this module imports, until the interpreter ends; native objects must be freed
before. So this module imports nothing from goalward.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


class _Console(Console):
    """A console that raises BrokenPipeError instead of exiting with code 1, so that ``main`` handles it."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


errors = _Console(stderr=True, highlight=False, markup=False)  # texts may contain square brackets


def print_table(table: Table) -> None:
    """Print a table on stdout; square brackets in it are not markup."""
    _Console(highlight=False, markup=False).print(table)
