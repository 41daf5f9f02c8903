"""Plans as teachers of choices: the step that a plan takes should look better than the others that could be taken.

Greedy search needs the order of successors more than their distances. Where plans have hundreds of steps, an error of a
few of them, which costs next to nothing in the mean square, hides which successor is nearer. So besides labels from
plans (:mod:`goalward.learning.plan_lessons`), lessons have the choices along them; the trainer ranks these.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from goalward import _core
from goalward.learning.lesson import Choices, Lesson, join_choices
from goalward.learning.plan_lessons import PlansOfWalks
from goalward.learning.region_lessons import Draw, always
from goalward.regression import Rollouts
from goalward.sampling.labels import GoOn
from goalward.search.best_first import SearchOptions, SearchResult, search
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.search.portfolio import Lead
from goalward.task.packing import native_problem
from goalward.task.states import BitRows, to_lists
from goalward.task.strips import Ints, Task

MOST_STEPS, CHOICES = 20_000, 5_000
"""Steps of the latest plans whose choices are kept, and of a lesson."""
USES = 40
"""Passes over a lesson at most: what makes it dear are its plans, and all of its choices should be seen."""


class RankedPlans(PlansOfWalks):
    """Lessons as from plans alone, and choices along them. Plans are found without the network, which is faster."""

    others = 8
    """Successors at most to which that of a plan is compared."""

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed)
        self._ff = bind_heuristic(task, "ff", unit_costs=True)
        self._choices: list[Choices] = []

    def __call__(
        self, heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn = always
    ) -> Lesson:
        """So many labelled states, more or less, and choices."""
        return self._with_choices(super().__call__(heuristic, rollouts, n, draw, go_on))

    def _with_choices(self, lesson: Lesson) -> Lesson:
        if not self._choices:
            return lesson
        known = join_choices(self._choices)
        steps = self._random.permutation(len(known))[:CHOICES]
        return dataclasses.replace(lesson, choices=known.chosen(steps), most_uses=USES)

    def _search(self, heuristic: BoundHeuristic, state: Ints, lead: Lead, expansions: int, go_on: GoOn) -> SearchResult:
        options = SearchOptions("portfolio", expansion_limit=expansions, lead=lead)
        return search(self.task, self._ff, options, init=state, progress=lambda _: go_on())

    def _keep(self, plan: tuple[int, ...], states: BitRows) -> None:
        super()._keep(plan, states)
        if plan:
            self._choices.append(self._choices_along(plan, states))
            while sum(map(len, self._choices)) > MOST_STEPS and len(self._choices) > 1:
                del self._choices[0]

    def _choices_along(self, plan: tuple[int, ...], states: BitRows) -> Choices:
        """What else could have been done at each step; what the plan does later is no worse, and is left out."""
        problem = native_problem(self.task, whole=True)
        others, owners = [], []
        for step, atoms in enumerate(to_lists(states[:-1], self.task.n_atoms)):
            operators, after = _core.successors(problem, atoms)
            worse = ~np.isin(operators, plan[step:]) & (after != states[step + 1]).any(axis=1)
            chosen = self._random.permutation(np.flatnonzero(worse))[: self.others]
            others.append(after[chosen])
            owners += [step] * len(chosen)
        return Choices(states[:-1], states[1:], np.concatenate(others), np.array(owners, dtype=np.int64))
