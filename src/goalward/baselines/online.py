"""A network that is trained incrementally, on data that its own predictions help to make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from goalward.learning.adam import Adam
from goalward.learning.batches import StateBatches
from goalward.learning.options import NetworkOptions
from goalward.learning.state_network import StateNetwork
from goalward.search.network import NetworkWeights
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows
from goalward.task.strips import Task


class OnlineNetwork:
    """A network and its optimiser. Labels are divided by ``scale`` internally, which only speeds up training."""

    def __init__(self, task: Task, options: NetworkOptions, scale: float = 10.0) -> None:
        self.task = task
        self.options = options
        self.scale = scale
        self._random = np.random.default_rng([options.seed, 0x071])
        generator = torch.Generator().manual_seed(options.seed)
        self._network = StateNetwork(task.n_atoms, options.shape, generator)
        self._network.silence(torch.from_numpy(np.flatnonzero(~core_atoms(task))))
        self._network.to(options.device)
        self._optimiser = Adam(self._network.parameters(), options.learning_rate, fused=True)

    def fit(self, states: BitRows, labels: npt.NDArray[np.float32], epochs: int = 1) -> float:
        """Train on labelled states; return the mean squared error of the last epoch, in squared steps."""
        threads = torch.get_num_threads()
        torch.set_num_threads(self.options.threads)
        try:
            batches = StateBatches(self.task, states, labels / np.float32(self.scale), self.options.device)
            rows = np.arange(len(labels))
            for _ in range(epochs):
                self._random.shuffle(rows)
                total = 0.0
                for batch, targets in batches.epoch(rows, self.options.batch_size):
                    loss = torch.nn.functional.mse_loss(self._network(batch), targets)
                    self._optimiser.zero_grad()
                    loss.backward()  # type: ignore[no-untyped-call]
                    self._optimiser.step()
                    total += float(loss.detach()) * len(targets)
        finally:
            torch.set_num_threads(threads)
        return total / max(len(labels), 1) * self.scale**2

    def weights(self) -> NetworkWeights:
        """The current weights, in the form that search uses."""
        return self._network.export(scale=self.scale)
