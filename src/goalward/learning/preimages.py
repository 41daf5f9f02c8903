"""RSL and N-RSL: learn from pre-images (O'Toole, Ramirez, Lipovetzky, Pearce 2022).

Rollouts regress from the goal; states are drawn from their pre-images and labelled with the closest one's distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from goalward.declared import SHARE, option
from goalward.learning.options import SupervisedOptions, by_preset
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.regression import RolloutOptions, regress
from goalward.regression.rollouts import RegressionMethod
from goalward.sampling import SAMPLERS, SamplingOptions, make_dataset

_SAMPLERS_EXPLAINED = "; ".join(f"{sampler.name}: {sampler.summary}" for sampler in SAMPLERS.values())


@dataclass(frozen=True)
class PreimageOptions(SupervisedOptions):
    """Rollouts and samples of RSL and N-RSL, with the paper's symbols; trials take several samplers in turn."""

    samples: int = option(100_000, "N_t, training states", 10, 50_000_000)
    random_share: float = option(0.5, "P_r, share of random ones among them", kind=SHARE)
    rollouts: int = option(5, "N_r, regressions from the goal", 1, 100_000)
    length: int = option(500, "L, steps of each regression", 1, 1_000_000)
    sampler: tuple[str, ...] = by_preset(f"where open atoms come from ({_SAMPLERS_EXPLAINED})", choices=SAMPLERS)

    @property
    def n_trials(self) -> int:
        """How many trials where nobody says so: one per sampler, so that validation can choose."""
        return self.trials or len(self.resolved().sampler)


def learn(trial: Trial[PreimageOptions]) -> TrainingResult:
    """Roll out pre-images, draw and label states, train."""
    options = trial.options
    sampler = options.sampler[trial.number % len(options.sampler)]
    trial.phase("rollouts")
    method = cast(RegressionMethod, trial.method)
    rollouts = regress(trial.task, RolloutOptions(method, options.rollouts, options.length, trial.seed))
    trial.phase("sampling")
    sampling = SamplingOptions(options.samples, options.random_share, sampler, trial.seed)
    dataset = make_dataset(trial.task, rollouts, sampling)
    trial.data(dataset.summary())
    return trial.fit(dataset, sampler=sampler)
