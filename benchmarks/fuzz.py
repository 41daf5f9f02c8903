"""Damaged files of every kind, for as long as there is time: how many of each, and the seeds of what is found.

Inputs run in child processes, some hundred in each, so that a signal or a hang is a finding like any other. A finding
is run again with ``--kind KIND --seed SEED``.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from mutations import KINDS

INPUTS_OF_A_CHILD = 400
HANG_SECONDS = 60


def child(kind: str, seeds: range, folder: Path, told: int) -> None:
    """Try the seeds; write each to the pipe before it is tried, and what goes wrong to stderr."""
    attempt = KINDS[kind](folder)
    for seed in seeds:
        os.write(told, b"%d\n" % seed)
        try:
            attempt(random.Random(seed))
        except Exception:
            print(f"--- {kind}, seed {seed}", file=sys.stderr)
            traceback.print_exc()
            os.write(told, b"!\n")


def run_child(kind: str, seeds: range, seconds: float) -> tuple[int, list[str]]:
    """How many inputs were tried, and what was found."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="goalward-fuzz-") as folder:
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            signal.setitimer(signal.ITIMER_REAL, 0)
            code = 1
            try:
                child(kind, seeds, Path(folder), writing)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writing)
        os.set_blocking(reading, False)
        told, last, ended, status = b"", time.monotonic(), 0, 0
        begun = time.monotonic()
        hung = False
        while not ended:
            ended, status = os.waitpid(pid, os.WNOHANG)
            try:
                if more := os.read(reading, 2**16):
                    told, last = told + more, time.monotonic()
            except BlockingIOError:
                pass
            hung = time.monotonic() - last > HANG_SECONDS
            if hung or time.monotonic() - begun > seconds:
                os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
                break
            time.sleep(0.01)
        os.close(reading)
    lines = told.decode().split()
    tried = [line for line in lines if line != "!"]
    found = [f"{kind}, seed {lines[i - 1]}: an exception" for i, line in enumerate(lines) if line == "!"]
    if hung:
        found.append(f"{kind}, seed {tried[-1] if tried else '-'}: no end after {HANG_SECONDS} s")
    elif os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL:
        found.append(f"{kind}, seed {tried[-1] if tried else '-'}: {signal.Signals(os.WTERMSIG(status)).name}")
    return len(tried), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--kind", choices=KINDS, help="this kind alone")
    parser.add_argument("--seed", type=int, help="this input alone, in this process")
    parser.add_argument(
        "--first", type=int, default=int(time.time()) * 10_000, help="the first seed; default: new ones"
    )
    chosen = parser.parse_args()
    if chosen.seed is not None:
        with tempfile.TemporaryDirectory(prefix="goalward-fuzz-") as folder:
            KINDS[chosen.kind or "models"](Path(folder))(random.Random(chosen.seed))
        return
    kinds = [chosen.kind] if chosen.kind else list(KINDS)
    end = time.monotonic() + chosen.seconds
    tried: Counter[str] = Counter()
    found: list[str] = []
    next_seed = chosen.first
    while (left := end - time.monotonic()) > 0:
        for kind in kinds:
            share = max(min(left / len(kinds), 120.0), 1.0)
            number, trouble = run_child(kind, range(next_seed, next_seed + INPUTS_OF_A_CHILD), share)
            tried[kind] += number
            found += trouble
            for line in trouble:
                print(line, flush=True)
        next_seed += INPUTS_OF_A_CHILD
    for kind in kinds:
        print(f"{kind:14} {tried[kind]:>9} inputs")
    print(f"{'all':14} {tried.total():>9} inputs, {len(found)} findings; the first seed was {chosen.first}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
