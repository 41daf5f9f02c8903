"""Another program, run under a wall-clock limit; when this call returns or raises, nothing of it runs any more."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

POLL_SECONDS = 0.05
"""How often ``cancelled`` is asked, and how long the end of a program that keeps its output open may go unnoticed."""
GRACE_SECONDS = 0.5
"""What a program gets between SIGTERM and SIGKILL, to print its last lines."""
KEPT_BYTES = 8 * 2**20
"""How much of the end of each output stream is kept."""


class Cut(Enum):
    """Why a program was ended from outside."""

    TIME = "time"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Ended:
    """What a program left: ``code`` is negative for a signal; ``cut`` is None if it ended by itself."""

    code: int
    cut: Cut | None
    seconds: float
    out: str
    err: str


def run_limited(
    command: Sequence[str | Path],
    folder: Path,
    *,
    time_limit: float | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Ended:
    """Run a program and all that it starts in a process group of its own, in ``folder``, at most for the time limit."""
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # can be ended as a whole, and Ctrl-C in the terminal is left to us; the session stays ours
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        with process.stdout, process.stderr, Listener([process.stdout, process.stderr]) as listener:
            try:
                deadline = None if time_limit is None else started + time_limit
                cut = _watch(process, listener, deadline, cancelled)
                seconds = time.monotonic() - started
                if cut is not None:
                    _signal_group(process, signal.SIGTERM)
                    listener.listen_until(time.monotonic() + GRACE_SECONDS)
            finally:
                _signal_group(process, signal.SIGKILL)
                listener.listen_until(time.monotonic() + GRACE_SECONDS)  # to the end of the output: all have died
            out, err = listener.texts
    finally:
        process.wait()
    return Ended(process.returncode, cut, seconds, out, err)


def _watch(
    process: subprocess.Popen[bytes],
    listener: Listener,
    deadline: float | None,
    cancelled: Callable[[], bool] | None,
) -> Cut | None:
    """Wait for the end of the program, or for a reason to end it."""
    while True:
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            return None if process.poll() is not None else Cut.TIME
        wait = POLL_SECONDS if deadline is None else min(POLL_SECONDS, deadline - now)
        if listener.streams_open:
            listener.listen(wait)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(wait)
        if process.poll() is not None:
            return None
        if cancelled is not None and cancelled():
            return Cut.CANCELLED


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # Nobody left to hear it; macOS says "not permitted" of a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class Listener:
    """Reads several streams as they are written, and keeps the end of each."""

    def __init__(self, streams: Sequence[IO[bytes]]) -> None:
        self._selector = selectors.DefaultSelector()
        self._kept = [bytearray() for _ in streams]
        for stream, kept in zip(streams, self._kept, strict=True):
            self._selector.register(stream, selectors.EVENT_READ, kept)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *exc: object) -> None:
        self._selector.close()

    @property
    def streams_open(self) -> bool:
        """Does anyone still hold a stream?"""
        return bool(self._selector.get_map())

    @property
    def texts(self) -> list[str]:
        """What was read from each stream."""
        return [kept[-KEPT_BYTES:].decode(errors="replace") for kept in self._kept]

    def listen(self, seconds: float) -> None:
        """Take in what comes first, or nothing if that takes too long."""
        for key, _ in self._selector.select(seconds):
            piece = os.read(key.fd, 2**16)
            if not piece:
                self._selector.unregister(key.fileobj)
            key.data.extend(piece)
            if len(key.data) > 2 * KEPT_BYTES:
                del key.data[:-KEPT_BYTES]

    def listen_until(self, deadline: float) -> None:
        """Take in all that comes until then, or until all streams have ended."""
        while self.streams_open and (left := deadline - time.monotonic()) > 0:
            self.listen(left)
