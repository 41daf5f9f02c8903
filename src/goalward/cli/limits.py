"""Time and memory limits for a whole command, grounding included."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from goalward import _core
from goalward.cli import startup
from goalward.cli.signals import handled_by
from goalward.errors import ExitCode, LimitError

CHECK_INTERVAL = 0.01
"""Seconds between two checks of the limits while Python code runs."""
RETRY_INTERVAL = 0.1
"""Seconds until a limit that was reached is enforced again, enough to leave the code that was interrupted."""


class Limits:
    """A time limit that counts from ``started`` (by default from now), and a memory limit."""

    def __init__(self, seconds: float | None, memory: int | None, started: float | None = None) -> None:
        self.started = time.monotonic() if started is None else started
        self.seconds = seconds
        self.memory = memory

    @classmethod
    def of_command(cls, seconds: float | None, memory: int | None) -> Limits:
        """The limits of the running command; the time for its imports counts."""
        return cls(seconds, memory, startup.started())

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds left, slightly above zero if there are none; None without a limit."""
        return None if self.seconds is None else max(self.seconds - self.elapsed, 1e-3)

    def enforce(
        self, activity: str, *, signals: bool = True, unless: Callable[[], bool] | None = None, advice: str = ""
    ) -> _Enforcement:
        """Stop Python code that exceeds a limit, with an error that says what it was doing.

        With ``signals``, Ctrl-C and SIGTERM stop it too; otherwise their handlers are not changed. The time limit is
        not enforced while ``unless`` returns True: such code has something to keep and stops by itself. ``advice`` is
        added to the error about time.
        """
        return _Enforcement(self, activity, signals, unless, advice)


class _Enforcement:
    """Checks time and memory every few milliseconds, from entry to exit, in the handler of a timer signal.

    A limit by the system (``RLIMIT_DATA``) would be exact, but the interpreter does not survive it: without any memory
    left, unwinding an exception may fail forever.
    """

    def __init__(
        self, limits: Limits, activity: str, signals: bool, unless: Callable[[], bool] | None, advice: str
    ) -> None:
        self._limits = limits
        self._activity = activity
        self._advice = advice
        self._unless = unless or (lambda: False)
        self._streams = sys.stdout, sys.stderr
        self._handler: Any = None
        self._ending_signals = handled_by(self._interrupt) if signals else contextlib.nullcontext()
        self._timer: tuple[float, float] | None = None
        self._interrupted = False

    def __enter__(self) -> None:
        self._check_time()
        if threading.current_thread() is threading.main_thread():
            self._timer = signal.setitimer(signal.ITIMER_REAL, 0)  # restored on exit
            self._handler = signal.signal(signal.SIGALRM, self._check)
            self._ending_signals.__enter__()
            if self._limits.seconds is not None or self._limits.memory is not None:
                signal.setitimer(signal.ITIMER_REAL, CHECK_INTERVAL, CHECK_INTERVAL)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._timer is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            self._ending_signals.__exit__(None, None, None)
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
        if isinstance(error, (LimitError, MemoryError, KeyboardInterrupt)):  # it may have redirected the streams
            sys.stdout, sys.stderr = self._streams
        if isinstance(error, MemoryError):
            raise LimitError(f"out of memory while {self._activity}", ExitCode.OUT_OF_MEMORY) from None

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        self._interrupted = True
        self._ask_again()
        raise KeyboardInterrupt

    def _check(self, signum: int, frame: FrameType | None) -> None:
        limits = self._limits
        if self._interrupted:
            raise KeyboardInterrupt
        self._check_time()
        if limits.memory is not None and _core.resident_memory() > limits.memory:
            self._ask_again()
            raise LimitError(f"out of memory while {self._activity}", ExitCode.OUT_OF_MEMORY)

    def _check_time(self) -> None:
        limits = self._limits
        if limits.seconds is not None and limits.elapsed >= limits.seconds and not self._unless():
            if self._timer is not None:
                self._ask_again()
            raise LimitError(f"out of time while {self._activity}{self._advice}", ExitCode.OUT_OF_TIME)

    def _ask_again(self) -> None:
        """Raise the exception again at the next check: an exception inside a finaliser is lost."""
        signal.setitimer(signal.ITIMER_REAL, RETRY_INTERVAL, RETRY_INTERVAL)
