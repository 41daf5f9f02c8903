"""Fuzzes the readers of all kinds of files with damaged files, and prints the seeds of findings.

Kinds take turns, some seconds each, in child processes, so that a signal, a hang or hunger for memory is a finding like
any other. A finding is run again with ``--kind KIND --seed SEED``.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzed import KINDS

TURN_SECONDS = 20.0
HANG_SECONDS = 60.0
MAX_MEMORY = 4 * 2**30
"""Address space of a child in bytes; no file should need more."""
RAM_DISK = Path("/dev/shm")
"""Folder of scratch files if it exists; a disk would be the bottleneck."""


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="goalward-fuzz-", dir=RAM_DISK if RAM_DISK.is_dir() else None)


def child(kind: str, first: int, seconds: float, folder: Path, told: int) -> None:
    """Try seeds until the time is over. Each is written to the pipe first, and failures to stderr."""
    attempt = KINDS[kind](folder)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    end = time.monotonic() + seconds
    seed = first
    while time.monotonic() < end:
        os.write(told, b"%d\n" % seed)
        try:
            attempt(random.Random(seed))
        except Exception:
            print(f"--- {kind}, seed {seed}", file=sys.stderr)
            traceback.print_exc()
            os.write(told, b"!\n")
        seed += 1


def run_child(kind: str, first: int, seconds: float) -> tuple[int, list[str]]:
    """Run a child; return the number of inputs and the findings."""
    reading, writing = os.pipe()
    with scratch_folder() as folder:
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            code = 1
            try:
                child(kind, first, seconds, Path(folder), writing)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writing)
        os.set_blocking(reading, False)
        told, last, hung = b"", time.monotonic(), False
        ended = status = 0
        while not ended:
            ended, status = os.waitpid(pid, os.WNOHANG)
            try:
                while more := os.read(reading, 2**16):
                    told, last = told + more, time.monotonic()
            except BlockingIOError:
                pass
            if not ended and time.monotonic() - last > HANG_SECONDS:
                hung = True
                os.kill(pid, signal.SIGKILL)
                ended, status = os.waitpid(pid, 0)
            time.sleep(0.01)
        os.close(reading)
    lines = told.decode().split()
    tried = [line for line in lines if line != "!"]
    found = [f"{kind}, seed {lines[i - 1]}: an exception" for i, line in enumerate(lines) if line == "!"]
    if status:
        how = (
            f"no end after {HANG_SECONDS:g} s"
            if hung
            else signal.Signals(os.WTERMSIG(status)).name
            if os.WIFSIGNALED(status)
            else f"exit code {os.WEXITSTATUS(status)}"
        )
        found.append(f"{kind}, seed {tried[-1] if tried else '-'}: {how}")
    return len(tried), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--kind", choices=KINDS, help="only this kind")
    parser.add_argument("--seed", type=int, help="only this input, in this process")
    parser.add_argument(
        "--first", type=int, default=int(time.time()) * 10_000, help="the first seed; default: from the clock"
    )
    chosen = parser.parse_args()
    if chosen.seed is not None:
        with scratch_folder() as folder:
            KINDS[chosen.kind or "models"](Path(folder))(random.Random(chosen.seed))
        return
    kinds = [chosen.kind] if chosen.kind else list(KINDS)
    end = time.monotonic() + chosen.seconds
    tried: Counter[str] = Counter()
    found: list[str] = []
    while (left := end - time.monotonic()) > 0:
        for kind in kinds:
            turn = max(min(left / len(kinds), TURN_SECONDS), 1.0)
            number, trouble = run_child(kind, chosen.first + tried[kind], turn)
            tried[kind] += number
            found += trouble
            for line in trouble:
                print(line, flush=True)
    for kind in kinds:
        print(f"{kind:14} {tried[kind]:>9} inputs")
    print(f"{'all':14} {tried.total():>9} inputs, {len(found)} findings; the first seed was {chosen.first}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
