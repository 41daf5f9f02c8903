"""How many rollouts and how long, from the task alone."""

from __future__ import annotations

import numpy as np
import pytest

from goalward.regression import sizes
from goalward.regression.sizes import (
    MAX_LENGTH,
    MAX_ROLLOUTS,
    MIN_LENGTH,
    MIN_ROLLOUTS,
    TARGET_PREIMAGES,
    suggest_length,
    suggest_rollouts,
)
from goalward.search import bind_heuristic
from goalward.task.states import random_walk_states
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import make_task


def chain(n: int) -> Task:
    """n steps in one direction."""
    return make_task(n + 1, [([i], [i + 1], [i], 1) for i in range(n)], [0], [n], [list(range(n + 1))])


@pytest.mark.parametrize(("steps", "length"), [(3, MIN_LENGTH), (40, 80), (99, 198), (700, MAX_LENGTH)])
def test_rollouts_are_twice_as_long_as_the_farthest_relaxed_plan(steps: int, length: int) -> None:
    assert suggest_length(chain(steps), seed=0) == length


@pytest.mark.parametrize("name", TINY)
def test_walked_states_count_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MIN_LENGTH", 0)
    task = make_tiny(name).task
    relaxed = bind_heuristic(task, "ff")
    states = [task.init, *random_walk_states(task, sizes.N_WALKS, sizes.WALK_STEPS, 5)]
    values = [relaxed.value(state) for state in states]
    assert suggest_length(task, seed=5) == 2 * max(value for value in values if np.isfinite(value))


def test_dead_ends_have_no_length() -> None:
    # The only step leads away from the goal for good: all walks end where there is no relaxed plan.
    task = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [2], [[0, 1, 2]])
    assert suggest_length(task, seed=0) == MIN_LENGTH


@pytest.mark.parametrize(
    ("length", "n"),
    [(2, MAX_ROLLOUTS), (50, TARGET_PREIMAGES // 50), (1000, TARGET_PREIMAGES // 1000), (10**5, MIN_ROLLOUTS)],
)
def test_so_many_rollouts_that_pre_images_are_enough(length: int, n: int) -> None:
    assert suggest_rollouts(chain(3), "n-rsl", length, None) == n


def test_walks_and_rollouts_that_tell_sizes_ask_whether_to_go_on() -> None:
    asked: list[None] = []

    def never() -> bool:
        asked.append(None)
        return False

    assert suggest_length(chain(40), 0, never) == 80, "by the initial state alone"
    suggest_rollouts(chain(40), "n-rsl", 80, 1.0, never)
    assert len(asked) == 2


def test_fewer_rollouts_where_time_is_short() -> None:
    task = make_tiny("blocks").task
    assert suggest_rollouts(task, "n-rsl", 500, 1e-9) == MIN_ROLLOUTS
    assert suggest_rollouts(task, "n-rsl", 50, 1e9) == TARGET_PREIMAGES // 50
