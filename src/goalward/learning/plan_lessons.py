"""Search in the loop: walked states are solved with the present network, their plans are improved, and regressed.

Pre-images along an improved plan are near-optimal distances where search really goes. That makes three things of every
plan: states along it, states beside it (all that contain one of its pre-images, with other atoms open), and a lower
cap for whatever labels the network makes elsewhere.
"""

from __future__ import annotations

import numpy as np

from goalward.learning.lesson import Lesson
from goalward.learning.region_lessons import Draw, RegionsOfWalks, always
from goalward.learning.teacher import Teacher
from goalward.regression import Rollouts, join_rollouts, regress_plans
from goalward.sampling import complete, label
from goalward.sampling.labels import GoOn
from goalward.search.best_first import SearchOptions, SearchResult, search
from goalward.search.heuristics import BoundHeuristic
from goalward.search.improve import Improver
from goalward.search.portfolio import Lead
from goalward.task.states import BitRows, states_along, to_lists
from goalward.task.strips import Ints, Rows, Task

PLAN_SHARE = 0.5
"""Of the states of a lesson that come from plans; the others are as without plans."""
STATES_PER_PLAN = 400
"""Of a lesson, for each new plan: where plans are dear, lessons are small, and there are few new ones in each."""
MOST_PLANS = 400
"""That are kept, the latest ones."""


class PlansOfWalks:
    """Half the states of a lesson from plans of walked states, the others as :class:`RegionsOfWalks` makes them."""

    effort = 50_000_000
    """For improving a plan, in units of about a nanosecond."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task = task
        self._regions = RegionsOfWalks(task, seed)
        self._random = np.random.default_rng([seed, 0x91A5])
        self._teacher = Teacher()
        self._improver = Improver(task, unit_costs=True)
        self._plans: list[tuple[BitRows, Rollouts]] = []

    def __call__(
        self, heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always
    ) -> Lesson:
        """So many labelled states, more or less."""
        for state in to_lists(self._regions.walk(max(1, n // STATES_PER_PLAN), go_on), self.task.n_atoms):
            if go_on():
                self._solve(heuristic, state, go_on)
        if not self._plans:
            return self._regions.teach(heuristic, rollouts, n, draw, go_on)
        wanted = round(n * PLAN_SHARE)
        along = join_rollouts([rollouts for _, rollouts in self._plans])
        known = join_rollouts([rollouts, along])
        others = self._regions.teach(heuristic, known, n - wanted, draw, go_on)
        taught = self._states(wanted, along.preimages)
        proven = label(self.task, known, taught)
        states, labels = np.concatenate([others.states, taught]), np.concatenate([others.labels, proven])
        return Lesson(states, labels.astype(np.float32))

    def _solve(self, heuristic: BoundHeuristic, state: Ints, go_on: GoOn) -> bool:
        """Keep what a short search finds from a state, after some improvement. Was there a plan?"""
        found = self._teacher.find(lambda lead, most: self._search(heuristic, state, lead, most, go_on))
        if not found:
            return False
        plan = self._improver.improve(found, init=state, effort_limit=self.effort, progress=lambda _: go_on()).plan
        self._keep(plan, states_along(self.task, state, plan))
        return True

    def _search(self, heuristic: BoundHeuristic, state: Ints, lead: Lead, expansions: int, go_on: GoOn) -> SearchResult:
        options = SearchOptions("hybrid", expansion_limit=expansions, lead=lead)
        return search(self.task, heuristic, options, init=state, progress=lambda _: go_on())

    def _keep(self, plan: tuple[int, ...], states: BitRows) -> None:
        self._plans.append((states, regress_plans(self.task, [plan])))
        del self._plans[:-MOST_PLANS]

    def _states(self, n: int, preimages: Rows) -> BitRows:
        """Half of them along plans, half beside them: open atoms come from states of other plans."""
        along = np.concatenate([states for states, _ in self._plans])
        beside = round(n / 2)
        chosen = self._random.integers(len(preimages), size=beside, dtype=np.int32)
        seed = int(self._random.integers(2**63))
        drawn = complete(self.task, preimages, chosen, along, seed)
        return np.concatenate([along[self._random.integers(len(along), size=n - beside)], drawn])
