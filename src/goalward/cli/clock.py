"""When the command that runs began: its time limit counts from there, so that loading what it needs counts too."""

from __future__ import annotations

import time

_started = time.monotonic()


def start(ago: float = 0.0) -> None:
    """A command begins, or began so many seconds ago."""
    global _started  # noqa: PLW0603 - a process runs one command
    _started = time.monotonic() - ago


def started() -> float:
    """When it did, by ``time.monotonic``."""
    return _started
