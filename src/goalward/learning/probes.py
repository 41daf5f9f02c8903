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
    """Results of short searches from validation states; only the last search from each state counts.

    ``enough``: the searches of this probe solved their states, straight, by plans that improvement did not shorten.
    ``cost_ratio`` is the cost of the plans over that of the best known plans of the same states; it and
    ``expansions_per_step`` are None if no state is solved.
    """

    solved: int
    states: int
    enough: bool
    cost_ratio: float | None = None
    expansions_per_step: float | None = None


class Probes:
    """Short searches after some of the epochs of one training. Plans cost steps, or what the PDDL says."""

    def __init__(
        self, task: Task, states: list[Ints], go_on: Callable[[], bool] | None = None, *, unit_costs: bool = True
    ) -> None:
        self.task = task
        self.states = states
        self.go_on = go_on
        self._improver = Improver(task, unit_costs=unit_costs)
        self.taken = 0
        self.expansions = 0
        self.enough_in_a_row = 0
        self._last: dict[int, tuple[int, int, int]] = {}  # expansions, steps and cost, by the number of a solved state
        self._best: dict[int, int] = {}  # cost of the best known plan, by the number of the state

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> Probe | None:
        """Search from a few states; None if it is not time for a probe, or there is no time for all of it."""
        if not self.states or self.expansions * TRAINED_PER_EXPANSION > epoch.states:
            return None
        if self.go_on is not None and not self.go_on():  # binding the network may take long itself
            return None
        n = min(STATES, len(self.states))
        chosen = [(self.taken * n + i) % len(self.states) for i in range(n)]
        heuristic = bind_network(self.task, weights())
        starts = to_bits([self.states[i] for i in chosen], self.task.n_atoms)
        found = search_many(heuristic, starts, expansion_limit=EXPANSIONS, go_on=self.go_on)
        if len(found) < n:
            return None
        self.taken += 1
        self.expansions += int(found.expanded.sum())
        enough = self._keep(found, chosen)
        self.enough_in_a_row = self.enough_in_a_row + 1 if enough else 0
        expansions, steps, cost = map(sum, zip(*self._last.values(), strict=True)) if self._last else (0, 0, 0)
        best = sum(self._best[i] for i in self._last)
        ratios = (cost / best if best else None, expansions / steps if steps else None)
        return Probe(len(self._last), len(self.states), enough, *ratios)

    def _keep(self, found: ManyResults, chosen: list[int]) -> bool:
        """Keep the figures of each search and the cost of the best plan; True if all searches are good enough."""
        enough = True
        for i, solved, expanded, plan in zip(chosen, found.solved, found.expanded, found.plans, strict=True):
            self._last.pop(i, None)
            if not solved:
                enough = False
                continue
            cost = self._improver.cost(plan.tolist())
            improved = self._improver.improve(plan.tolist(), init=self.states[i], effort_limit=EFFORT).cost
            self._last[i] = int(expanded), len(plan), cost
            self._best[i] = min(improved, self._best.get(i, improved))
            enough = enough and expanded <= STRAIGHT * len(plan) and improved == cost
        return enough
