"""Early stopping: the best weights of a training so far, and how long they have been the best."""

from __future__ import annotations

import copy
import math

from torch import nn


class BestSoFar:
    """The weights of a network with the least validation loss; those it begins with count as epoch 0."""

    def __init__(self, network: nn.Module, patience: int) -> None:
        self.network = network
        self.patience = patience
        self.loss = math.inf
        self.keep(0)

    def keep(self, epoch: int) -> None:
        """Take the weights of now, whatever their loss."""
        self.epoch = epoch
        self.state = copy.deepcopy(self.network.state_dict())

    def add(self, epoch: int, loss: float) -> None:
        """Keep the present weights if their loss is the lowest so far."""
        if loss < self.loss:
            self.loss = loss
            self.keep(epoch)

    def patience_is_over(self, epoch: int) -> bool:
        """True if the loss has not improved for ``patience`` epochs."""
        return epoch - self.epoch >= self.patience

    def restore(self) -> None:
        """Give the network the best weights back."""
        self.network.load_state_dict(self.state)
