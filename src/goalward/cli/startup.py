"""The start of the program: Ctrl-C is handled, the clock starts, modules are imported without needless work."""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing that is not needed is loaded before Ctrl-C is handled
    from types import FrameType
    from typing import NoReturn

_started = time.monotonic()


def main() -> NoReturn:
    """Run the program. Until it has handlers of its own, which takes some imports, Ctrl-C ends it with one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    from goalward.cli.main import main as run_program  # noqa: PLC0415

    run_program()


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """Imports nothing: the signal may arrive while any module is only half imported."""
    try:  # noqa: SIM105 - contextlib may be one of these modules
        os.write(2, b"goalward: interrupted\n")
    except OSError:
        pass
    os._exit(128 + number)


def start_clock(ago: float = 0.0) -> None:
    """Start the clock of a command, or set it to ``ago`` seconds. It starts early: time limits include imports."""
    global _started  # noqa: PLW0603 - a process runs one command
    _started = time.monotonic() - ago


def started() -> float:
    """When the command started, by ``time.monotonic``."""
    return _started
