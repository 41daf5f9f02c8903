"""RSL and N-RSL: learn from pre-images (O'Toole, Ramirez, Lipovetzky, Pearce 2022).

Rollouts regress from the goal; states are drawn from their pre-images and labelled with the closest one's distance.
That is all that preset ``paper`` does. Preset ``fast`` has more and shorter rollouts, labels that are never above h_FF,
fresh states in every epoch, and lets the network improve labels once it knows something.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, cast

from goalward.declared import SHARE, option
from goalward.learning.improvements import IMPROVEMENTS
from goalward.learning.lessons import FreshLessons
from goalward.learning.options import ENDLESS, SupervisedOptions, by_preset
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.regression.rollouts import RegressionMethod
from goalward.regression.sizes import suggest_length, suggest_rollouts
from goalward.sampling import LABELS, SAMPLERS, SamplingOptions, Source


def _explained(table: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {entry.summary}" for name, entry in table.items())


SIZING_SHARE, ROLLING_SHARE, SAMPLING_SHARE = 0.1, 0.25, 0.5
"""The shares of a trial's time at which choosing sizes, rollouts, and drawing and labelling states end with what they
have."""


@dataclass(frozen=True)
class PreimageOptions(SupervisedOptions):
    """Rollouts and samples of RSL and N-RSL, with the paper's symbols.

    Trials take several samplers, kinds of labels and improvements in turn.
    """

    width: int = by_preset("width of the network's layers", 1, 8192)
    samples: int = option(100_000, "N_t, training states; of every epoch, where they are fresh", 10, 50_000_000)
    random_share: float = option(0.5, "P_r, share of random ones among them", kind=SHARE)
    rollouts: int = by_preset("N_r, regressions from the goal; 0: by the task", 0, 100_000)
    length: int = by_preset("L, steps of each regression; 0: by the task", 0, 1_000_000)
    sampler: tuple[str, ...] = by_preset(f"where open atoms come from ({_explained(SAMPLERS)})", choices=SAMPLERS)
    labels: tuple[str, ...] = by_preset(f"what states are labelled with ({_explained(LABELS)})", choices=LABELS)
    fresh: bool = by_preset("draw new states for every epoch")
    improve: tuple[str, ...] = by_preset(f"how labels become better ({_explained(IMPROVEMENTS)})", choices=IMPROVEMENTS)

    @property
    def n_trials(self) -> int:
        """How many trials where nobody says so: as many as there are kinds, so that validation can choose."""
        full = self.resolved()
        return self.trials or max(len(full.sampler), len(full.labels), len(full.improve))

    def resolved(self) -> Self:
        """With fresh states and a time limit, training goes on until then unless somebody says otherwise."""
        full = super().resolved()
        if not full.fresh or full.time_limit is None:
            return full
        return replace(full, max_epochs=self.max_epochs or ENDLESS)


def learn(trial: Trial[PreimageOptions]) -> TrainingResult:
    """Roll out pre-images, draw and label states, train."""
    options = trial.options
    sampler, labels, improvement = (
        names[trial.number % len(names)] for names in (options.sampler, options.labels, options.improve)
    )
    trial.phase("rollouts")
    rollouts = _regress(trial)
    trial.phase("sampling")
    sampling = SamplingOptions(options.samples, options.random_share, sampler, trial.seed, labels)
    source = Source(trial.task, rollouts, sampling)
    notes: dict[str, Any] = {"sampler": sampler, "rollouts": int(rollouts.rollout[-1]) + 1, "length": rollouts.longest}
    notes |= {"labels": labels, "improve": improvement}
    way = IMPROVEMENTS[improvement]
    if not options.fresh and way.make is None:
        dataset = source.draw(options.samples, go_on=trial.until(SAMPLING_SHARE))
        trial.data(dataset.summary())
        return trial.fit(dataset, **notes)
    improve = way.make(trial.task, trial.seed) if way.make else None
    lessons = FreshLessons(
        source, options.samples, improve, trial.left, fresh=options.fresh, pace=way.pace, tell=trial.data
    )
    return trial.fit(lessons, **notes)


def _regress(trial: Trial[PreimageOptions]) -> Rollouts:
    """As many rollouts, and as long, as the options say or the task suggests."""
    options, task = trial.options, trial.task
    method = cast(RegressionMethod, trial.method)
    sizing = trial.until(SIZING_SHARE)
    length = options.length or suggest_length(task, trial.seed, sizing)
    n = options.rollouts or suggest_rollouts(task, method, length, trial.left, sizing)
    return regress(task, RolloutOptions(method, n, length, trial.seed), go_on=trial.until(ROLLING_SHARE))
