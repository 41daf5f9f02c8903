"""Runs another program under a wall-clock limit, and ends all of its processes before returning or raising."""

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
"""Interval at which ``cancelled`` is called and the end of the program is checked."""
GRACE_SECONDS = 0.5
"""Time between SIGTERM and SIGKILL, in which a program may print its last lines."""
KEPT_BYTES = 8 * 2**20
"""Number of bytes that are kept of each output stream, from its end."""


class Cut(Enum):
    """Why a program was ended before it ended by itself."""

    TIME = "time"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Ended:
    """How a program ended, and its output. ``code`` is negative for a signal; ``cut`` is None if it ended by itself."""

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
    """Run a program in ``folder``, in a process group of its own, for at most ``time_limit`` seconds."""
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # So that all of its processes can be ended together, and only this process gets Ctrl-C from the terminal. The
        # session stays the same: whoever ends this process's session ends the program, too.
        process_group=0,
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
                listener.listen_until(time.monotonic() + GRACE_SECONDS)  # read the rest of the output
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
    """Wait until the program ends (None), or until it must be ended, for the returned reason."""
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
    """Send a signal to all processes of the program."""
    # The group may have ended already; for a group of zombies, macOS raises PermissionError.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class Listener:
    """Reads several streams at the same time, and keeps the end of each."""

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
        """True until all streams have reached their end."""
        return bool(self._selector.get_map())

    @property
    def texts(self) -> list[str]:
        """The last ``KEPT_BYTES`` of each stream, as text."""
        return [kept[-KEPT_BYTES:].decode(errors="replace") for kept in self._kept]

    def listen(self, seconds: float) -> None:
        """Wait at most this time for output, and read what is available."""
        for key, _ in self._selector.select(seconds):
            piece = os.read(key.fd, 2**16)
            if not piece:
                self._selector.unregister(key.fileobj)
            key.data.extend(piece)
            if len(key.data) > 2 * KEPT_BYTES:
                del key.data[:-KEPT_BYTES]

    def listen_until(self, deadline: float) -> None:
        """Read output until the deadline, or until all streams have ended."""
        while self.streams_open and (left := deadline - time.monotonic()) > 0:
            self.listen(left)
