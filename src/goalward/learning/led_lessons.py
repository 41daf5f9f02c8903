"""Plans from where search is led: short searches with the present network go astray, and plans put them right.

Greedy search finds the states that a network likes too well, however few they are, and stays among them. Plans of
walked states do not come by there. So short searches do what search will do, and from where they are left, plans say
how to go on.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from goalward import _core
from goalward.learning.lesson import Lesson
from goalward.learning.ranked_lessons import RankedPlans
from goalward.learning.region_lessons import Draw, always, bellman, finite
from goalward.regression import Rollouts, join_rollouts
from goalward.sampling import label
from goalward.sampling.labels import GoOn
from goalward.search.batches import Regions, search_regions
from goalward.search.heuristics import BoundHeuristic
from goalward.task.states import BitRows, to_lists
from goalward.task.strips import Rows, Task

STATES = 2000
"""Labelled states of a lesson for each round of searches and plans."""
SEARCHES, GOING_ON, PLANS = 4, 3, 4
"""Of a round. So many of the searches go on where the last ones were left, and half of the plans begin where these are
left."""
FEWEST, MOST = 50, 2000
"""Expansions of the searches of a round, the same for all of them, drawn from between these on a logarithmic scale."""
WIDTHS = (1, 4, 32)
"""States expanded at once, one of these: search in earnest has several widths, too."""
PLAN_SHARE = 0.4
"""Of the states of a lesson that are from plans."""
LATEST, GOAL_SHARE = 20, 0.9
"""Searches, and the share of them that meet a goal where the network leads there, and needs no plans."""


class LedPlans(RankedPlans):
    """Lessons as from ranked plans, half of these from where searches with the network were led.

    Half the states of no plan keep what pre-images say of them: states of which nothing is known stay far from the
    goal, and search away from them. Where searches meet goals, regions straighten the way: values come closer to
    distances than plans that were found and improved for a moment.
    """

    # Less for each plan than where lessons are few: more of them, and more steps of training, are worth more.
    others = 4
    effort = 10_000_000

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed)
        self._left_at: BitRows | None = None
        self._met_goals: deque[bool] = deque(maxlen=LATEST)
        self._waited = self._rounds_without = 0

    def __call__(
        self, heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always
    ) -> Lesson:
        """So many labelled states, more or less, and choices."""
        for _ in range(max(1, n // STATES)):
            self._search_and_plan(heuristic, go_on)
        along = join_rollouts([rollouts for _, rollouts in self._plans]) if self._plans else None
        known = rollouts if along is None else join_rollouts([rollouts, along])
        if not self._needs_plans():
            return self._regions.teach(heuristic, known, n, draw, go_on)
        parts = self._met_part(heuristic, n, known)
        if along is not None:
            parts.append(self._taught(round(n * PLAN_SHARE), along.preimages, known))
        left = max(1, n - sum(len(part.labels) for part in parts))
        parts.append(self._drawn(heuristic, known, left, draw))
        states = np.concatenate([part.states for part in parts])
        labels = finite(np.concatenate([part.labels for part in parts]), rollouts.beyond)
        return self._with_choices(Lesson(states, labels))

    def _needs_plans(self) -> bool:
        """Not where searches meet goals: then regions take their place."""
        return sum(self._met_goals) < GOAL_SHARE * LATEST

    def _met_part(self, heuristic: BoundHeuristic, n: int, known: Rollouts) -> list[Lesson]:
        """Of a lesson of so many states, those that searches met."""
        return []

    def _remember(self, found: Regions) -> None:
        """Of searches, what is of use later."""

    def _drawn(self, heuristic: BoundHeuristic, known: Rollouts, n: int, draw: Draw) -> Lesson:
        """States of no plan."""
        ahead = bellman(heuristic, known, n - n // 2, draw)
        states = draw(n // 2)
        labels = label(self.task, known, states).astype(np.float32)
        return Lesson(np.concatenate([ahead.states, states]), np.concatenate([ahead.labels, labels]))

    def _search_and_plan(self, heuristic: BoundHeuristic, go_on: GoOn) -> None:
        """One round: searches with the network, and plans from walked states and from where these searches were led.

        Where no plan is found, which takes longest, the next rounds do without, one, three, seven and so on.
        """
        left_at = self._search_on(heuristic, go_on)
        if not self._needs_plans():
            return
        if self._rounds_without:
            self._rounds_without -= 1
            return
        led_to = left_at[self._random.permutation(len(left_at))[: PLANS // 2]]
        starts = np.concatenate([self._regions.walk(PLANS - len(led_to), go_on), led_to])
        solved = [self._solve(heuristic, state, go_on) for state in to_lists(starts, self.task.n_atoms) if go_on()]
        self._waited = 0 if any(solved) else 2 * self._waited + 1
        self._rounds_without = self._waited

    def _search_on(self, heuristic: BoundHeuristic, go_on: GoOn) -> BitRows:
        """Search from walked states and from where the last searches were left; where these ones are left."""
        starts = self._regions.walk(SEARCHES, go_on)
        if self._left_at is not None and len(self._left_at):
            earlier = self._left_at[self._random.integers(len(self._left_at), size=GOING_ON)]
            starts = np.concatenate([starts[GOING_ON:], earlier])
        expansions = int(np.exp(self._random.uniform(np.log(FEWEST), np.log(MOST))))
        found = search_regions(heuristic, starts, expansions=expansions, batch=int(self._random.choice(WIDTHS)))
        if len(found):  # a search that begins in a goal meets nothing
            self._remember(found)
        self._met_goals.extend(found.ended(_core.RegionEnd.GOAL).tolist())
        self._left_at = found.exits[found.ended(_core.RegionEnd.BORDER)]
        return self._left_at

    def _taught(self, n: int, preimages: Rows, known: Rollouts) -> Lesson:
        """States along plans and beside them, each worth the steps that are left."""
        states = self._states(n, preimages)
        return Lesson(states, label(self.task, known, states).astype(np.float32))
