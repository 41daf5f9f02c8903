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

    States stay packed as bits, and their lists of true atoms are made when they are first asked for and then kept, so
    that training begins at once, and memory and time per epoch hardly grow with |F|.
    """

    def __init__(self, states: BitRows, labels: npt.NDArray[np.float32], n_atoms: int, device: str) -> None:
        self.labels = torch.from_numpy(labels).to(device)
        self.device = device
        self.n_atoms = n_atoms
        self._bits = states
        sample = from_bits(states[:2000], n_atoms)
        self.true_atoms = float(sample.sum(axis=1).mean()) if len(sample) else 0.0
        self.sparse = device == "cpu" and n_atoms > SPARSE_BELOW * self.true_atoms
        self._starts = np.full(len(states), -1, dtype=np.int64)  # of each state's list among all atoms
        self._lengths = np.zeros(len(states), dtype=np.int64)
        self._atoms = np.zeros(0, dtype=np.int64)
        self._used = 0

    def __len__(self) -> int:
        return len(self.labels)

    def epoch(
        self, rows: npt.NDArray[np.int64], batch_size: int
    ) -> Iterator[tuple[torch.Tensor | SparseBatch, torch.Tensor]]:
        """Batches over the given rows, in their order."""
        for start in range(0, len(rows), batch_size):
            chosen = rows[start : start + batch_size]
            yield self.states(chosen), self.labels[torch.from_numpy(chosen)]

    def states(self, rows: npt.NDArray[np.int64]) -> torch.Tensor | SparseBatch:
        """The states of some rows, as the network takes them."""
        if not self.sparse:
            dense = np.unpackbits(self._bits[rows].view(np.uint8), axis=1, count=self.n_atoms, bitorder="little")
            return torch.from_numpy(dense).to(self.device, torch.float32)
        self._make_lists(rows[self._starts[rows] < 0])
        lengths = self._lengths[rows]
        offsets = np.cumsum(lengths) - lengths
        positions = np.arange(lengths.sum()) + np.repeat(self._starts[rows] - offsets, lengths)
        return torch.from_numpy(self._atoms[positions]), torch.from_numpy(offsets)

    def _make_lists(self, rows: npt.NDArray[np.int64]) -> None:
        row, atom = np.nonzero(from_bits(self._bits[rows], self.n_atoms))
        counts = np.bincount(row, minlength=len(rows))
        end = self._used + len(atom)
        if end > len(self._atoms):
            self._atoms = np.concatenate([self._atoms, np.zeros(max(len(self._atoms), len(atom)), dtype=np.int64)])
        self._atoms[self._used : end] = atom
        self._lengths[rows] = counts
        self._starts[rows] = self._used + np.cumsum(counts) - counts
        self._used = end
