"""Runs a module in a session of its own, under hard limits, and leaves no process behind.

There are three processes: the worker starts a guard, and the guard forks the process that does the work. If the pipe
between worker and guard closes, for whatever reason, the guard ends the session. If the guard ends, the worker ends the
session. On Linux, the kernel also kills the working process when the guard dies. So if any one of the three is killed,
the others end.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

POLL_SECONDS = 0.05
MEMORY_SLACK = 0.05, 64 * 2**20
"""A process is killed if it exceeds its limit by this share plus these bytes; searches stop at the limit itself."""
PR_SET_PDEATHSIG = 1
LINUX = sys.platform.startswith("linux")


@dataclass(frozen=True)
class Ending:
    """How the working process ended.

    ``code`` is its exit code, negative for a signal. ``cut`` is the limit that it was killed for, "time" or "memory",
    or None if it ended by itself. ``memory`` is its peak in bytes.
    """

    code: int
    cut: str | None
    seconds: float
    memory: int


def one_thread(environment: dict[str, str]) -> dict[str, str]:
    """The environment, with all numerical libraries limited to one thread."""
    names = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS")
    return environment | {f"{name}_NUM_THREADS": "1" for name in names}


# --- in the worker ---


def run_guarded(
    module: str,
    message: str,
    seconds: float,
    memory: int,
    cancelled: Callable[[], bool],
    folder: str,
    cpu_seconds: float = math.inf,
) -> tuple[Ending | None, str, str]:
    """Run a module's ``main(message)`` under a guard; return how it ended, its stdout and its stderr.

    The ending is None if the guard itself was killed, or if ``cancelled`` returned True. ``folder`` is for temporary
    files.
    """
    from goalward.baselines.process import Listener  # noqa: PLC0415 - the guard imports this file, and must stay small

    process = subprocess.Popen(
        [sys.executable, "-m", "goalward.experiments.guard", module, repr(seconds), str(memory), repr(cpu_seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=one_thread(os.environ | {"TMPDIR": folder}),
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with process.stdout, process.stderr, Listener([process.stdout, process.stderr]) as listener:
            with contextlib.suppress(BrokenPipeError):  # it was killed at once
                process.stdin.write(message.encode() + b"\n")
                process.stdin.flush()
            while process.poll() is None and not cancelled():
                if listener.streams_open:
                    listener.listen(POLL_SECONDS)
                else:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(POLL_SECONDS)
            end_session(process.pid)
            listener.listen_until(time.monotonic() + 1.0)
            out, err = listener.texts
    finally:
        end_session(process.pid)
        process.kill()
        process.wait()
        with contextlib.suppress(BrokenPipeError):  # closing flushes what was never read
            process.stdin.close()
    # The guard writes the ending as the last line of stderr. The line is missing if the guard was killed.
    rest, _, last = err.rstrip("\n").rpartition("\n")
    if not last.startswith(_MARK):
        return None, out, err
    return Ending(**json.loads(last.removeprefix(_MARK))), out, rest


def end_session(session: int, spare: int | None = None) -> None:
    """Kill all processes of a session except ``spare``; repeat until none is left, since they may start others."""
    for _ in range(100):
        members = [pid for pid in session_members(session) if pid != spare]
        if not members:
            return
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def session_members(session: int) -> list[int]:
    """The ids of the running processes of a session; empty if the system has no ``/proc``."""
    found = []
    for entry in os.listdir("/proc") if LINUX else ():
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{entry}/stat", "rb") as file:
                # The name may contain anything, but ends with the last bracket. After it: state ppid pgrp session
                fields = file.read().rpartition(b")")[2].split()
                if int(fields[3]) == session and fields[0] not in {b"Z", b"X"}:
                    found.append(int(entry))
    return found


# --- in the guard ---

_MARK = "goalward guard: "


def main(arguments: list[str]) -> None:
    """Fork a child that works, and watch it: ``python -m goalward.experiments.guard MODULE SECONDS MEMORY CPU``.

    SECONDS is the limit of wall-clock time, MEMORY that of the child's memory in bytes, and CPU that of its CPU time in
    seconds.
    """
    module, seconds, memory, cpu_seconds = arguments[0], float(arguments[1]), int(arguments[2]), float(arguments[3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    message = _read_line(0)
    if message is None:  # the worker has ended already
        return
    guard = os.getpid()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        _end_with_parent(guard)
        _work(module, message)
    os.close(1)  # so that the worker sees the end of the output when the child ends
    _report(_watch(child, guard, time.monotonic(), seconds, memory, cpu_seconds))


def _read_line(descriptor: int) -> str | None:
    """Read one line and nothing after it; None if the input ends before the end of the line."""
    pieces = bytearray()
    while not pieces.endswith(b"\n"):
        piece = os.read(descriptor, 2**16)
        if not piece:
            return None
        pieces += piece
    return pieces.decode()


def _end_with_parent(parent: int) -> None:
    """Make this process end when its parent ends."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # the parent ended before the call above
        os._exit(1)


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os.killpg(0, signal.SIGKILL)


def _end(child: int, guard: int) -> None:
    """Kill the child and all processes that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    end_session(guard, spare=guard)


def _work(module: str, message: str) -> None:
    """Run the module's ``main`` with the message, write its result to stdout, and exit."""
    code = 1
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        output = os.dup(1)
        os.dup2(2, 1)  # keeps what libraries print out of the result
        from importlib import import_module  # noqa: PLC0415 - after the fork, to keep the guard small

        result = import_module(module).main(message)
        with open(output, "w", encoding="utf-8") as stream:
            stream.write(result)
        code = 0
    except BaseException:
        import traceback  # noqa: PLC0415

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _watch(child: int, guard: int, started: float, seconds: float, memory: int, cpu_seconds: float) -> Ending:
    """Wait for the child to end. Kill it at a limit; kill everything and exit if the worker has ended."""
    cut = None
    peak = 0
    ceiling = memory * (1 + MEMORY_SLACK[0]) + MEMORY_SLACK[1]
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        if cut is None:
            peak = max(peak, now := _resident(child))
            over = time.monotonic() - started >= seconds or _cpu_time(child) >= cpu_seconds
            cut = "memory" if now > ceiling else "time" if over else None
            if cut:
                _end(child, guard)
                continue
        ready, _, _ = select.select([0], [], [], POLL_SECONDS)
        if ready and not os.read(0, 2**16):
            _end(child, guard)
            os._exit(1)
    ended = time.monotonic() - started
    _end(child, guard)
    unit = 1024 if LINUX else 1
    return Ending(os.waitstatus_to_exitcode(status), cut, ended, max(peak, usage.ru_maxrss * unit))


def _cpu_time(pid: int) -> float:
    """Seconds of CPU time that a process has used; 0 if they cannot be read."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            user, system = file.read().rpartition(b")")[2].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return 0.0


def _resident(pid: int) -> int:
    """Resident memory of a process in bytes; 0 if it cannot be read."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _report(ending: Ending) -> None:
    fields: dict[str, Any] = dict(vars(ending))
    os.write(2, f"\n{_MARK}{json.dumps(fields)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
