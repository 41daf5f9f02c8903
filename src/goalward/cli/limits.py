"""Time and memory limits for a whole command, grounding included, and Ctrl-C as a wish rather than an exception."""

from __future__ import annotations

import resource
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from goalward import _core
from goalward.errors import ExitCode, LimitError


class Limits:
    """A clock that starts when it is made, and a ceiling on memory."""

    def __init__(self, seconds: float | None, memory: int | None) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.memory = memory

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds left, a little above zero when there are none; None without a limit."""
        return None if self.seconds is None else max(self.seconds - self.elapsed, 1e-3)

    def enforce(self, activity: str) -> _Enforcement:
        """Stop Python code that runs over a limit, with an error that says what it was doing."""
        return _Enforcement(self, activity)


class _Enforcement:
    """An alarm and a ceiling on private memory, from entry to exit.

    At the ceiling the least thing may raise MemoryError again, the parts of ``contextlib`` among them. Hence a class of
    its own, which lifts the ceiling before it does anything else and has its error ready.
    """

    def __init__(self, limits: Limits, activity: str) -> None:
        self._limits = limits
        self._activity = activity
        self._out_of_memory = LimitError(f"out of memory while {activity}", ExitCode.OUT_OF_MEMORY)
        self._before: tuple[int, int] | None = None
        self._handler: Any = None
        self._timer: tuple[float, float] | None = None
        self._streams = sys.stdout, sys.stderr

    def __enter__(self) -> None:
        limits = self._limits
        if limits.remaining is not None and threading.current_thread() is threading.main_thread():
            self._timer = signal.setitimer(signal.ITIMER_REAL, 0)  # whoever set it gets it back
            self._handler = signal.signal(signal.SIGALRM, self._expire)
            signal.setitimer(signal.ITIMER_REAL, limits.remaining)
        if limits.memory is not None:
            self._before = resource.getrlimit(resource.RLIMIT_DATA)
            hard = self._before[1]
            ceiling = _data_size() + max(limits.memory - _core.resident_memory(), 2**20)
            ceiling = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, self._before)
        if self._timer is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
        if isinstance(error, MemoryError):
            sys.stdout, sys.stderr = self._streams  # who had redirected them may have failed to undo it
            raise self._out_of_memory from None

    def _expire(self, signum: int, frame: FrameType | None) -> None:
        raise LimitError(f"out of time while {self._activity}", ExitCode.OUT_OF_TIME)


def _data_size() -> int:
    """Bytes of private writable memory, what RLIMIT_DATA counts; 0 where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmData:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Interrupt:
    """Turns the first Ctrl-C into a flag that progress callbacks read; the second one raises as usual."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *exc: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
