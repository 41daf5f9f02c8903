"""The start of the program: Ctrl-C is handled, the clock starts, modules are imported without needless work."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import time
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

BLAS_THREADS = "OPENBLAS_NUM_THREADS"

_started = time.monotonic()


def main() -> NoReturn:
    """Run the program. Until it has handlers of its own, which takes some imports, Ctrl-C ends it with one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    from goalward.cli.main import main as run_program  # noqa: PLC0415

    run_program()


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"goalward: interrupted\n")
    os._exit(128 + number)


def start_clock(ago: float = 0.0) -> None:
    """A command starts, or started so many seconds ago. Time limits count from here, so that they include imports."""
    global _started  # noqa: PLW0603 - a process runs one command
    _started = time.monotonic() - ago


def started() -> float:
    """When the command started, by ``time.monotonic``."""
    return _started


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """Import without garbage collection and without threads for numpy's BLAS.

    Imports leave no garbage. goalward multiplies no large matrices with numpy, and starting a thread per core takes
    longer than loading numpy. The library reads the variable once, when it is loaded; child processes and PyTorch are
    not affected.
    """
    collecting, chosen = gc.isenabled(), os.environ.get(BLAS_THREADS)
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        gc.disable()
        yield
    finally:
        if collecting:
            gc.enable()
            gc.freeze()  # otherwise the first collection would go through everything that was imported
        if chosen is None:
            os.environ.pop(BLAS_THREADS, None)
