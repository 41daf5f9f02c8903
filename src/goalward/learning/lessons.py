"""What a network is trained on in an epoch: labelled states, and steps of plans to rank before their alternatives.

No PyTorch here: a network comes as a function that gives its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
import numpy.typing as npt

from goalward.search.network import NetworkWeights
from goalward.task.states import BitRows
from goalward.task.strips import Task

CurrentWeights = Callable[[], NetworkWeights]


@dataclass(frozen=True, eq=False)
class Choices:
    """Steps of plans: the state ``before`` each, the state ``after`` it, and ``siblings``, other successors of before.

    ``owners`` says to which step each sibling belongs, in ascending order. ``costs`` are those of the steps, and
    ``sibling_costs`` those of the steps to the siblings: costs by the PDDL, or 1.
    """

    before: BitRows
    after: BitRows
    siblings: BitRows
    owners: npt.NDArray[np.int64]
    costs: npt.NDArray[np.float32]
    sibling_costs: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.before)

    def select(self, steps: npt.NDArray[np.int64]) -> Choices:
        """Some of the steps, in this order."""
        first, end = (np.searchsorted(self.owners, steps, side) for side in ("left", "right"))
        counts = end - first
        rows = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        owners = np.repeat(np.arange(len(steps)), counts)
        return Choices(
            self.before[steps], self.after[steps], self.siblings[rows], owners, self.costs[steps],
            self.sibling_costs[rows],
        )  # fmt: skip


def join_choices(parts: list[Choices]) -> Choices:
    """All of them, one after the other."""
    columns = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Choices)
    }
    first_steps = np.cumsum([0, *map(len, parts[:-1])])
    columns["owners"] += np.repeat(first_steps, [len(part.owners) for part in parts])
    return Choices(**columns)


@dataclass(frozen=True, eq=False)
class Lesson:
    """What an epoch is made of. It takes at least so many ``passes`` over the states, and at least so many seconds."""

    states: BitRows
    labels: npt.NDArray[np.float32]
    choices: Choices | None = None
    passes: int = 1
    seconds: float = 0.0


class Lessons(Protocol):
    """Gives a lesson for each epoch. Losses of different lessons cannot be compared."""

    task: Task

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """The lesson after so much of the training (0 to 1); there are no weights before the first epoch."""

    def may_end(self) -> bool:
        """Asked if the network does well already: may training end, or is there more to learn from?"""
