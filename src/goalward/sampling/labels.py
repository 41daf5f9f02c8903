"""Labels of sampled states: what a state's distance to the goal is taken to be.

To add a kind: a function that makes a labeller from a task and its rollouts, and a line in :data:`LABELS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.regression import Rollouts
from goalward.search.heuristics import bind_heuristic
from goalward.task.states import BitRows, with_fixed
from goalward.task.strips import Task

Labels = npt.NDArray[np.int32]
GoOn = Callable[[], bool]


class Labeller(Protocol):
    """Gives each state its label; −1 to those whose turn has not come when ``go_on`` returns False."""

    def __call__(self, states: BitRows, go_on: GoOn | None = None) -> Labels:
        """One label per state."""


@dataclass(frozen=True)
class LabelKind:
    """A named way to label states; ``make`` prepares it for a task and its rollouts."""

    name: str
    summary: str
    make: Callable[[Task, Rollouts], Labeller]


def label(task: Task, rollouts: Rollouts, states: BitRows, go_on: GoOn | None = None) -> Labels:
    """d(s) = min{i : x_i^j ⊆ s}, or L+1 (one more than the longest rollout) where no pre-image holds.

    It is −1 where ``go_on`` has returned False before the state's turn came.
    """
    rows = rollouts.preimages
    return _core.label_states(rows.offsets, rows.values, rollouts.depth, task.n_atoms, states, rollouts.beyond, go_on)


def _by_preimages(task: Task, rollouts: Rollouts) -> Labeller:
    return lambda states, go_on=None: label(task, rollouts, states, go_on)


def _at_most_ff(task: Task, rollouts: Rollouts) -> Labeller:
    """min(d(s), h_FF(s)): d is an upper bound that is proven, h_FF a good guess where no pre-image is near."""
    relaxed = bind_heuristic(task, "ff")

    def labels(states: BitRows, go_on: GoOn | None = None) -> Labels:
        bound = label(task, rollouts, states, go_on)
        # Where no relaxed plan exists there is none at all, and h_FF is infinite: d stays.
        guess = relaxed.evaluate(with_fixed(task, states))
        return np.minimum(bound, guess).astype(np.int32)

    return labels


LABELS: dict[str, LabelKind] = {
    kind.name: kind
    for kind in [
        LabelKind("d", "distance of the closest pre-image (the paper's)", _by_preimages),
        LabelKind("min-ff", "that distance or the length of a relaxed plan, whichever is less", _at_most_ff),
    ]
}
"""What states are labelled with."""
