"""The time of a training: one clock, and one table of what may use how much of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

SHARES: dict[str, float] = {
    # Of the time limit.
    "validation states": 0.1,  # the longest that walks to validation states may take
    # Of a trial's time: the moment at which each ends with what it has.
    "training": 0.8,  # after which validation searches follow
    "sizes": 0.1,  # choosing the number and the length of rollouts
    "rollouts": 0.25,
    "sampling": 0.5,  # drawing and labelling the data set of RSL, and the backward searches of SING
    "conditions": 0.2,  # regression for FSM
    "improved labels": 0.4,  # of FSM, by successors among the samples
    "pool": 0.2,  # walks to the states from which Boot and AVI take open atoms
    "warm-up": 0.1,  # training on pre-images alone, before expert iteration
    # Of a trial's time: the longest that each may take in one round of expert iteration.
    "drawing": 0.05,
    "experts": 0.1,
}
"""All shares of time. Not tuned, but "training": with less time for validation, too few states were searched to choose
the lead and the network's use (rovers p30)."""

LEAST_SECONDS = 0.1
"""Minimum time for a step of learning, in seconds, even if less is left. Not tuned."""

Clock = Callable[[], float]


class Budget:
    """A time limit in seconds from now, or none; ``spent`` seconds of it are already used.

    Tests replace the clock.
    """

    def __init__(self, seconds: float | None = None, *, spent: float = 0.0, clock: Clock | None = None) -> None:
        self.seconds = seconds
        self.clock: Clock = clock or time.monotonic
        self.begun = self.clock() - spent

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begun

    @property
    def left(self) -> float | None:
        """Remaining seconds, at least :data:`LEAST_SECONDS`; None without a limit."""
        return None if self.seconds is None else max(self.seconds - self.elapsed, LEAST_SECONDS)

    @property
    def remaining(self) -> float:
        """Remaining seconds, negative once the time is used up; infinity without a limit."""
        return math.inf if self.seconds is None else self.seconds - self.elapsed

    @property
    def over(self) -> bool:
        """True once the time is used up."""
        return self.remaining <= 0

    @property
    def progress(self) -> float:
        """From 0 at the beginning to 1 at the end; 0 without a limit."""
        return 0.0 if self.seconds is None else min(self.elapsed / max(self.seconds, 1e-9), 1.0)

    def until(self, share: str) -> Callable[[], bool]:
        """Return a ``go_on`` function that is true until this share of the time, from the beginning, is used."""
        if self.seconds is None:
            return lambda: True
        deadline = self.begun + SHARES[share] * self.seconds
        return lambda: self.clock() < deadline

    def for_a_while(self, share: str) -> Callable[[], bool]:
        """Return a ``go_on`` function that is true until this share of the time, from now, is used."""
        if self.seconds is None:
            return lambda: True
        deadline = self.clock() + SHARES[share] * self.seconds
        return lambda: self.clock() < deadline

    def part(self, seconds: float | None) -> Budget:
        """Another budget by the same clock, from now on."""
        return Budget(seconds, clock=self.clock)
