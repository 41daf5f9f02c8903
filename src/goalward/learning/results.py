"""What training gives: the weights, the curve, and how it ended. No PyTorch here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from goalward.search.network import NetworkWeights

End = Literal["early stopping", "all epochs", "time limit", "interrupted", "validation states solved"]


@dataclass(frozen=True)
class Epoch:
    """One line of the training curve; losses are mean squared errors in squared steps.

    ``states`` counts the states that were trained on so far, in all epochs.
    """

    number: int
    train_loss: float
    validation_loss: float
    seconds: float
    learning_rate: float
    states: int = 0

    def after(self, last: Epoch) -> Epoch:
        """The same, counted on from the last epoch of an earlier training."""
        seconds, states = last.seconds + self.seconds, last.states + self.states
        return replace(self, number=last.number + self.number, seconds=seconds, states=states)


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """The best weights and how they came about; ``notes`` are what the method has to say of its data.

    ``more`` goes on with the training in another trial, where the method can do that.
    """

    weights: NetworkWeights
    curve: list[Epoch]
    best_epoch: int
    end: End
    restarts: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    more: Callable[[Any], TrainingResult] | None = None

    def after(self, before: TrainingResult) -> TrainingResult:
        """The two trainings as one, where this one began with the weights of the other."""
        return replace(
            self,
            curve=[*before.curve, *(epoch.after(before.last) for epoch in self.curve)],
            best_epoch=before.last.number + self.best_epoch,
            restarts=[*before.restarts, *self.restarts],
        )

    @property
    def last(self) -> Epoch:
        """The last epoch; where there was none, one that counts as nothing."""
        return self.curve[-1] if self.curve else Epoch(0, 0.0, 0.0, 0.0, 0.0)

    @property
    def validation_loss(self) -> float:
        """The least of all epochs."""
        losses = (epoch.validation_loss for epoch in self.curve)
        return min((loss for loss in losses if math.isfinite(loss)), default=math.inf)


# Called after every epoch, with a way to see the current weights; returns False or a reason to end training there.
Watch = Callable[[Epoch, Callable[[], NetworkWeights]], bool | End | None]
