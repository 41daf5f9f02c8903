"""How a network is shaped and trained, and the two presets. No PyTorch here, so the command line can read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from goalward.errors import UsageError
from goalward.regression import RolloutOptions
from goalward.regression.rollouts import METHODS
from goalward.sampling import SAMPLERS, SamplingOptions


@dataclass(frozen=True)
class NetworkShape:
    """|F| → width → width … → residual blocks of two layers → 1; ``plain_layers`` counts the first one too."""

    width: int = 250
    plain_layers: int = 2
    residual_blocks: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.width <= 8192 or not 1 <= self.plain_layers <= 32 or not 0 <= self.residual_blocks <= 32:
            raise UsageError("a network has a width of 1 to 8192, 1 to 32 plain layers and 0 to 32 residual blocks")


@dataclass(frozen=True)
class TrainingOptions:
    """How to train. The loss is the mean squared error, the optimiser Adam, the best weights are kept.

    ``schedule`` "constant" keeps the learning rate; "cosine" lets it fall to 1 % over ``max_epochs`` or the time limit,
    whichever ends first. ``normalise`` fits the labels less their mean, divided by their standard deviation; the
    scaling is folded into the exported weights. The function fitted is the same, but no epochs are spent on finding the
    range of the labels.
    """

    batch_size: int
    learning_rate: float
    max_epochs: int
    patience: int
    schedule: Literal["constant", "cosine"]
    normalise: bool
    validation_share: float = 0.2
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    time_limit: float | None = None
    seed: int = 0
    device: Literal["cpu", "cuda"] = "cpu"
    threads: int = 1
    shape: NetworkShape = NetworkShape()


PRESETS: dict[str, TrainingOptions] = {
    "fast": TrainingOptions(
        batch_size=256, learning_rate=1e-3, max_epochs=15, patience=8, schedule="cosine", normalise=True
    ),
    "paper": TrainingOptions(
        batch_size=64, learning_rate=1e-4, max_epochs=1000, patience=2, schedule="constant", normalise=False
    ),
}

# The samplers that a preset's trials take in turn.
PRESET_SAMPLERS = {"fast": ("reachable", "uniform"), "paper": ("uniform",)}


@dataclass(frozen=True)
class LearnOptions:
    """Everything about learning one model; None means what the preset says.

    Samples, random share, rollouts, length and samplers belong to RSL and N-RSL; other methods have their own options.
    """

    method: str = "n-rsl"
    preset: str = "fast"
    seed: int = 0
    n_samples: int = 100_000
    random_share: float = 0.5
    n_rollouts: int = 5
    length: int = 500
    samplers: tuple[str, ...] | None = None
    trials: int | None = None
    time_limit: float | None = None
    device: Literal["cpu", "cuda"] = "cpu"
    threads: int = 1
    validation_states: int = 10
    validation_seconds: float = 2.0
    max_epochs: int | None = None

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UsageError(f"unknown preset {self.preset!r} (known: {', '.join(PRESETS)})")
        if self.trials is not None and not 1 <= self.trials <= 1000:
            raise UsageError(f"the number of trials is {self.trials}; it goes from 1 to 1000")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"the seed is {self.seed}; it goes from 0 to 2^32 - 1")
        RolloutOptions(n_rollouts=self.n_rollouts, length=self.length)  # these check themselves
        SamplingOptions(self.n_samples, self.random_share)
        for sampler in self.samplers or ():
            if sampler not in SAMPLERS:
                raise UsageError(f"unknown sampler {sampler!r} (known: {', '.join(SAMPLERS)})")

    @property
    def chosen_samplers(self) -> tuple[str, ...]:
        """Samplers that the trials take in turn."""
        return self.samplers or PRESET_SAMPLERS[self.preset]

    @property
    def n_trials(self) -> int:
        """How many trials: by default one per sampler of the preset, so that validation can choose."""
        return self.trials or (len(self.chosen_samplers) if self.method in METHODS else 1)
