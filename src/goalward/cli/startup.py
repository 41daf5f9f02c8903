"""What happens before a command runs: the clock starts, and modules are imported without needless work."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections.abc import Iterator

BLAS_THREADS = "OPENBLAS_NUM_THREADS"

_started = time.monotonic()


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
