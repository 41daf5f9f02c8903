"""What training gives: the weights, the curve, and how it ended. No PyTorch here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from goalward.search.network import NetworkWeights

End = Literal["early stopping", "all epochs", "time limit", "interrupted"]


@dataclass(frozen=True)
class Epoch:
    """One line of the training curve; losses are mean squared errors in squared steps."""

    number: int
    train_loss: float
    validation_loss: float
    seconds: float
    learning_rate: float


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """The best weights and how they came about; ``notes`` are what the method has to say of its data."""

    weights: NetworkWeights
    curve: list[Epoch]
    best_epoch: int
    end: End
    restarts: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def validation_loss(self) -> float:
        """Of the best weights."""
        losses = (epoch.validation_loss for epoch in self.curve)
        return min((loss for loss in losses if math.isfinite(loss)), default=math.inf)


# Called after every epoch with the curve so far and a way to see the current weights; returns False to stop.
Watch = Callable[[Epoch, Callable[[], NetworkWeights]], bool | None]
