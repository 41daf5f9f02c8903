"""State samplers, and the data sets that they make from rollouts.

A sampler completes a pre-image to a full state: it determines where the values of the open atoms come from. To add one,
write a function below that returns the pool of states to take them from (or None for coin flips), and add a line to
:data:`SAMPLERS`. A function that may take long must stop with what it has once ``go_on`` returns False.
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
from goalward.task.states import BitRows, states_along_walks, to_bits
from goalward.task.strips import Ints, Rows, Task

Pool = BitRows | None
Generator = np.random.Generator


@dataclass(frozen=True)
class Sampler:
    """A way to complete pre-images, with a function for its pool; or a mixture of equal ``parts`` of other samplers."""

    name: str
    summary: str
    pool: Callable[[Task, int, Generator, GoOn | None], Pool] | None = None
    parts: tuple[str, ...] = ()


def _no_pool(task: Task, n: int, random: Generator, go_on: GoOn | None) -> Pool:
    """Without a pool, open atoms are sampled independently."""
    return None


def _random_walks(task: Task, n: int, random: Generator, go_on: GoOn | None) -> Pool:
    """States along random walks from the initial states, at most 1000 steps away and more often close by."""
    steps = np.unique(np.geomspace(1, 1000, 20).astype(np.int32))
    n_walks = max(1, min(n, 8000) // len(steps))
    return states_along_walks(task, n_walks, steps, int(random.integers(2**63)), go_on)


SAMPLERS: dict[str, Sampler] = {
    sampler.name: sampler
    for sampler in [
        Sampler("uniform", "open atoms are true with probability ½, mutexes repaired (as in the paper)", _no_pool),
        Sampler("reachable", "open atoms come from a state of a forward random walk", _random_walks),
        Sampler("mixed", "half uniform, half reachable", parts=("uniform", "reachable")),
    ]
}
"""The samplers by name."""


@dataclass(frozen=True)
class SamplingOptions:
    """Options of :func:`make_dataset`: N_t states, of which a share P_r is random and not drawn from pre-images."""

    n_samples: int = 100_000
    random_share: float = 0.5
    sampler: str = "uniform"
    seed: int = 0
    labels: str = "d"
    unit_costs: bool = True

    def __post_init__(self) -> None:
        if not 10 <= self.n_samples <= 50_000_000:
            raise UsageError(f"n_samples must be between 10 and 50000000, but is {self.n_samples}")
        if not 0 <= self.random_share <= 1:
            raise UsageError(f"random_share must be between 0 and 1, but is {self.random_share}")
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
    """Draw N_t states and label them.

    The same number of states is drawn for every depth, each from a random pre-image of that depth. ``go_on`` is called
    about twenty times a second; once it returns False, the data set has the states that are drawn and labelled so far.
    """
    options = options or SamplingOptions()
    return Source(task, rollouts, options).draw(options.n_samples, go_on=go_on)


class Source:
    """Draws states repeatedly from the same rollouts and pools."""

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
        """Draw ``n`` new labelled states; fewer if ``go_on`` returns False before all are drawn and labelled."""
        states, chosen = self.draw_states(n, go_on=go_on)
        labels = self.label(states, go_on)
        labelled = labels >= 0
        if not labelled.all():
            states, chosen, labels = states[labelled], chosen[labelled], labels[labelled]
        return Dataset(self.task, states, labels, chosen, self.beyond, self.options.sampler)

    def draw_states(self, n: int, *, go_on: GoOn | None = None) -> tuple[BitRows, Ints]:
        """Draw states without labels; the second array has the pre-image of each state, or −1 for a random one."""
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

    def _pool(self, name: str, n: int, go_on: GoOn | None) -> Pool:
        if name not in self._pools:
            make_pool = SAMPLERS[name].pool
            assert make_pool is not None, "the parts of a mixture must not be mixtures"
            self._pools[name] = make_pool(self.task, n, self._random, go_on)
        return self._pools[name]


def _spread_over_levels(rollouts: Rollouts, n: int, random: Generator) -> Ints:
    """Choose ``n`` pre-images: a random one of each depth in turn."""
    order = np.argsort(rollouts.depth, kind="stable").astype(np.int32)
    n_levels = rollouts.longest + 1
    counts = np.bincount(rollouts.depth, minlength=n_levels)
    levels = np.arange(n) % n_levels
    starts = np.cumsum(counts) - counts
    picks: Ints = order[starts[levels] + (random.random(n) * counts[levels]).astype(np.int64)]
    return picks


def complete(task: Task, preimages: Rows, chosen: Ints, pool: Pool, seed: int, *, go_on: GoOn | None = None) -> BitRows:
    """Complete pre-images to full states that respect all mutex groups.

    There is one state per entry of ``chosen``, which is the index of a pre-image, or −1 for a state with all atoms
    open. Once ``go_on`` returns False, only the states so far are returned.
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
