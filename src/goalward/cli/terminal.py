"""Tables and what moves on a terminal, by rich.

rich keeps a console, and with it everything that this module imports, until the interpreter is gone; native objects
must be gone before. So nothing of goalward is imported here.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


class _Console(Console):
    """A console that raises BrokenPipeError where rich would exit with code 1, so that ``main`` decides how to end."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


errors = _Console(stderr=True, highlight=False, markup=False)  # what is printed may hold square brackets


def print_table(table: Table) -> None:
    """Print a table on stdout; square brackets in it are just that."""
    _Console(highlight=False, markup=False).print(table)
