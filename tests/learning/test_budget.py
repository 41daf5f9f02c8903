"""The budget: how much time is left by a clock, and who may go on."""

from __future__ import annotations

import math

import pytest

from goalward.learning.budget import LEAST_SECONDS, SHARES, Budget


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_time_that_has_gone_before_counts() -> None:
    clock = Clock()
    budget = Budget(60.0, spent=20.0, clock=clock)
    clock.now += 10
    assert (budget.elapsed, budget.left, budget.progress, budget.over) == (30, 30, 0.5, False)
    clock.now += 40
    assert (budget.left, budget.progress, budget.over) == (LEAST_SECONDS, 1.0, True)
    assert budget.remaining == -10


@pytest.mark.parametrize("share", SHARES)
def test_work_goes_on_until_its_share_is_used(share: str) -> None:
    clock = Clock()
    budget = Budget(100.0, clock=clock)
    until = budget.until(share)
    clock.now += 100 * SHARES[share] - 0.01
    assert until()
    a_while = budget.for_a_while(share)
    clock.now += 0.02
    assert not until()
    assert a_while(), "its share begins later"
    clock.now += 100 * SHARES[share]
    assert not a_while()


def test_without_a_limit_the_clock_does_not_matter() -> None:
    clock = Clock()
    budget = Budget(clock=clock)
    until = budget.until("rollouts")
    clock.now += 1e9
    assert (budget.left, budget.progress, budget.over, budget.remaining) == (None, 0.0, False, math.inf)
    assert until()
    assert budget.for_a_while("experts")()


def test_a_part_begins_now_by_the_same_clock() -> None:
    clock = Clock()
    budget = Budget(100.0, clock=clock)
    clock.now += 60
    part = budget.part(10.0)
    clock.now += 4
    assert (part.left, budget.left) == (6, 36)
