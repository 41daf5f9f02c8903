"""Printing: results on stdout, progress and complaints on stderr, control characters escaped."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from typing import Any

import click

from goalward.outward import finite, printable


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text with control characters escaped."""
    # Unlike click.echo, print goes through sys.stdout, where rich puts lines above live figures.
    print(printable(text), file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)


def say_wrapped(text: str, indent: int = 0) -> None:
    """Print lines of prose: wrapped on a terminal, with ``indent`` below the first line, otherwise as they are."""
    if sys.stdout.isatty():
        columns, margin = shutil.get_terminal_size().columns, " " * indent
        lines = text.split("\n")
        text = "\n".join(
            textwrap.fill(line, columns, subsequent_indent=margin, break_on_hyphens=False) for line in lines
        )
    say(text)


def complain(message: str) -> None:
    """Print an error or a warning as one line on stderr."""
    click.echo(f"goalward: {printable(' '.join(message.split()))}", err=True)


def print_json(value: Any) -> None:
    """Print one JSON object on stdout; numbers that are not finite become null."""
    click.echo(json.dumps(finite(value), indent=2, allow_nan=False))


def on_terminal() -> bool:
    """True if stderr is a terminal; rich, which is slow to load, decides if it may be one."""
    forced = any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))
    if not (forced or sys.stderr.isatty()):
        return False
    from goalward.cli.terminal import errors  # noqa: PLC0415

    return errors.is_terminal
