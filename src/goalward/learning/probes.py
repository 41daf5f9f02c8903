"""Probes of a network while it is trained: do short greedy searches with it go straight to the goal by short plans?

A probe is limited by expansions, and how often there is one depends on the states that were trained on, so that a
training that ends because of its probes ends at the same epoch on every machine.
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
"""Validation states of one probe; the next probe takes the ones after them. Not tuned."""
EXPANSIONS = 250
"""Limit of each search: a state that is solved with so few is solved in a moment. Not tuned."""
STRAIGHT = 1.5
"""Expansions per step of a plan, up to which a search hardly leaves the way to the goal. Not tuned."""
EFFORT = 10_000_000
"""For improving a plan, in units of about a nanosecond: 10 ms. Not tuned."""
TRAINED_PER_EXPANSION = 100
"""States trained on for each expansion of probes, which then take about a twentieth of the time. Not tuned."""


@dataclass(frozen=True)
class Probe:
    """How many of a few validation states were solved. ``enough``: all of them, straight, by plans that stayed."""

    solved: int
    states: int
    enough: bool

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


class Probes:
    """Short searches after some of the epochs of one training."""

    def __init__(self, task: Task, states: list[Ints], go_on: Callable[[], bool] | None = None) -> None:
        self.task = task
        self.states = states
        self.go_on = go_on
        self._improver = Improver(task, unit_costs=True)
        self.taken = 0
        self.expansions = 0
        self.enough_in_a_row = 0

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> Probe | None:
        """Search from a few states; None if it is not time for a probe, or there is no time for all of it."""
        if not self.states or self.expansions * TRAINED_PER_EXPANSION > epoch.states:
            return None
        if self.go_on is not None and not self.go_on():  # binding the network may take long itself
            return None
        n = min(STATES, len(self.states))
        chosen = [self.states[(self.taken * n + i) % len(self.states)] for i in range(n)]
        heuristic = bind_network(self.task, weights())
        starts = to_bits(chosen, self.task.n_atoms)
        found = search_many(heuristic, starts, expansion_limit=EXPANSIONS, go_on=self.go_on)
        if len(found) < n:
            return None
        self.taken += 1
        self.expansions += int(found.expanded.sum())
        enough = self._straight(found) and self._short(found, chosen)
        self.enough_in_a_row = self.enough_in_a_row + 1 if enough else 0
        return Probe(int(found.solved.sum()), n, enough)

    @staticmethod
    def _straight(found: ManyResults) -> bool:
        return bool((found.solved & (found.expanded <= STRAIGHT * found.plans.lengths)).all())

    def _short(self, found: ManyResults, states: list[Ints]) -> bool:
        """Does improvement leave every plan as long as it is?"""
        return all(
            not self._improver.improve(plan.tolist(), init=state, effort_limit=EFFORT).better
            for plan, state in zip(found.plans, states, strict=True)
        )
