"""State samplers, and the training set they make from rollouts.

A sampler says where the atoms that a pre-image leaves open come from. To add one: a function below that gives, for a
task, the pool of states to complete from (or None for coin flips), and a line in :data:`SAMPLERS`. What may take long
in it asks ``go_on``, where there is one, and ends with what it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goalward import _core
from goalward.errors import UsageError
from goalward.regression import Rollouts
from goalward.sampling.dataset import Dataset
from goalward.sampling.labels import LABELS, GoOn, distances
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, to_bits, walked_states
from goalward.task.strips import Ints, Rows, Task

Pool = BitRows | None
Generator = np.random.Generator


@dataclass(frozen=True)
class Sampler:
    """A named way to complete pre-images; a mixture names the samplers that share the samples equally."""

    name: str
    summary: str
    pool: Callable[[Task, int, Generator, GoOn | None], Pool] | None = None
    parts: tuple[str, ...] = ()


def _coin_flips(task: Task, n: int, random: Generator, go_on: GoOn | None) -> Pool:
    return None


def _walked_states(task: Task, n: int, random: Generator, go_on: GoOn | None) -> Pool:
    """States along forward random walks from the initial states, more of them near these than far away."""
    stops = np.unique(np.geomspace(1, 1000, 20).astype(np.int32))
    n_walks = max(1, min(n, 8000) // len(stops))
    return walked_states(task, n_walks, stops, int(random.integers(2**63)), go_on)


SAMPLERS: dict[str, Sampler] = {
    sampler.name: sampler
    for sampler in [
        Sampler("uniform", "open atoms are true with probability ½, mutexes repaired (the paper's)", _coin_flips),
        Sampler("reachable", "open atoms come from a state of a forward random walk", _walked_states),
        Sampler("mixed", "half uniform, half reachable", parts=("uniform", "reachable")),
    ]
}
"""Where the atoms that a pre-image leaves open come from."""


@dataclass(frozen=True)
class SamplingOptions:
    """N_t states, a share P_r of them random rather than from a pre-image."""

    n_samples: int = 100_000
    random_share: float = 0.5
    sampler: str = "uniform"
    seed: int = 0
    labels: str = "d"
    unit_costs: bool = True

    def __post_init__(self) -> None:
        if not 10 <= self.n_samples <= 50_000_000:
            raise UsageError(f"the number of samples is {self.n_samples}; it goes from 10 to 50000000")
        if not 0 <= self.random_share <= 1:
            raise UsageError(f"the share of random states is {self.random_share}; it goes from 0 to 1 (0 % to 100 %)")
        if self.sampler not in SAMPLERS:
            raise UsageError(f"unknown sampler {self.sampler!r} (known: {', '.join(SAMPLERS)})")
        if self.labels not in LABELS:
            raise UsageError(f"unknown labels {self.labels!r} (known: {', '.join(LABELS)})")


def make_dataset(
    task: Task,
    rollouts: Rollouts,
    options: SamplingOptions | None = None,
    *,
    go_on: GoOn | None = None,
) -> Dataset:
    """Draw N_t states and label each with d(s).

    Every distance level gets the same number of states; a state of a level comes from a random rollout that reaches it.
    ``go_on`` is asked about twenty times a second; when it returns False, what has been drawn and labelled so far is
    the data set.
    """
    options = options or SamplingOptions()
    return Source(task, rollouts, options).draw(options.n_samples, go_on=go_on)


class Source:
    """States drawn from the same rollouts and pools, as often as they are wanted, each time others."""

    def __init__(self, task: Task, rollouts: Rollouts, options: SamplingOptions) -> None:
        self.task = task
        self.rollouts = rollouts
        self.options = options
        self._random = np.random.default_rng([options.seed, 0x5A11])
        self._parts = SAMPLERS[options.sampler].parts or (options.sampler,)
        self._pools: dict[str, Pool] = {}
        self.label = LABELS[options.labels].make(task, rollouts, options.unit_costs)
        self.beyond = int(distances(task, rollouts, unit_costs=options.unit_costs).max()) + 1

    def draw(self, n: int, *, go_on: GoOn | None = None) -> Dataset:
        """So many labelled states; fewer where ``go_on`` returns False before all are drawn and labelled."""
        states, chosen = self.draw_states(n, go_on=go_on)
        labels = self.label(states, go_on)
        known = labels >= 0
        if not known.all():
            states, chosen, labels = states[known], chosen[known], labels[known]
        return Dataset(self.task, states, labels, chosen, self.beyond, self.options.sampler)

    def draw_states(self, n: int, *, go_on: GoOn | None = None) -> tuple[BitRows, Ints]:
        """States without labels, and the pre-image that each was drawn from, −1 for random ones."""
        random = self._random
        n_random = round(n * self.options.random_share)
        chosen = np.concatenate(
            [_spread_over_levels(self.rollouts, n - n_random, random), np.full(n_random, -1, dtype=np.int32)]
        )
        random.shuffle(chosen)
        pieces = []
        for name, share in zip(self._parts, np.array_split(chosen, len(self._parts)), strict=True):
            pool = self._pool(name, len(share), go_on)
            seed = int(random.integers(2**63))
            drawn = complete(self.task, self.rollouts.preimages, share, pool, seed, go_on=go_on)
            pieces.append((drawn, share[: len(drawn)]))
        states, origin = (np.concatenate(part) for part in zip(*pieces, strict=True))
        return states, origin

    def renew_pools(self) -> None:
        """From now on open atoms come from other walked states."""
        self._pools.clear()

    def _pool(self, name: str, n: int, go_on: GoOn | None) -> Pool:
        if name not in self._pools:
            make_pool = SAMPLERS[name].pool
            assert make_pool is not None, "mixtures are made of plain samplers"
            self._pools[name] = make_pool(self.task, n, self._random, go_on)
        return self._pools[name]


def _spread_over_levels(rollouts: Rollouts, n: int, random: Generator) -> Ints:
    """n pre-images: levels in turn, a random pre-image of each."""
    order = np.argsort(rollouts.depth, kind="stable").astype(np.int32)
    n_levels = rollouts.longest + 1
    counts = np.bincount(rollouts.depth, minlength=n_levels)
    levels = np.arange(n) % n_levels
    starts = np.cumsum(counts) - counts
    picks: Ints = order[starts[levels] + (random.random(n) * counts[levels]).astype(np.int64)]
    return picks


def complete(task: Task, preimages: Rows, chosen: Ints, pool: Pool, seed: int, *, go_on: GoOn | None = None) -> BitRows:
    """Full states, one per entry of ``chosen`` (a pre-image, or −1 for nothing forced), respecting all mutex groups.

    There are fewer where ``go_on`` returns False before all are drawn.
    """
    core = core_atoms(task)
    groups = task.mutex_groups.keep_values(core[task.mutex_groups.values])
    groups = groups.select(groups.lengths > 1)
    groups_of = groups.transpose(task.n_atoms)
    core_bits = to_bits([np.flatnonzero(core).astype(np.int32)], task.n_atoms)
    empty = np.zeros((0, core_bits.shape[1]), dtype=np.uint64)
    return _core.sample_states(
        task.n_atoms, core_bits, groups.offsets, groups.values, groups_of.offsets, groups_of.values,
        task.complement_of, preimages.offsets, preimages.values, chosen, empty if pool is None else pool, seed,
        go_on,
    )  # fmt: skip
