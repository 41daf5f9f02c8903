"""States at the ends of random regressions, which Boot, BExp, AVI and STRIPS-HGN learn from."""

from __future__ import annotations

import numpy as np

from goalward.regression import RolloutOptions, regress
from goalward.sampling import SAMPLERS
from goalward.sampling.labels import GoOn
from goalward.sampling.samplers import complete
from goalward.task.states import BitRows, add_fixed_atoms
from goalward.task.strips import Ints, Task

PLAIN_SAMPLERS = tuple(name for name, sampler in SAMPLERS.items() if not sampler.parts)
"""The samplers that are not mixtures of others."""
SAMPLER_HELP = "sampler for the atoms that a pre-image leaves open"
_POOL_SIZE = 8000


class RegressedStates:
    """Draws full states from the ends of random regressions."""

    def __init__(self, task: Task, sampler: str, seed: int, go_on: GoOn | None = None) -> None:
        self.task = task
        self._random = np.random.default_rng([seed, 0x2E6])
        make_pool = SAMPLERS[sampler].pool
        assert make_pool is not None
        self._pool = make_pool(task, _POOL_SIZE, self._random, go_on)

    def draw(self, n: int, max_length: int) -> tuple[BitRows, Ints]:
        """Draw n states, each from its own regression of 1 to ``max_length`` steps; return them and the steps taken.

        If no action is valid any more, a regression ends early with its last pre-image.
        """
        rollouts = regress(self.task, RolloutOptions("rsl", n, max_length, int(self._random.integers(2**62))))
        ends = np.searchsorted(rollouts.rollout, np.arange(n), side="right") - 1
        starts = ends - rollouts.depth[ends]
        wanted = self._random.integers(1, max_length, size=n, endpoint=True)
        chosen = (starts + np.minimum(wanted, rollouts.depth[ends])).astype(np.int32)
        states = complete(self.task, rollouts.preimages, chosen, self._pool, int(self._random.integers(2**62)))
        return add_fixed_atoms(self.task, states), rollouts.depth[chosen]
