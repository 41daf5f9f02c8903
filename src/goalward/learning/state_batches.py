"""Feeding states to the network: rows of bits, or zeros and ones for a device that cannot take bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Task


def only_core(task: Task, states: BitRows) -> BitRows:
    """States as search evaluates them: it does not see other atoms, so a network must not learn from them."""
    return states & to_bits([np.flatnonzero(core_atoms(task)).astype(np.int32)], task.n_atoms)


class StateBatches:
    """States and labels, cut into batches.

    States stay packed as bits until a batch is asked for, so that training begins at once, and memory hardly grows
    with |F|.
    """

    def __init__(self, states: BitRows, labels: npt.NDArray[np.float32], n_atoms: int, device: str) -> None:
        self.labels = torch.from_numpy(labels).to(device)
        self._states = states
        self._n_atoms = n_atoms
        self._device = device

    def __len__(self) -> int:
        return len(self.labels)

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
