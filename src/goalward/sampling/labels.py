"""Labels of sampled states: estimates of their distance to the goal.

To add a kind of labels, write a function that makes a labeller from a task and its rollouts, and add a line to
:data:`LABELS`.
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
from goalward.task.states import BitRows, StatesLike, add_fixed_atoms, as_states
from goalward.task.strips import Task

Labels = npt.NDArray[np.int32]
GoOn = Callable[[], bool]


class Labeller(Protocol):
    """Computes the labels of states."""

    def __call__(self, states: BitRows, go_on: GoOn | None = None) -> Labels:
        """One label per state; once ``go_on`` returns False, the remaining states get −1."""


@dataclass(frozen=True)
class LabelKind:
    """A kind of labels; ``make`` returns the labeller for a task and its rollouts, which counts steps or costs."""

    name: str
    summary: str
    make: Callable[..., Labeller]


def label(
    task: Task, rollouts: Rollouts, states: StatesLike, go_on: GoOn | None = None, *, unit_costs: bool = True
) -> Labels:
    """Label states with d(s) = min{i : x_i^j ⊆ s}, or with the maximum plus 1 if s contains no pre-image.

    With ``unit_costs=False``, d(s) is the minimum cost of the actions from a pre-image that s contains to the goal.
    Once ``go_on`` returns False, the remaining states are labelled −1.
    """
    rows, distance = rollouts.preimages, distances(task, rollouts, unit_costs=unit_costs)
    beyond = int(distance.max()) + 1
    bits = as_states(task, states)
    return _core.label_states(rows.offsets, rows.values, distance, task.n_atoms, bits, beyond, go_on)


def distances(task: Task, rollouts: Rollouts, *, unit_costs: bool = True) -> Labels:
    """The distance of each pre-image from the goal, in steps or by cost."""
    return rollouts.depth if unit_costs else costs_to_goal(task, rollouts)


def _by_preimages(task: Task, rollouts: Rollouts, unit_costs: bool = True) -> Labeller:
    return lambda states, go_on=None: label(task, rollouts, states, go_on, unit_costs=unit_costs)


def _at_most_ff(task: Task, rollouts: Rollouts, unit_costs: bool = True) -> Labeller:
    """Label with min(d(s), h_FF(s)): d is a proven upper bound, h_FF a good estimate if no pre-image is close."""
    h_ff = bind_heuristic(task, "ff", unit_costs=unit_costs)

    def labels(states: BitRows, go_on: GoOn | None = None) -> Labels:
        bound = label(task, rollouts, states, go_on, unit_costs=unit_costs)
        estimate = h_ff.evaluate(add_fixed_atoms(task, states))  # infinite for unsolvable states, which keep d
        return np.minimum(bound, estimate).astype(np.int32)

    return labels


LABELS: dict[str, LabelKind] = {
    kind.name: kind
    for kind in [
        LabelKind("d", "depth of the closest pre-image (as in the paper)", _by_preimages),
        LabelKind("min-ff", "that depth or h_FF, whichever is less", _at_most_ff),
    ]
}
"""The kinds of labels by name."""
