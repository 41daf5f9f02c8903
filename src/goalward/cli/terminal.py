"""Tables and live views on a terminal, by rich.

rich keeps a console, and everything that this module imports, until the interpreter ends; native objects must be freed
before. So this module imports nothing from goalward.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.table import Table


class _Console(Console):
    """A console that raises BrokenPipeError instead of exiting with code 1, so that ``main`` handles it."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


errors = _Console(stderr=True, highlight=False, markup=False)  # texts may contain square brackets


def make_table(titles: Sequence[str], rows: Iterable[Sequence[RenderableType]], *, left: int = 1) -> Table:
    """A table without lines; the first ``left`` columns are flush left, the others flush right."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold", show_header=any(titles))
    for number, title in enumerate(titles):
        table.add_column(title, justify="left" if number < left else "right")
    for row in rows:
        table.add_row(*row)
    return table


def print_table(table: Table) -> None:
    """Print a table on stdout; square brackets in it are not markup."""
    _Console(highlight=False, markup=False).print(table)
