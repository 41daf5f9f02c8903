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
    """Steps of plans, some at a time, round and round, and the loss that they give.

    The states of a step lie side by side (before, after, siblings): they differ in a few atoms, and of states that
    follow one another only the differences cost time.
    """

    def __init__(self, task: Task, choices: Choices, device: str) -> None:
        n = len(choices)
        self._owners = choices.owners
        self._costs = torch.from_numpy(choices.costs).to(device)
        self._sibling_costs = torch.from_numpy(choices.sibling_costs).to(device)
        self._unit = max(float(choices.costs.mean()), 1e-6)  # a step of mean cost
        self._first_sibling = np.searchsorted(choices.owners, np.arange(n + 1))
        self._begins = 2 * np.arange(n + 1) + self._first_sibling  # of the states of each step among all
        self._siblings = 2 * (choices.owners + 1) + np.arange(len(choices.owners))
        states = np.empty((self._begins[-1], choices.before.shape[1]), dtype=np.uint64)
        states[self._begins[:-1]] = choices.before
        states[self._begins[:-1] + 1] = choices.after
        states[self._siblings] = choices.siblings
        self._states = only_core(task, states)
        self._n_atoms = task.n_atoms
        self._device = device
        self._next = 0

    def loss(self, network: StateNetwork, scale: float) -> torch.Tensor:
        """A step along the plan is worth exactly its cost, and its siblings should be worse by a margin.

        The mean of huber(h(before) - h(after) - c) plus the mean of softplus(c + h(after) - c' - h(sibling) + margin),
        where c and c' are the costs of the steps. All of it is in units of the mean cost of a step. The network's
        values are multiplied by ``scale`` to become costs.
        """
        first, n = self._next, len(self._begins) - 1
        end = min(first + STEPS, n)
        self._next = 0 if end == n else end
        begin = self._begins[first]
        states = for_device(self._states[begin : self._begins[end]], self._n_atoms, self._device)
        values = scale / self._unit * network(states)
        before = torch.from_numpy(self._begins[first:end] - begin)
        after = values[before + 1]
        costs = self._costs[first:end] / self._unit
        loss = huber_loss(values[before] - after, costs)
        siblings = slice(self._first_sibling[first], self._first_sibling[end])
        owners = torch.from_numpy(self._owners[siblings] - first)
        values_of_siblings = values[torch.from_numpy(self._siblings[siblings] - begin)]
        if not len(owners):
            return loss
        gap = (costs + after)[owners] - self._sibling_costs[siblings] / self._unit - values_of_siblings
        return loss + softplus(gap + MARGIN).mean()
