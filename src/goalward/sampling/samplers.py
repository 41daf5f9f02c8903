"""State samplers, and the training set they make from rollouts.

A sampler says where the atoms that a pre-image leaves open come from. To add one: a function below that gives, for a
task, the pool of states to complete from (or None for coin flips), and a line in :data:`SAMPLERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.errors import UsageError
from goalward.regression import Rollouts
from goalward.sampling.dataset import Dataset
from goalward.task.packing import core_atoms, native_problem
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Ints, Rows, Task

Pool = BitRows | None
Generator = np.random.Generator


@dataclass(frozen=True)
class Sampler:
    """A named way to complete pre-images; a mixture names the samplers that share the samples equally."""

    name: str
    summary: str
    pool: Callable[[Task, int, Generator], Pool] | None = None
    parts: tuple[str, ...] = ()


def _coin_flips(task: Task, n: int, random: Generator) -> Pool:
    return None


def _walked_states(task: Task, n: int, random: Generator) -> Pool:
    """States along forward random walks from the initial state, more of them near it than far away."""
    stops = np.unique(np.geomspace(1, 1000, 20).astype(np.int32))
    n_walks = max(1, min(n, 8000) // len(stops))
    seed = int(random.integers(2**63))
    return _core.random_walks(native_problem(task, whole=True), task.init, n_walks, stops, seed)


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

    def __post_init__(self) -> None:
        if not 10 <= self.n_samples <= 50_000_000:
            raise UsageError(f"the number of samples is {self.n_samples}; it goes from 10 to 50000000")
        if not 0 <= self.random_share <= 1:
            raise UsageError(f"the share of random states is {self.random_share}; it goes from 0 to 1 (0 % to 100 %)")
        if self.sampler not in SAMPLERS:
            raise UsageError(f"unknown sampler {self.sampler!r} (known: {', '.join(SAMPLERS)})")


def make_dataset(task: Task, rollouts: Rollouts, options: SamplingOptions | None = None) -> Dataset:
    """Draw N_t states and label each with d(s).

    Every distance level gets the same number of states; a state of a level comes from a random rollout that reaches it.
    """
    options = options or SamplingOptions()
    random = np.random.default_rng([options.seed, 0x5A11])
    n_random = round(options.n_samples * options.random_share)
    chosen = np.concatenate(
        [_spread_over_levels(rollouts, options.n_samples - n_random, random), np.full(n_random, -1, dtype=np.int32)]
    )
    random.shuffle(chosen)
    parts = SAMPLERS[options.sampler].parts or (options.sampler,)
    pieces = []
    for name, share in zip(parts, np.array_split(chosen, len(parts)), strict=True):
        make_pool = SAMPLERS[name].pool
        assert make_pool is not None, "mixtures are made of plain samplers"
        pool = make_pool(task, len(share), random)
        pieces.append(complete(task, rollouts.preimages, share, pool, int(random.integers(2**63))))
    states = np.concatenate(pieces)
    return Dataset(task, states, label(task, rollouts, states), chosen, rollouts.beyond, options.sampler)


def _spread_over_levels(rollouts: Rollouts, n: int, random: Generator) -> Ints:
    """n pre-images: levels in turn, a random pre-image of each."""
    order = np.argsort(rollouts.depth, kind="stable").astype(np.int32)
    n_levels = rollouts.longest + 1
    counts = np.bincount(rollouts.depth, minlength=n_levels)
    levels = np.arange(n) % n_levels
    starts = np.cumsum(counts) - counts
    picks: Ints = order[starts[levels] + (random.random(n) * counts[levels]).astype(np.int64)]
    return picks


def complete(task: Task, preimages: Rows, chosen: Ints, pool: Pool, seed: int) -> BitRows:
    """Full states, one per entry of ``chosen`` (a pre-image, or −1 for nothing forced), respecting all mutex groups."""
    core = core_atoms(task)
    groups = task.mutex_groups.keep_values(core[task.mutex_groups.values])
    groups = groups.select(groups.lengths > 1)
    groups_of = groups.transpose(task.n_atoms)
    core_bits = to_bits([np.flatnonzero(core).astype(np.int32)], task.n_atoms)
    empty = np.zeros((0, core_bits.shape[1]), dtype=np.uint64)
    return _core.sample_states(
        task.n_atoms, core_bits, groups.offsets, groups.values, groups_of.offsets, groups_of.values,
        task.complement_of, preimages.offsets, preimages.values, chosen, empty if pool is None else pool, seed,
    )  # fmt: skip


def label(task: Task, rollouts: Rollouts, states: BitRows) -> npt.NDArray[np.int32]:
    """d(s) = min{i : x_i^j ⊆ s}, or L+1 (one more than the longest rollout) where no pre-image holds."""
    rows = rollouts.preimages
    return _core.label_states(rows.offsets, rows.values, rollouts.depth, task.n_atoms, states, rollouts.beyond)
