"""Feeding states to the network: dense zeros and ones, or lists of true atoms where those are few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from goalward.learning.state_network import SparseBatch
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, from_bits, to_bits
from goalward.task.strips import Task

# Summing table rows for true atoms beats a matrix product when fewer than one atom in this many is true.
SPARSE_BELOW = 12


def only_core(task: Task, states: BitRows) -> BitRows:
    """States as search evaluates them: it does not see other atoms, so a network must not learn from them."""
    return states & to_bits([np.flatnonzero(core_atoms(task)).astype(np.int32)], task.n_atoms)


class StateBatches:
    """States and labels, cut into batches of either form.

    States stay packed as bits or as short lists of true atoms, so that memory and time per epoch hardly grow with |F|.
    """

    def __init__(self, states: BitRows, labels: npt.NDArray[np.float32], n_atoms: int, device: str) -> None:
        self.labels = torch.from_numpy(labels).to(device)
        self.device = device
        self.n_atoms = n_atoms
        self._bits = states
        sample = from_bits(states[:2000], n_atoms)
        self.true_atoms = float(sample.sum(axis=1).mean()) if len(sample) else 0.0
        self.sparse = device == "cpu" and n_atoms > SPARSE_BELOW * self.true_atoms
        if self.sparse:
            self._offsets, self._atoms = _lists(states, n_atoms)

    def __len__(self) -> int:
        return len(self.labels)

    def epoch(
        self, rows: npt.NDArray[np.int64], batch_size: int
    ) -> Iterator[tuple[torch.Tensor | SparseBatch, torch.Tensor]]:
        """Batches over the given rows, in their order."""
        for start in range(0, len(rows), batch_size):
            chosen = rows[start : start + batch_size]
            yield self._states(chosen), self.labels[torch.from_numpy(chosen)]

    def _states(self, rows: npt.NDArray[np.int64]) -> torch.Tensor | SparseBatch:
        if not self.sparse:
            dense = np.unpackbits(self._bits[rows].view(np.uint8), axis=1, count=self.n_atoms, bitorder="little")
            return torch.from_numpy(dense).to(self.device, torch.float32)
        starts = self._offsets[rows]
        lengths = self._offsets[rows + 1] - starts
        offsets = np.cumsum(lengths) - lengths
        positions = np.arange(lengths.sum()) + np.repeat(starts - offsets, lengths)
        return torch.from_numpy(self._atoms[positions]), torch.from_numpy(offsets)


def _lists(states: BitRows, n_atoms: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """True atoms of all states after one another, and where each state's begin; in slices, to bound memory."""
    atoms, counts = [], []
    for start in range(0, len(states), 4096):
        row, column = np.nonzero(from_bits(states[start : start + 4096], n_atoms))
        atoms.append(column)
        counts.append(np.bincount(row, minlength=len(states[start : start + 4096])))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return offsets, np.concatenate(atoms).astype(np.int64)
