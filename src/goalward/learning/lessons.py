"""What a network is trained on in an epoch: labelled states, and steps of plans to rank before their alternatives.

No PyTorch here: a network comes as a function that gives its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from goalward.sampling import Dataset
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
    begins = np.cumsum([0, *(len(part) for part in parts)])
    return Choices(
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.after for part in parts]),
        np.concatenate([part.siblings for part in parts]),
        np.concatenate([part.owners + begin for part, begin in zip(parts, begins, strict=False)]),
        np.concatenate([part.costs for part in parts]),
        np.concatenate([part.sibling_costs for part in parts]),
    )


@dataclass(frozen=True, eq=False)
class Lesson:
    """What an epoch is made of. It takes at least so many ``passes`` over the states, and at least so many seconds."""

    states: BitRows
    labels: npt.NDArray[np.float32]
    choices: Choices | None = None
    passes: int = 1
    seconds: float = 0.0


class Lessons(Protocol):
    """Gives a lesson for each epoch. ``comparable``: may the losses of different epochs be compared?"""

    task: Task
    comparable: bool

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """The lesson after so much of the training (0 to 1); there are no weights before the first epoch."""

    def may_end(self) -> bool:
        """Asked if the network does well already: may training end, or is there more to learn from?"""


class OneDataset:
    """The same data set in every epoch: supervised learning as in the paper."""

    comparable = True

    def __init__(self, dataset: Dataset) -> None:
        self.task = dataset.task
        self._lesson = Lesson(dataset.states, dataset.labels.astype(np.float32))

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """The data set."""
        return self._lesson

    def may_end(self) -> bool:
        """There is nothing else to learn from."""
        return True
