"""How well a network makes choices between successors, as a loss: a few of them for every step of gradient descent."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import softplus

from goalward.learning.lesson import Choices
from goalward.learning.state_batches import for_device, only_core
from goalward.learning.state_network import StateNetwork
from goalward.task.strips import Task

STEPS = 128
"""Choices for each batch of labelled states."""
MARGIN = 1.0
"""Steps by which the successor on a plan should be nearer to the goal than the other states."""


class ChoiceBatches:
    """The choices of a lesson, some at a time, round and round.

    The states of a choice lie side by side, before it, after it and the others: they differ in a few atoms, and of
    states that follow one another only the differences cost time.
    """

    def __init__(self, task: Task, choices: Choices, device: str) -> None:
        n = len(choices)
        self._owners = choices.owners
        self._first_other = np.searchsorted(choices.owners, np.arange(n + 1))
        self._begins = 2 * np.arange(n + 1) + self._first_other  # of the states of each choice among all
        self._others = 2 * (choices.owners + 1) + np.arange(len(choices.owners))
        states = np.empty((self._begins[-1], choices.before.shape[1]), dtype=np.uint64)
        states[self._begins[:-1]] = choices.before
        states[self._begins[:-1] + 1] = choices.after
        states[self._others] = choices.others
        self._states = only_core(task, states)
        self._n_atoms = task.n_atoms
        self._device = device
        self._next = 0

    def loss(self, network: StateNetwork, scale: float) -> torch.Tensor:
        """The mean of softplus(h(after) - h(s) + 1): s being the state before the step, and the others.

        The network's values are multiplied by ``scale`` to become steps.
        """
        first, n = self._next, len(self._begins) - 1
        end = min(first + STEPS, n)
        self._next = 0 if end == n else end
        begin = self._begins[first]
        states = for_device(self._states[begin : self._begins[end]], self._n_atoms, self._device)
        values = scale * network(states)
        others = slice(self._first_other[first], self._first_other[end])
        before = torch.from_numpy(self._begins[first:end] - begin)
        after = values[before + 1]
        loss = softplus(after - values[before] + MARGIN).mean()
        owners = torch.from_numpy(self._owners[others] - first)
        other_values = values[torch.from_numpy(self._others[others] - begin)]
        return loss + softplus(after[owners] - other_values + MARGIN).mean() if len(owners) else loss
