"""The results of training: the weights, the curve, and the reason for its end. No PyTorch here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from goalward.search.network import NetworkWeights

End = Literal["early stopping", "all epochs", "time limit", "interrupted", "diverged", "validation states solved"]


@dataclass(frozen=True)
class Epoch:
    """One line of the training curve; losses are mean squared errors in squared steps.

    ``states`` counts the states that were trained on so far, in all epochs. ``mean_error`` is the mean absolute error
    on held-out labelled states, in steps; None if the method holds none out.
    """

    number: int
    train_loss: float
    validation_loss: float
    seconds: float
    learning_rate: float
    states: int = 0
    mean_error: float | None = None


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """The best weights and how they came about; ``notes`` are what the method has to say of its data."""

    weights: NetworkWeights
    curve: list[Epoch]
    best_epoch: int
    end: End
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def unit_costs(self) -> bool | None:
        """False if the network was trained on the costs of the PDDL; None if its values count steps."""
        return False if self.notes.get("costs") == "pddl" else None

    @property
    def validation_loss(self) -> float:
        """The validation loss of the epoch whose weights were kept; infinite if there was none."""
        return next((epoch.validation_loss for epoch in self.curve if epoch.number == self.best_epoch), math.inf)


# Called after every epoch, with a way to see the current weights; returns False or a reason to end training there.
Watch = Callable[[Epoch, Callable[[], NetworkWeights]], bool | End | None]
