"""How a network is shaped and trained, and the two presets. No PyTorch here, so the command line can read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from goalward.errors import UsageError


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
        batch_size=512, learning_rate=1e-3, max_epochs=30, patience=8, schedule="cosine", normalise=True
    ),
    "paper": TrainingOptions(
        batch_size=64, learning_rate=1e-4, max_epochs=1000, patience=2, schedule="constant", normalise=False
    ),
}
