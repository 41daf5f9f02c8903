"""Time and memory limits for a whole command, grounding included, and Ctrl-C as a wish rather than an exception."""

from __future__ import annotations

import contextlib
import resource
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

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

    @contextlib.contextmanager
    def enforce(self, activity: str) -> Iterator[None]:
        """Stop Python code that runs over a limit, with an error that says what it was doing."""
        with contextlib.ExitStack() as stack:
            if self.remaining is not None and threading.current_thread() is threading.main_thread():

                def expire(signum: int, frame: FrameType | None) -> None:
                    raise LimitError(f"out of time while {activity}", ExitCode.OUT_OF_TIME)

                previous = signal.signal(signal.SIGALRM, expire)
                stack.callback(signal.signal, signal.SIGALRM, previous)
                signal.setitimer(signal.ITIMER_REAL, self.remaining)
                stack.callback(signal.setitimer, signal.ITIMER_REAL, 0)
            if self.memory is not None:
                soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
                used = _data_size()
                room = max(self.memory - _core.resident_memory(), 2**20)
                ceiling = used + room if hard == resource.RLIM_INFINITY else min(used + room, hard)
                resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))
                stack.callback(resource.setrlimit, resource.RLIMIT_DATA, (soft, hard))
            try:
                yield
            except MemoryError:
                raise LimitError(f"out of memory while {activity}", ExitCode.OUT_OF_MEMORY) from None


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
