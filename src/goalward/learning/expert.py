"""Expert iteration on pre-images: search with the network finds plans, and the network learns from them.

RSL's pre-images and labels d(s) start it and cap every label, so that it is RSL carried on. Then there are rounds:

1. *Start states* are ends of random walks, and states that greedy searches with the present network were led to
   (DAgger: Ross, Gordon, Bagnell 2011).
2. *The expert* is weighted A* with the present network (expert iteration: Anthony, Tian, Barber 2017); if it fails, a
   portfolio of searches without the network. Its plan is improved for a moment and kept.
3. *From a plan* the network learns the cost to go of its states, and of all states that contain its pre-images; and
   that each step is worth exactly one, and better than its siblings, the other successors.
4. *Off the plans* it learns from states drawn and labelled as in RSL, by the pre-images of rollouts and plans.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.learning.budget import SHARES, Budget
from goalward.learning.lessons import Choices, CurrentWeights, Lesson, join_choices
from goalward.regression import Rollouts, join_rollouts, regress_plans
from goalward.sampling import Source, complete, label
from goalward.search.batches import search_many
from goalward.search.best_first import SearchOptions, search
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.search.improve import Improver
from goalward.search.network import bind_network
from goalward.task.packing import native_problem
from goalward.task.states import BitRows, states_along, states_along_walks, to_bits, to_lists
from goalward.task.strips import Ints, Task

GoOn = Callable[[], bool]
Labels = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """The numbers of expert iteration. Those without a measurement are not tuned."""

    # Start states of a round.
    walked: int = 2
    led: int = 2
    longest_walk: int = 1000
    # Greedy searches with the network that lead to start states: how many begin anew and how many go on where an
    # earlier one was left, limits on their expansions (drawn on a logarithmic scale), and batch widths.
    new_searches: int = 1
    going_on: int = 3
    led_expansions: tuple[int, int] = (50, 2000)
    led_widths: tuple[int, ...] = (1, 4, 32)
    # The expert: weighted A* with the network. Its batch is as wide as lets it search twice as deep as plans are long.
    weight: float = 2.0
    widest: int = 32
    evaluations: int = 50_000
    longest_pause: int = 7  # start states without it; the pause doubles with each failure, and ends with a success
    expansions: int = 5000  # of the portfolio that takes its place
    effort: int = 10_000_000  # for improving a plan, in units of about a nanosecond; 30 million were worse
    network_share: float = 0.5  # of that, for searches with the network
    # What is kept and learned.
    kept_steps: int = 20_000
    siblings: int = 4
    # A lesson: states, the share of them from plans, the share of these that are goals, and steps of plans to rank.
    states: int = 2000
    plan_share: float = 0.4
    goal_share: float = 0.1
    choices: int = 5000
    # Passes over a lesson if no clock says how long to train on it.
    passes: int = 10
    # A lesson of the warm-up, and the share of it at most that may lie beyond all pre-images.
    warm_up_states: int = 10_000
    beyond_share: float = 0.1
    # Rounds before training may end early.
    rounds: int = 20


@dataclass(frozen=True, eq=False)
class Plan:
    """The best known plan of a start state: its states with their pre-images, and its steps with their siblings."""

    operators: tuple[int, ...]
    states: BitRows
    preimages: Rollouts
    choices: Choices


class ExpertIteration:
    """The lessons of a training: a warm-up by RSL, then a lesson for each round of expert iteration.

    With a time limit a network is trained on a lesson for as long as making it took. ``tell`` hears of the first data.
    """

    def __init__(
        self,
        source: Source,
        seed: int,
        budget: Budget,
        *,
        go_on: GoOn = lambda: True,
        tell: Callable[[dict[str, Any]], None] = lambda summary: None,
        recipe: Recipe | None = None,
    ) -> None:
        self.task: Task = source.task
        self.recipe = recipe or Recipe()
        self.rounds = 0
        self.plans: dict[bytes, Plan] = {}  # by start state, the oldest first
        self._source = source
        self._budget = budget
        self._go_on = go_on
        self._tell = tell
        self._told = False
        self._random = np.random.default_rng([seed, 0xE1])
        self.unit_costs = source.options.unit_costs
        self._portfolio = bind_heuristic(self.task, "ff", unit_costs=True)
        self._branching = 10.0  # evaluations of the expert per expansion; a guess before its first search
        self._pause = self._next_pause = 0
        self._left_at: BitRows | None = None

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """The lesson of the next epoch."""
        begun = self._budget.elapsed
        if weights is None or progress < SHARES["warm-up"]:
            states, labels, choices, passes = *self._warm_up(), None, 1
        else:
            heuristic = bind_network(self.task, weights(), unit_costs=None if self.unit_costs else False)
            self._iterate(heuristic)
            (states, labels), choices = self._labelled(), self._choices()
            self.rounds += 1
            passes = self.recipe.passes
        if self._budget.seconds is None:
            return Lesson(states, labels, choices, passes)
        return Lesson(states, labels, choices, seconds=self._budget.elapsed - begun)

    def may_end(self) -> bool:
        """A network that does well may end training after some rounds."""
        return self.rounds >= self.recipe.rounds

    # --- RSL, as it begins ---

    def _warm_up(self) -> tuple[BitRows, Labels]:
        """States drawn and labelled by RSL; few of them lie beyond all pre-images, which tell nothing but that."""
        n = min(self._source.options.n_samples, self.recipe.warm_up_states)
        data = self._source.draw(n, go_on=self._for_a_while("drawing"))
        if not self._told:
            self._tell(data.summary())
            self._told = True
        beyond = np.flatnonzero(data.labels == data.beyond)
        spare = len(beyond) - int(self.recipe.beyond_share * len(data))
        kept = np.arange(len(data))
        if spare > 0 and len(beyond) < len(data):
            kept = np.delete(kept, beyond[:spare])
        return data.states[kept], data.labels[kept].astype(np.float32)

    # --- a round: start states, and who solves them ---

    def _iterate(self, heuristic: BoundHeuristic) -> None:
        """Solve some start states and keep their plans."""
        in_time = self._for_a_while("experts")

        def go_on() -> bool:
            return in_time() and not self._budget.over

        led_to = self._led_to(heuristic, go_on)
        led_to = led_to[self._random.permutation(len(led_to))[: self.recipe.led]]
        walked = self._walk(self.recipe.walked + self.recipe.led - len(led_to), go_on)
        for start in to_lists(np.concatenate([walked, led_to]), self.task.n_atoms):
            if go_on():
                self._solve(heuristic, start, go_on)

    def _walk(self, n: int, go_on: GoOn) -> BitRows:
        """The ends of ``n`` random walks, short and long ones."""
        steps = np.unique(np.exp(self._random.uniform(0, np.log(self.recipe.longest_walk), n)).astype(np.int32))
        walked = states_along_walks(self.task, -(-n // len(steps)), steps, int(self._random.integers(2**63)), go_on)
        return walked[self._random.permutation(len(walked))[:n]]

    def _led_to(self, heuristic: BoundHeuristic, go_on: GoOn) -> BitRows:
        """The states that greedy searches with the network reached last, if they found no goal."""
        recipe, random = self.recipe, self._random
        earlier = self._left_at
        if earlier is None or not len(earlier):
            starts = self._walk(recipe.new_searches + recipe.going_on, go_on)
        else:
            again = earlier[random.integers(len(earlier), size=recipe.going_on)]
            starts = np.concatenate([self._walk(recipe.new_searches, go_on), again])
        if not len(starts):  # no time to walk
            return starts
        expansions = int(np.exp(random.uniform(*np.log(recipe.led_expansions))))
        batch = int(random.choice(recipe.led_widths))
        self._left_at = search_many(heuristic, starts, expansion_limit=expansions, batch=batch).left_at
        return self._left_at

    def _solve(self, heuristic: BoundHeuristic, start: Ints, go_on: GoOn) -> None:
        """Find a plan, improve it, and keep it if it is the best known one of its start state."""
        recipe = self.recipe
        found = self._search_with_network(heuristic, start, go_on)
        if found is None:
            without = SearchOptions("portfolio", expansion_limit=recipe.expansions)
            found = search(self.task, self._portfolio, without, init=start, progress=lambda _: go_on()).plan
        if not found:
            return
        improver = Improver(
            self.task, unit_costs=self.unit_costs, heuristic=heuristic, network_share=recipe.network_share
        )
        improved = improver.improve(found, init=start, effort_limit=recipe.effort, progress=lambda _: go_on())
        key = to_bits([start], self.task.n_atoms).tobytes()
        known = self.plans.get(key)
        if known is None or improved.cost < self._cost(known.operators):
            self.plans.pop(key, None)
            self.plans[key] = self._plan(start, improved.plan)
            while sum(len(plan.operators) for plan in self.plans.values()) > recipe.kept_steps and len(self.plans) > 1:
                del self.plans[next(iter(self.plans))]

    def _search_with_network(self, heuristic: BoundHeuristic, start: Ints, go_on: GoOn) -> tuple[int, ...] | None:
        """The expert's plan; None if it finds none or pauses."""
        if self._pause:
            self._pause -= 1
            return None
        recipe = self.recipe
        expansions = int(recipe.evaluations / self._branching)
        steps = sum(len(plan.operators) for plan in self.plans.values()) / max(len(self.plans), 1)
        batch = min(max(int(expansions / max(2 * steps, 1)), 1), recipe.widest)
        options = SearchOptions(
            "wastar", weight=recipe.weight, batch=batch, unit_costs=self.unit_costs, expansion_limit=max(expansions, 1)
        )
        result = search(self.task, heuristic, options, init=start, progress=lambda _: go_on())
        self._branching = max(result.statistics.evaluated / max(result.statistics.expanded, 1), 1.0)
        self._next_pause = 0 if result.plan is not None else min(2 * self._next_pause + 1, recipe.longest_pause)
        self._pause = self._next_pause
        return result.plan

    def _cost(self, operators: Sequence[int]) -> int:
        return len(operators) if self.unit_costs else self.task.cost_of(operators)

    # --- what is learned ---

    def _plan(self, start: Ints, operators: tuple[int, ...]) -> Plan:
        """A plan with the data that the network learns from it."""
        states = states_along(self.task, start, operators)
        return Plan(operators, states, regress_plans(self.task, [operators]), self._siblings(operators, states))

    def _siblings(self, operators: tuple[int, ...], states: BitRows) -> Choices:
        """Other successors for each step of a plan, except by operators that the plan uses later: they are as good."""
        problem = native_problem(self.task, whole=True)
        siblings, owners, costs = [], [], []
        prices = np.ones(self.task.n_operators) if self.unit_costs else self.task.costs
        for step, atoms in enumerate(to_lists(states[:-1], self.task.n_atoms)):
            possible, after = _core.successors(problem, atoms)
            worse = ~np.isin(possible, operators[step:]) & (after != states[step + 1]).any(axis=1)
            chosen = self._random.permutation(np.flatnonzero(worse))[: self.recipe.siblings]
            siblings.append(after[chosen])
            owners += [step] * len(chosen)
            costs.append(prices[possible[chosen]])
        return Choices(
            states[:-1], states[1:], np.concatenate(siblings), np.array(owners, dtype=np.int64),
            prices[list(operators)].astype(np.float32), np.concatenate(costs).astype(np.float32),
        )  # fmt: skip

    def _choices(self) -> Choices | None:
        """A random choice of the steps of the plans; None without plans."""
        if not self.plans:
            return None
        known = join_choices([plan.choices for plan in self.plans.values()])
        return known.select(self._random.permutation(len(known))[: self.recipe.choices])

    def _labelled(self) -> tuple[BitRows, Labels]:
        """The labelled states of a lesson, on the plans and off them; no label is above what a pre-image proves."""
        plans = list(self.plans.values())
        known, parts = self._source.rollouts, []
        n_plan = 0
        if plans:
            along = join_rollouts([plan.preimages for plan in plans])
            known = join_rollouts([known, along])
            n_plan = round(self.recipe.states * self.recipe.plan_share)
            parts = self._from_plans(n_plan, plans, along)
        drawn, _ = self._source.draw_states(self.recipe.states - n_plan, go_on=self._for_a_while("drawing"))
        states = np.concatenate([drawn, *parts])
        return states, label(self.task, known, states, unit_costs=self.unit_costs).astype(np.float32)

    def _from_plans(self, n: int, plans: list[Plan], known: Rollouts) -> list[BitRows]:
        """States along plans, goal states at their ends, and other states that contain one of the plans' pre-images."""
        along = np.concatenate([plan.states for plan in plans])
        goals = np.concatenate([plan.states[-1:] for plan in plans])
        n_goals, n_beside = round(n * self.recipe.goal_share), n // 2
        chosen = self._random.integers(len(known), size=n_beside, dtype=np.int32)
        beside = complete(self.task, known.preimages, chosen, along, int(self._random.integers(2**63)))
        rows = self._random.integers(len(along), size=n - n_goals - n_beside)
        return [along[rows], goals[self._random.integers(len(goals), size=n_goals)], beside]

    def _for_a_while(self, share: str) -> GoOn:
        in_time = self._budget.for_a_while(share)
        return lambda: in_time() and self._go_on()
