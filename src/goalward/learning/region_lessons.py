"""Better labels from a network that knows something already: a step ahead, and from the regions of short searches.

Whatever it says, no label is above d(s) where a pre-image holds: that many steps are proven to suffice, and so values
stay anchored at the goal, which plain value iteration lacks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.learning.lesson import Lesson
from goalward.regression import Rollouts
from goalward.sampling import label
from goalward.sampling.labels import GoOn
from goalward.search.batches import lookahead, search_regions
from goalward.search.heuristics import BoundHeuristic
from goalward.task.states import BitRows, walked_states, with_fixed
from goalward.task.strips import Task

REGION_SHARE = 0.5
"""Of the states of a lesson that come from regions, the others are drawn from pre-images."""
EXPANSIONS, BATCH = 100, 4
"""Of a region, and at once."""
LONGEST_WALK, STOPS = 1000, 5
"""Steps of a random walk at most, and states of it that searches begin from."""
TRIED, GOAL_SHARE = 40, 0.1
"""Searches, and the share of them that must meet a goal before the network makes labels: one that leads nowhere has
nothing to say about distances."""
NO_WAY_OUT = 1.25
"""A state that leads to no goal is worth this many times the highest other label."""

Draw = Callable[[int], BitRows]
# From the network's values, the rollouts, a number of states and a way to draw some: a lesson of so many states, or
# none where the network knows too little. What takes long asks whether to go on.
Improve = Callable[[BoundHeuristic, Rollouts, int, Draw, GoOn], Lesson | None]


def always() -> bool:
    """Where there is no time limit."""
    return True


def bellman(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always) -> Lesson:
    """min(d(s), 1 + the least value of a successor) for states from pre-images and random ones."""
    states = draw(n)
    bound = label(heuristic.task, rollouts, states).astype(np.float32)
    return Lesson(states, np.minimum(bound, lookahead(heuristic, with_fixed(heuristic.task, states), 1)))


def finite(labels: npt.NDArray[np.float32], beyond: int) -> npt.NDArray[np.float32]:
    """Labels of states that lead to no goal are above all others; ``beyond`` is what there is where no other is."""
    known = np.isfinite(labels)
    highest = float(labels[known].max()) if known.any() else float(beyond)
    return np.where(known, labels, NO_WAY_OUT * highest).astype(np.float32)


class RegionsOfWalks:
    """Half the states by :func:`bellman`, half from the regions of short searches that begin where random walks end.

    Those are the states that search meets, and values that come from behind a region's border rise where the network
    lured the search astray.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self.task = task
        self._random = np.random.default_rng([seed, 0x4E61])
        self._leads_somewhere = False

    def __call__(
        self, heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always
    ) -> Lesson | None:
        """So many labelled states, more or less; none before searches come to goals."""
        self._leads_somewhere = self._leads_somewhere or self._try_it(heuristic, go_on)
        return self.teach(heuristic, rollouts, n, draw, go_on) if self._leads_somewhere else None

    def _try_it(self, heuristic: BoundHeuristic, go_on: GoOn) -> bool:
        """Do a few of some searches meet a goal?"""
        found = search_regions(heuristic, self.walk(TRIED, go_on), expansions=EXPANSIONS, batch=BATCH)
        return float(found.ended(_core.RegionEnd.GOAL).mean()) >= GOAL_SHARE

    def teach(self, heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always) -> Lesson:
        """So many labelled states, more or less, whatever the network knows."""
        wanted = round(n * REGION_SHARE)
        drawn = bellman(heuristic, rollouts, n - wanted, draw)
        starts = self.walk(max(1, wanted // EXPANSIONS), go_on)
        found = search_regions(heuristic, starts, expansions=EXPANSIONS, batch=BATCH)
        bound = label(self.task, rollouts, found.states)
        values = np.where(bound < rollouts.beyond, np.minimum(bound, found.values), found.values)
        states, labels = np.concatenate([drawn.states, found.states]), np.concatenate([drawn.labels, values])
        return Lesson(states, finite(labels, rollouts.beyond))

    def walk(self, n: int, go_on: GoOn = always) -> BitRows:
        """Ends of random walks, short and long ones."""
        stops = np.unique(np.exp(self._random.uniform(0, np.log(LONGEST_WALK), STOPS)).astype(np.int32))
        walked = walked_states(self.task, -(-n // len(stops)), stops, int(self._random.integers(2**63)), go_on)
        return walked[self._random.permutation(len(walked))[:n]]
