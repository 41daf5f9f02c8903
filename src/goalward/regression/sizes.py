"""How many rollouts of which length suit a task."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from goalward.regression.rollouts import RegressionMethod, RolloutOptions, regress
from goalward.search.heuristics import bind_heuristic
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Task

WALKS, STEPS = 20, 200
"""Random walks from the initial state whose ends say how far away from the goal states are."""
LENGTH_PER_STEP = 2
"""Steps of a rollout for each step of a relaxed plan: real plans are longer, and rollouts wander."""
SHORTEST, LONGEST = 20, 1000
PREIMAGES = 50_000
"""In all rollouts together: enough that states near the goal are in some, and few enough to label states quickly."""
FEWEST, MOST = 20, 5000
TIME_SHARE = 0.1
"""Of the time limit that rollouts may take."""


def suggest_length(task: Task, seed: int, go_on: Callable[[], bool] | None = None) -> int:
    """L: beyond the distance, by relaxed plans, of the initial states and of states that random walks end in.

    Longer rollouts give labels that say how far a rollout went, not how far away a state is. There are fewer walks
    where ``go_on`` returns False before they are done.
    """
    states = [*task.inits, *random_walk_states(task, WALKS, STEPS, seed, go_on=go_on)]
    relaxed = bind_heuristic(task, "ff").evaluate(to_bits(states, task.n_atoms))
    farthest = float(np.max(relaxed[np.isfinite(relaxed)], initial=0.0))
    return int(np.clip(LENGTH_PER_STEP * farthest, SHORTEST, LONGEST))


def suggest_rollouts(
    task: Task, method: RegressionMethod, length: int, time_limit: float | None, go_on: Callable[[], bool] | None = None
) -> int:
    """N_r: as many as make :data:`PREIMAGES` pre-images, or as there is time for; ``go_on`` ends the measurement."""
    wanted = int(np.clip(PREIMAGES // length, FEWEST, MOST))
    if time_limit is None:
        return wanted
    begun = time.monotonic()
    regress(task, RolloutOptions(method, 2, length), go_on=go_on)
    each = (time.monotonic() - begun) / 2
    return int(np.clip(TIME_SHARE * time_limit / max(each, 1e-9), FEWEST, wanted))
