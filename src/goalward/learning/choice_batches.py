"""How well a network makes choices between successors, as a loss: a few of them for every step of gradient descent."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import softplus

from goalward.learning.lesson import Choices
from goalward.learning.state_batches import StateBatches, only_core
from goalward.learning.state_network import StateNetwork
from goalward.task.strips import Task

STEPS = 128
"""Choices for each batch of labelled states."""
MARGIN = 1.0
"""Steps by which the successor on a plan should be nearer to the goal than the other states."""


class ChoiceBatches:
    """The choices of a lesson, some at a time, round and round."""

    def __init__(self, task: Task, choices: Choices, device: str) -> None:
        rows = only_core(task, np.concatenate([choices.before, choices.after, choices.others]))
        self._states = StateBatches(rows, np.zeros(len(rows), dtype=np.float32), task.n_atoms, device)
        self._choices = choices
        self._next = 0

    def loss(self, network: StateNetwork, scale: float) -> torch.Tensor:
        """The mean of softplus(h(after) - h(s) + 1): s being the state before the step, and the others.

        The network's values are multiplied by ``scale`` to become steps.
        """
        n = len(self._choices)
        steps = np.arange(self._next, min(self._next + STEPS, n))
        self._next = 0 if steps[-1] == n - 1 else self._next + STEPS
        first, end = np.searchsorted(self._choices.owners, [steps[0], steps[-1] + 1])
        owners = torch.from_numpy(self._choices.owners[first:end] - steps[0])
        rows = np.concatenate([steps, n + steps, 2 * n + np.arange(first, end)])
        values = scale * network(self._states.states(rows))
        before, after, others = values.split([len(steps), len(steps), end - first])
        loss = softplus(after - before + MARGIN).mean()
        return loss + softplus(after[owners] - others + MARGIN).mean() if len(others) else loss
