"""Validation states: end states of random walks that nobody tests on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goalward.search import bind_heuristic
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task

# Apart from the seeds that people give to `goalward walk`, so that validation states are not their test states.
WALK_SEED = 0x56414C4944


def validation_states(
    task: Task, n: int, seed: int, steps: int = 200, go_on: Callable[[], bool] | None = None
) -> list[Ints]:
    """End states of random walks that are neither goals nor dead ends by h_FF, if there are such.

    If steps cannot be undone, long walks may end in dead ends; then shorter walks follow. There are fewer than ``n``
    states if ``go_on`` returns False.
    """
    walked: list[Ints] = []
    found: list[Ints] = []
    relaxed = bind_heuristic(task, "ff")
    while len(found) < n and steps:
        ends = random_walk_states(task, 4 * n, steps, (WALK_SEED + seed) % 2**63, go_on=go_on)
        alive = np.isfinite(relaxed.evaluate(to_bits(ends, task.n_atoms)))
        found += [state for state, lives in zip(ends, alive, strict=True) if lives and not task.is_goal(state)]
        walked += ends
        if go_on is not None and not go_on():
            break
        steps //= 2
    return (found or walked)[:n]
