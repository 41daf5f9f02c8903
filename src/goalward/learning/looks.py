"""Looks at a network while it is trained: does a short search with it solve validation states by now?

A look is limited by expansions, and how often there is one depends on the states that were trained on, so that a
training that ends because of its looks ends at the same epoch on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goalward.learning.results import Epoch
from goalward.search.batches import search_many
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import to_bits
from goalward.task.strips import Ints, Task

STATES = 4
"""Validation states of one look; the next look takes the ones after them."""
FEW_EXPANSIONS = 250
"""What plain greedy search has for each of them; a state that it solves with so few is solved in a moment."""
TRAINED_PER_EXPANSION = 100
"""Training states for each expansion that looks may spend: they take about a twentieth of the time."""


@dataclass(frozen=True)
class Look:
    """How many of a few validation states were solved."""

    solved: int
    states: int

    def __str__(self) -> str:
        return f"{self.solved}/{self.states}"


class Looks:
    """Short searches after some of the epochs of one training."""

    def __init__(self, task: Task, states: list[Ints], go_on: Callable[[], bool] | None = None) -> None:
        self.task = task
        self.states = states
        self.go_on = go_on
        self.taken = 0
        self.expansions = 0
        self.all_solved_in_a_row = 0

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> Look | None:
        """How many of a few states are solved; None where it is not time for a look, or no time for all of it."""
        if not self.states or self.expansions * TRAINED_PER_EXPANSION > epoch.states:
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
        look = Look(int(found.solved.sum()), n)
        self.all_solved_in_a_row = self.all_solved_in_a_row + 1 if look.solved == n else 0
        return look
