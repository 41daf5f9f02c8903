"""Stand-ins for Fast Downward's driver, and a problem with one plan."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable
from pathlib import Path

from goalward.baselines.fast_downward import PlannerResult, run_planner

HANG = 60.0
"""Seconds after which a run counts as hanging."""

DOMAIN = """
(define (domain lamp) (:requirements :strips :action-costs)
  (:predicates (off) (on) (broken))
  (:functions (total-cost) - number)
  (:action press :parameters () :precondition (off) :effect (and (on) (not (off)) (increase (total-cost) 3)))
  (:action smash :parameters () :precondition (off) :effect (and (broken) (not (off)) (increase (total-cost) 1))))
"""
PROBLEM = (
    "(define (problem p) (:domain lamp) (:init (off) (= (total-cost) 0)) (:goal {}) (:metric minimize (total-cost)))"
)

Files = tuple[Path, Path]
WriteFiles = Callable[[str, str], Files]
Fake = Callable[[str], Path]


class Stubborn:
    """A driver with a child that both ignore SIGTERM, never end, and hold a lock for as long as one of them lives."""

    def __init__(self, folder: Path, fake: Fake, end: str = "") -> None:
        self.lock = folder / "lock"
        self.ready = folder / "ready"
        self.driver = fake(
            "import fcntl, pathlib\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            f"lock = open({str(self.lock)!r}, 'w')\n"
            "fcntl.flock(lock, fcntl.LOCK_EX)\n"
            "if os.fork() == 0:\n"
            f"    pathlib.Path({str(self.ready)!r}).touch()\n"
            "    while True: time.sleep(1)\n"
            f"{end}\n"
            "while True: time.sleep(1)"
        )

    def is_gone(self) -> bool:
        """Whether both have died, once there were two."""
        assert self.ready.exists()
        with self.lock.open() as lock:
            for _ in range(int(HANG * 10)):
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    time.sleep(0.1)
                else:
                    return True
        return False


def run(files: Files, driver: Path | None = None, name: str = "lama", **options: object) -> PlannerResult:
    return run_planner(name, *files, **{"time_limit": HANG, "driver": driver, **options})  # type: ignore[arg-type]
