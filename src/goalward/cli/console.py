"""Where everything is printed: stderr for what goes on, stdout for results. What others wrote is shown, not obeyed.

rich keeps a console, and with it everything that this module imports, until the interpreter is gone; native objects
must be gone before. So nothing of goalward is imported here but ``outward``.
"""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from goalward.outward import finite, printable


class _Console(Console):
    """A console that raises BrokenPipeError where rich would exit with code 1, so that ``main`` decides how to end."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


errors = _Console(stderr=True, highlight=False, markup=False)  # what is printed may hold square brackets


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whatever it holds: control characters are spelt out."""
    typer.echo(printable(text), err=err, nl=nl)


def print_json(value: Any) -> None:
    """Print one JSON object on stdout; what is no finite number is null."""
    typer.echo(json.dumps(finite(value), indent=2, allow_nan=False))


def print_table(table: Table) -> None:
    """Print a table on stdout; square brackets in it are just that."""
    _Console(highlight=False, markup=False).print(table)
