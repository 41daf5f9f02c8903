"""Rollouts of pre-images from the goal by regression (the paper's "Extracting state sets through regression")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from goalward import _core
from goalward.errors import UsageError
from goalward.task.packing import core_atoms
from goalward.task.strips import Ints, Rows, Task

RegressionMethod = Literal["rsl", "n-rsl"]
METHODS: dict[str, str] = {
    "rsl": "draw actions uniformly from the valid ones",
    "n-rsl": "prefer actions with the most preconditions that are new in the rollout (μ⁺)",
}


@dataclass(frozen=True)
class RolloutOptions:
    """Options of :func:`regress`: the method, the number N_r of rollouts, and their length L."""

    method: RegressionMethod = "n-rsl"
    n_rollouts: int = 5
    length: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"unknown regression {self.method!r} (known: {', '.join(METHODS)})")
        if not 1 <= self.n_rollouts <= 100_000:
            raise UsageError(f"n_rollouts must be between 1 and 100000, but is {self.n_rollouts}")
        if not 1 <= self.length <= 1_000_000:
            raise UsageError(f"length must be between 1 and 1000000, but is {self.length}")


@dataclass(frozen=True, eq=False)
class Rollouts:
    """The pre-images x_i^j of all rollouts, one rollout after the other; each rollout starts with x_0 = G.

    ``depth`` is the i and ``rollout`` the j of each pre-image. ``operators`` is the action that was regressed to get
    from x_{i-1} to x_i, or −1 for x_0. From any state that contains x_i, this action and those of x_{i-1}, …, x_1 are a
    plan of i steps. Fixed atoms are left out.
    """

    preimages: Rows
    depth: Ints
    rollout: Ints
    operators: Ints

    def __len__(self) -> int:
        """The number of pre-images."""
        return len(self.depth)

    @cached_property
    def longest(self) -> int:
        """The maximum depth of a pre-image."""
        return int(self.depth.max())

    @property
    def beyond(self) -> int:
        """The label of states that contain no pre-image: the maximum depth plus 1."""
        return self.longest + 1


def costs_to_goal(task: Task, rollouts: Rollouts) -> Ints:
    """For each pre-image, the cost of its actions back to x_0."""
    paid = np.append(task.costs, 0)[rollouts.operators].cumsum(dtype=np.int64)  # the operator of x_0 is −1
    starts = np.flatnonzero(rollouts.depth == 0)
    costs = paid - paid[starts][np.searchsorted(starts, np.arange(len(rollouts)), side="right") - 1]
    total: Ints = np.minimum(costs, np.iinfo(np.int32).max - 1).astype(np.int32)
    return total


def join_rollouts(parts: Sequence[Rollouts]) -> Rollouts:
    """Concatenate rollouts of the same task."""
    counts = np.cumsum([0, *(len(part.preimages.values) for part in parts)])
    numbers = np.cumsum([0, *(int(part.rollout[-1]) + 1 for part in parts)])
    offsets = [part.preimages.offsets[1:] + start for part, start in zip(parts, counts, strict=False)]
    return Rollouts(
        Rows(
            np.concatenate([[0], *offsets]).astype(np.int32),
            np.concatenate([part.preimages.values for part in parts]),
        ),
        np.concatenate([part.depth for part in parts]),
        np.concatenate([part.rollout + first for part, first in zip(parts, numbers, strict=False)]).astype(np.int32),
        np.concatenate([part.operators for part in parts]),
    )


def regress(task: Task, options: RolloutOptions | None = None, *, go_on: Callable[[], bool] | None = None) -> Rollouts:
    """Roll out pre-images from the goal of a task.

    Only valid actions are regressed: those that add an atom of x, delete none, and have no precondition that is mutex
    with one of its other atoms. ``go_on`` is called about twenty times a second; once it returns False, the rollouts so
    far are returned.
    """
    options = options or RolloutOptions()
    native = native_regression(task)
    try:
        offsets, values, depth, rollout, operators = _core.rollouts(
            native,
            novelty=options.method == "n-rsl",
            n=options.n_rollouts,
            length=options.length,
            seed=int(np.uint64(options.seed)),
            go_on=go_on,
        )
    except OverflowError:
        raise UsageError(
            f"{options.n_rollouts} rollouts of {options.length} steps have more than 2^31 atoms; "
            "use fewer or shorter rollouts"
        ) from None
    return Rollouts(Rows(offsets, values), depth, rollout, operators)


@lru_cache(maxsize=8)
def native_regression(task: Task) -> _core.RegressionTask:
    """The task in the form that native regression works on: core atoms only."""
    core = core_atoms(task)
    pre, add, delete = (rows.keep_values(core[rows.values]) for rows in (task.pre, task.add, task.delete))
    opposite = np.full(task.n_atoms, -1, dtype=np.int32)
    for negative, positive in enumerate(task.complement_of.tolist()):
        if positive >= 0 and core[negative] and core[positive]:
            opposite[negative], opposite[positive] = positive, negative
    return _core.RegressionTask(
        pre.offsets, pre.values, add.offsets, add.values, delete.offsets, delete.values,
        task.groups_of.offsets, task.groups_of.values, task.goal[core[task.goal]], len(task.mutex_groups),
        opposite,
    )  # fmt: skip
