"""Learning where search goes: states that searches with the present network met, beside plans from where they were led.

Relaxed plans say what the states that searches met are worth. What was learned once is kept: labels of states that were
met do not depend on the network.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goalward.learning.led_lessons import SEARCHES, LedPlans
from goalward.learning.lesson import Lesson
from goalward.learning.region_lessons import Draw, bellman
from goalward.regression import Rollouts
from goalward.sampling import label
from goalward.search.batches import Regions
from goalward.search.heuristics import BoundHeuristic
from goalward.task.states import BitRows
from goalward.task.strips import Task

KEPT, MOST_MET = 60, 30_000
"""States of a search that are kept, and of all searches, the latest ones."""
LATE, LATE_WEIGHT = 0.8, 5.0
"""States after this share of a search are so many times as likely to be kept: there it was led to."""
MET_SHARE = 0.4
"""Of the states of a lesson that are from searches; those that are neither from these nor from plans are labelled a
step ahead."""


class MetStates(LedPlans):
    """Lessons as from plans of where searches are led, and from the states that these searches met."""

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed)
        self._met: list[tuple[BitRows, npt.NDArray[np.float32]]] = []

    def _needs_plans(self) -> bool:
        return True  # regions are for first labels that are no relaxed plans

    def _remember(self, found: Regions) -> None:
        met = found.states[self._kept(found)]
        self._met.append((met, self._ff.evaluate(met)))
        while sum(len(states) for states, _ in self._met) > MOST_MET:
            del self._met[0]

    def _met_part(self, heuristic: BoundHeuristic, n: int, known: Rollouts) -> list[Lesson]:
        return [self._some_met(heuristic, round(n * MET_SHARE), known)] if self._met else []

    def _drawn(self, heuristic: BoundHeuristic, known: Rollouts, n: int, draw: Draw) -> Lesson:
        return bellman(heuristic, known, n, draw)

    def _kept(self, found: Regions) -> npt.NDArray[np.int64]:
        """Some of the states that searches expanded, in the order in which they did."""
        sizes = np.bincount(found.origins)
        place = np.arange(len(found)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        weight = np.where(place >= LATE * np.repeat(sizes, sizes), LATE_WEIGHT, 1.0)
        n = min(KEPT * SEARCHES, len(found))
        return np.sort(self._random.choice(len(found), size=n, replace=False, p=weight / weight.sum()))

    def _some_met(self, heuristic: BoundHeuristic, n: int, known: Rollouts) -> Lesson:
        """States that searches met, each worth its relaxed plan, or less where a pre-image proves it.

        The more the network likes a state too well, the more often it is taken.
        """
        states, values = (np.concatenate(part) for part in zip(*self._met, strict=True))
        too_low = values.astype(np.float64) - heuristic.evaluate(states)  # whose sum is finite, however low
        weight = 1.0 + np.where(np.isfinite(too_low), np.maximum(too_low, 0.0), 0.0)
        rows = self._random.choice(len(states), size=n, p=weight / weight.sum())
        bound = label(self.task, known, states[rows])
        return Lesson(states[rows], np.where(bound < known.beyond, np.minimum(bound, values[rows]), values[rows]))
