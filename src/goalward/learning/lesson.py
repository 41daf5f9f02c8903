"""What a network is taught in an epoch: labelled states, and choices between successors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goalward.task.states import BitRows

MOST_USES = 4
"""Passes over a lesson at most, where making it takes longer than training on it and nothing else is said."""


@dataclass(frozen=True, eq=False)
class Choices:
    """Steps of plans: a state ``before`` each, the one ``after`` it, and ``others`` that other steps would have led to.

    ``owners`` say to which step each of the others belongs.
    """

    before: BitRows
    after: BitRows
    others: BitRows
    owners: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.before)

    def chosen(self, steps: npt.NDArray[np.int64]) -> Choices:
        """Some of them, in this order."""
        first, end = (np.searchsorted(self.owners, steps, side) for side in ("left", "right"))
        counts = end - first
        rows = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        return Choices(
            self.before[steps], self.after[steps], self.others[rows], np.repeat(np.arange(len(steps)), counts)
        )


def join_choices(parts: list[Choices]) -> Choices:
    """All of them, one after the other."""
    begins = np.cumsum([0, *(len(part) for part in parts)])
    return Choices(
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.after for part in parts]),
        np.concatenate([part.others for part in parts]),
        np.concatenate([part.owners + begin for part, begin in zip(parts, begins, strict=False)]),
    )


@dataclass(frozen=True)
class Pace:
    """How lessons with improved labels follow one another where there is a time limit.

    ``first_share`` is of the training, before labels are improved: until then the network knows too little to improve
    them. A lesson has so many ``states``, or as many as there is time for.
    """

    first_share: float = 0.3
    states: int | None = None


STEADY = Pace()
"""Where nothing else is said."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """The labelled states of an epoch, and choices that the network should make as they were made.

    ``most_uses`` are passes over it at most, where one takes less time than making it did.
    """

    states: BitRows
    labels: npt.NDArray[np.float32]
    choices: Choices | None = None
    most_uses: int = MOST_USES
