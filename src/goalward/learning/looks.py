"""Looks at a network while it is trained: does a search with it go straight to the goal by now, on a short way?

A look is limited by expansions, and how often there is one depends on the states that were trained on, so that a
training that ends because of its looks ends at the same epoch on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goalward.learning.results import Epoch
from goalward.search.batches import ManyResults, search_many
from goalward.search.improve import Improver
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import to_bits
from goalward.task.strips import Ints, Task

STATES = 4
"""Validation states of one look; the next look takes the ones after them."""
FEW_EXPANSIONS = 250
"""What plain greedy search has for each of them; a state that it solves with so few is solved in a moment."""
STRAIGHT = 1.5
"""Expansions for each step of its plan at most, of a search that hardly leaves the way to the goal."""
SHORT = 1.1
"""Steps of all plans of a look for each step that is left after improving them: there is little to learn from that."""
EFFORT = 10_000_000
"""For improving a plan, in units of about a nanosecond."""
TRAINED_PER_EXPANSION = 100
"""Training states for each expansion that looks may spend: they take about a twentieth of the time."""


@dataclass(frozen=True)
class Look:
    """How many of a few validation states were solved. ``enough``: all of them, straight and by short plans."""

    solved: int
    states: int
    enough: bool

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


class Looks:
    """Short searches after some of the epochs of one training."""

    def __init__(self, task: Task, states: list[Ints], go_on: Callable[[], bool] | None = None) -> None:
        self.task = task
        self.states = states
        self.go_on = go_on
        self._improver = Improver(task, unit_costs=True)
        self.taken = 0
        self.expansions = 0
        self.enough_in_a_row = 0

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> Look | None:
        """How many of a few states are solved; None where it is not time for a look, or no time for all of it."""
        if not self.states or self.expansions * TRAINED_PER_EXPANSION > epoch.states:
            return None
        if self.go_on is not None and not self.go_on():  # to make the network ready may take long itself
            return None
        n = min(STATES, len(self.states))
        chosen = [self.states[(self.taken * n + i) % len(self.states)] for i in range(n)]
        heuristic = bind_network(self.task, weights())
        starts = to_bits(chosen, self.task.n_atoms)
        found = search_many(heuristic, starts, expansion_limit=FEW_EXPANSIONS, go_on=self.go_on)
        if len(found) < n:
            return None
        self.taken += 1
        self.expansions += int(found.expanded.sum())
        enough = self._straight(found) and self._short(found, chosen)
        look = Look(int(found.solved.sum()), n, enough)
        self.enough_in_a_row = self.enough_in_a_row + 1 if enough else 0
        return look

    @staticmethod
    def _straight(found: ManyResults) -> bool:
        steps = found.plans.lengths
        return bool((found.solved & (found.expanded <= STRAIGHT * steps)).all())

    def _short(self, found: ManyResults, states: list[Ints]) -> bool:
        steps = fewest = 0
        for plan, state in zip(found.plans, states, strict=True):
            improved = self._improver.improve(plan.tolist(), init=state, effort_limit=EFFORT)
            steps += len(plan)
            fewest += len(improved.plan)
        return steps <= SHORT * fewest
