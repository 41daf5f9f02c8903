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
from goalward.regression import Rollouts, costs_to_goal
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
    """A named way to label states; ``make`` prepares it for a task, its rollouts, and steps or costs to count."""

    name: str
    summary: str
    make: Callable[..., Labeller]


def label(
    task: Task, rollouts: Rollouts, states: BitRows, go_on: GoOn | None = None, *, unit_costs: bool = True
) -> Labels:
    """d(s) = min{i : x_i^j ⊆ s}, or L+1 (one more than the longest rollout) if no pre-image holds.

    With ``unit_costs=False``, d(s) is the least cost of the actions from a pre-image that holds back to the goal. The
    label is −1 if ``go_on`` has returned False before the state's turn came.
    """
    rows, distance = rollouts.preimages, distances(task, rollouts, unit_costs=unit_costs)
    beyond = int(distance.max()) + 1
    return _core.label_states(rows.offsets, rows.values, distance, task.n_atoms, states, beyond, go_on)


def distances(task: Task, rollouts: Rollouts, *, unit_costs: bool = True) -> Labels:
    """The distance of each pre-image from the goal, in steps or by cost."""
    return rollouts.depth if unit_costs else costs_to_goal(task, rollouts)


def _by_preimages(task: Task, rollouts: Rollouts, unit_costs: bool = True) -> Labeller:
    return lambda states, go_on=None: label(task, rollouts, states, go_on, unit_costs=unit_costs)


def _at_most_ff(task: Task, rollouts: Rollouts, unit_costs: bool = True) -> Labeller:
    """min(d(s), h_FF(s)): d is an upper bound that is proven, h_FF a good guess where no pre-image is near."""
    relaxed = bind_heuristic(task, "ff", unit_costs=unit_costs)

    def labels(states: BitRows, go_on: GoOn | None = None) -> Labels:
        bound = label(task, rollouts, states, go_on, unit_costs=unit_costs)
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
