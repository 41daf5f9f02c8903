"""Where everything is printed: stderr for what goes on, stdout for results. What others wrote is shown, not obeyed."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import typer

from goalward.outward import finite, printable


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whatever it holds: control characters are spelt out."""
    typer.echo(printable(text), err=err, nl=nl)


def print_json(value: Any) -> None:
    """Print one JSON object on stdout; what is no finite number is null."""
    typer.echo(json.dumps(finite(value), indent=2, allow_nan=False))


def on_terminal() -> bool:
    """Is stderr a terminal? rich, which is slow to load, decides where it may be one."""
    forced = any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))
    if not (forced or sys.stderr.isatty()):
        return False
    from goalward.cli.terminal import errors  # noqa: PLC0415

    return errors.is_terminal
