"""Ctrl-C and SIGTERM: both ask a command to end and to keep what it has; only the exit code tells them apart.

Every command runs under ``ending_signals``, where a signal raises KeyboardInterrupt. Inside it, work that can be asked
to stop runs under ``Interrupt``, and work that cannot (grounding, say) under ``ended_at_once``.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from goalward.errors import StoppedError

ENDING = (signal.SIGINT, signal.SIGTERM)

Handler = Callable[[int, FrameType | None], None]

_received: set[int] = set()


@contextlib.contextmanager
def ending_signals() -> Iterator[set[int]]:
    """A whole command; gives the signals that come while it runs."""
    _received.clear()
    with handled_by(_raise):
        yield _received


@contextlib.contextmanager
def ended_at_once(activity: str) -> Iterator[None]:
    """Work that leaves nothing worth keeping: a signal ends it with an error that says what was going on.

    An exception that strikes inside a finaliser or a callback of the garbage collector is lost, and grounding makes a
    lot of garbage. Where this one is lost, it strikes again a moment later.
    """
    struck = False

    def strike(number: int, frame: FrameType | None) -> None:
        nonlocal struck
        struck = True
        raise KeyboardInterrupt

    try:
        with handled_by(strike), _striking_again(strike):
            yield
    except KeyboardInterrupt:
        struck = True
    if struck:
        raise StoppedError(f"interrupted while {activity}")


class Interrupt:
    """Turns the first signal into a flag that progress callbacks read; the second one raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Interrupt:
        self._handlers = handled_by(self._note)
        self._handlers.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._handlers.__exit__(None, None, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextlib.contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """Give both signals to the handler, unless this process was started with orders to ignore them."""

    def note(number: int, frame: FrameType | None) -> None:
        _received.add(number)
        handler(number, frame)

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) not in {signal.SIG_IGN, None}:
                previous[number] = signal.signal(number, note)
    try:
        yield
    finally:
        for number, old in previous.items():
            signal.signal(number, old)


@contextlib.contextmanager
def _striking_again(strike: Handler) -> Iterator[None]:
    """Call the handler again wherever Python reports that a KeyboardInterrupt was lost.

    It cannot be raised from the report, which would lose it as well. A timer of processor time raises it just after.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    report = sys.unraisablehook

    def lost(what: sys.UnraisableHookArgs) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
        else:
            report(what)

    previous = signal.signal(signal.SIGVTALRM, strike)
    sys.unraisablehook = lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.unraisablehook = report
        signal.signal(signal.SIGVTALRM, previous)


def _raise(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
