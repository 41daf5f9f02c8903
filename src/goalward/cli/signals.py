"""Ctrl-C and SIGTERM: both ask a command to stop and to keep its results so far; only the exit codes differ.

Every command runs under ``ending_signals``, where a signal raises KeyboardInterrupt. Work that can be asked to stop
runs under ``Interrupt``, and work that cannot, such as grounding, under ``ended_at_once``.
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
    """For a whole command; yields the set of signals received while it runs."""
    _received.clear()
    with handled_by(_raise):
        yield _received


@contextlib.contextmanager
def ended_at_once(activity: str) -> Iterator[None]:
    """For work without results to keep: a signal ends it with an error that names the activity.

    Python drops an exception that is raised inside a finaliser or a callback of the garbage collector, and grounding
    makes a lot of garbage. If the exception is dropped, it is raised again a moment later.
    """
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    try:
        with handled_by(interrupt), _raising_again(interrupt):
            yield
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        raise StoppedError(f"interrupted while {activity}")


class Interrupt(contextlib.ExitStack):
    """The first signal sets a flag that progress callbacks read; the second one raises KeyboardInterrupt."""

    asked = False

    def go_on(self) -> bool:
        """False once a stop was requested."""
        return not self.asked

    def __enter__(self) -> Interrupt:
        self.enter_context(handled_by(self._note))
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextlib.contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """Install the handler for both signals, unless this process was started with them ignored."""

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
def _raising_again(interrupt: Handler) -> Iterator[None]:
    """Call the handler again if Python reports that a KeyboardInterrupt was dropped.

    An exception raised in the report would be dropped as well, so a timer of CPU time raises it shortly after.
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

    previous = signal.signal(signal.SIGVTALRM, interrupt)
    sys.unraisablehook = lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.unraisablehook = report
        signal.signal(signal.SIGVTALRM, previous)


def _raise(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
