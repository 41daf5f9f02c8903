"""The training data of an epoch: labelled states, and steps of plans that should be ranked above their alternatives.

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
        """The chosen steps, in this order."""
        first, end = (np.searchsorted(self.owners, steps, side) for side in ("left", "right"))
        counts = end - first
        rows = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        owners = np.repeat(np.arange(len(steps)), counts)
        return Choices(
            self.before[steps], self.after[steps], self.siblings[rows], owners, self.costs[steps],
            self.sibling_costs[rows],
        )  # fmt: skip


def join_choices(parts: list[Choices]) -> Choices:
    """Concatenate the steps of all parts."""
    columns = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Choices)
    }
    first_steps = np.cumsum([0, *map(len, parts[:-1])])
    columns["owners"] += np.repeat(first_steps, [len(part.owners) for part in parts])
    return Choices(**columns)


@dataclass(frozen=True, eq=False)
class Lesson:
    """The data of an epoch, which makes at least ``passes`` passes over the states and takes at least ``seconds``."""

    states: BitRows
    labels: npt.NDArray[np.float32]
    choices: Choices | None = None
    passes: int = 1
    seconds: float = 0.0


class Lessons(Protocol):
    """Gives a lesson for each epoch. Losses of different lessons cannot be compared."""

    task: Task

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """The next lesson; ``progress`` of the training, from 0 to 1. ``weights`` is None before the first epoch."""

    def may_end(self) -> bool:
        """True if training may end once the network does well; False if there is more to learn from."""
