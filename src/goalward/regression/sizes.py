"""Chooses the number and the length of rollouts for a task."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from goalward.regression.rollouts import RegressionMethod, RolloutOptions, regress
from goalward.search.heuristics import bind_heuristic
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Task

N_WALKS, WALK_STEPS = 20, 200
"""Number and length of the random walks whose end states estimate the distance of states to the goal."""
LENGTH_PER_STEP = 2
"""Length of a rollout divided by the length of a relaxed plan: real plans are longer, and rollouts make detours."""
MIN_LENGTH, MAX_LENGTH = 20, 1000
TARGET_PREIMAGES = 50_000
"""Number of pre-images in all rollouts: enough to cover states near the goal, few enough to label states quickly."""
MIN_ROLLOUTS, MAX_ROLLOUTS = 20, 5000
TIME_SHARE = 0.1
"""Maximum share of the time limit for rollouts."""


def suggest_length(task: Task, seed: int, go_on: Callable[[], bool] | None = None) -> int:
    """Suggest a length L: twice the maximum h_FF value of the initial states and of end states of random walks.

    With much longer rollouts, labels would tell the depth of a rollout and not the distance of a state. Once ``go_on``
    returns False, only the walks so far count.
    """
    states = [*task.inits, *random_walk_states(task, N_WALKS, WALK_STEPS, seed, go_on=go_on)]
    h = bind_heuristic(task, "ff").evaluate(to_bits(states, task.n_atoms))
    max_distance = float(np.max(h[np.isfinite(h)], initial=0.0))
    return int(np.clip(LENGTH_PER_STEP * max_distance, MIN_LENGTH, MAX_LENGTH))


def suggest_rollouts(
    task: Task, method: RegressionMethod, length: int, time_limit: float | None, go_on: Callable[[], bool] | None = None
) -> int:
    """Suggest a number N_r of rollouts that gives :data:`TARGET_PREIMAGES`, or fewer if the time limit is short.

    The time of a rollout is measured with two rollouts, which end early once ``go_on`` returns False.
    """
    wanted = int(np.clip(TARGET_PREIMAGES // length, MIN_ROLLOUTS, MAX_ROLLOUTS))
    if time_limit is None:
        return wanted
    start = time.monotonic()
    regress(task, RolloutOptions(method, 2, length), go_on=go_on)
    seconds_per_rollout = (time.monotonic() - start) / 2
    return int(np.clip(TIME_SHARE * time_limit / max(seconds_per_rollout, 1e-9), MIN_ROLLOUTS, wanted))
