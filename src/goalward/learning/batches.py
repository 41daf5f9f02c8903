"""Feeding states and choices to the network: rows of bits, or zeros and ones for a device that cannot take bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import huber_loss, softplus

from goalward.learning.lessons import Choices
from goalward.learning.state_network import StateNetwork
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Task

STEPS = 128
"""Steps of plans for each batch of labelled states; 32 were too few on transport p31."""
MARGIN = 1.0
"""By which siblings should be farther from the goal than the successor on the plan: without it greedy search with the
network alone solves none of six states of termes p12, with it all."""


def only_core(task: Task, states: BitRows) -> BitRows:
    """States as search evaluates them: it does not see other atoms, so a network must not learn from them."""
    return states & to_bits([np.flatnonzero(core_atoms(task)).astype(np.int32)], task.n_atoms)


class StateBatches:
    """States and labels, cut into batches.

    States stay packed as bits until a batch is asked for, so that training begins at once, and memory hardly grows
    with |F|.
    """

    def __init__(self, task: Task, states: BitRows, labels: npt.NDArray[np.float32], device: str) -> None:
        self.labels = torch.from_numpy(labels).to(device)
        self._states = only_core(task, states)
        self._n_atoms = task.n_atoms
        self._device = device

    def epoch(
        self, rows: npt.NDArray[np.int64], batch_size: int
    ) -> Iterator[tuple[torch.Tensor | BitRows, torch.Tensor]]:
        """Batches over the given rows, in their order."""
        for start in range(0, len(rows), batch_size):
            chosen = rows[start : start + batch_size]
            states = for_device(self._states[chosen], self._n_atoms, self._device)
            yield states, self.labels[torch.from_numpy(chosen)]


def for_device(states: BitRows, n_atoms: int, device: str) -> torch.Tensor | BitRows:
    """States as the network takes them there: bits on the processor, which counts true atoms only."""
    if device == "cpu":
        return states
    dense = np.unpackbits(states.view(np.uint8), axis=1, count=n_atoms, bitorder="little")
    return torch.from_numpy(dense).to(device, torch.float32)


class ChoiceBatches:
    """Steps of plans, some at a time, round and round, and the loss that they give."""

    def __init__(self, task: Task, choices: Choices, device: str) -> None:
        self._task, self._choices, self._device = task, choices, device
        self._unit = max(float(choices.costs.mean()), 1e-6)  # a step of mean cost
        self._next = 0

    def loss(self, network: StateNetwork, scale: float) -> torch.Tensor:
        """A step along the plan is worth exactly its cost, and its siblings should be worse by a margin.

        The mean of huber(h(before) - h(after) - c) plus the mean of softplus(c + h(after) - c' - h(sibling) + margin),
        where c and c' are the costs of the steps. All of it is in units of the mean cost of a step. The network's
        values are multiplied by ``scale`` to become costs.
        """
        end = min(self._next + STEPS, len(self._choices))
        part = self._choices.select(np.arange(self._next, end))
        self._next = 0 if end == len(self._choices) else end
        # The states of a step side by side: they differ in a few atoms, and only the differences cost time.
        steps = np.arange(len(part))
        order = np.argsort(np.concatenate([steps, steps, part.owners]), kind="stable")
        states = only_core(self._task, np.concatenate([part.before, part.after, part.siblings])[order])
        values = scale / self._unit * network(for_device(states, self._task.n_atoms, self._device))
        before, after, siblings = values[np.argsort(order)].split([len(steps), len(steps), len(part.siblings)])
        costs, sibling_costs = (
            torch.from_numpy(each).to(self._device) / self._unit for each in (part.costs, part.sibling_costs)
        )
        loss = huber_loss(before - after, costs)
        if not len(siblings):
            return loss
        gap = (costs + after)[part.owners] - sibling_costs - siblings
        return loss + softplus(gap + MARGIN).mean()
