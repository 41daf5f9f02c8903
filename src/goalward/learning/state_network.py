"""The paper's network in PyTorch: dense layers, a residual block, one linear output."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import nn

from goalward import _core
from goalward.learning.options import NetworkShape
from goalward.search.network import Layer, NetworkWeights
from goalward.task.states import BitRows


class TableSum(torch.autograd.Function):
    """The table's rows of the true atoms of each state, summed; the table and its gradient are on the processor.

    PyTorch's own (``embedding_bag``) takes several times as long, most of it for the gradient.
    """

    @staticmethod
    def forward(ctx: Any, table: torch.Tensor, states: BitRows) -> torch.Tensor:
        """One row per state."""
        ctx.states, ctx.n_atoms = states, len(table)
        return torch.from_numpy(_core.table_sums(states, table.detach().numpy()))

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient of the table."""
        (gradient,) = gradients
        return torch.from_numpy(_core.table_gradients(ctx.states, gradient.contiguous().numpy(), ctx.n_atoms)), None


class ResidualBlock(nn.Module):
    """x → ReLU(x + W₂ ReLU(W₁ x))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Two layers and the skip around them."""
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class StateNetwork(nn.Module):
    """|F| → width → width → residual block (width, width) → 1.

    The output is linear: a ReLU there can leave a network dead from its first step. The first layer is a table whose
    rows are summed over the true atoms. It takes states as zeros and ones or as rows of bits; the sums are the same,
    and the second form costs nothing for atoms that are false.
    """

    def __init__(self, n_atoms: int, shape: NetworkShape, generator: torch.Generator) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(n_atoms, shape.width))
        self.bias = nn.Parameter(torch.empty(shape.width))
        self.plain = nn.ModuleList(nn.Linear(shape.width, shape.width) for _ in range(shape.plain_layers - 1))
        self.blocks = nn.ModuleList(ResidualBlock(shape.width) for _ in range(shape.residual_blocks))
        self.output = nn.Linear(shape.width, 1)
        self._initialise(generator)

    def _initialise(self, generator: torch.Generator) -> None:
        """PyTorch's default for linear layers, from our own generator."""
        with torch.no_grad():
            pairs: list[tuple[torch.Tensor, torch.Tensor]] = [(self.table.T, self.bias)]
            pairs += [(part.weight, part.bias) for part in self.modules() if isinstance(part, nn.Linear)]
            for weight, bias in pairs:
                bound = 1 / math.sqrt(max(weight.shape[1], 1))
                weight.uniform_(-bound, bound, generator=generator)
                bias.uniform_(-bound, bound, generator=generator)

    def silence(self, atoms: torch.Tensor) -> None:
        """Make the value independent of some atoms."""
        with torch.no_grad():
            self.table[atoms] = 0

    def forward(self, states: torch.Tensor | BitRows) -> torch.Tensor:
        """One value per state."""
        sums = states @ self.table if isinstance(states, torch.Tensor) else TableSum.apply(self.table, states)  # type: ignore[no-untyped-call]
        x = torch.relu(sums + self.bias)
        for layer in self.plain:
            x = torch.relu(layer(x))
        for block in self.blocks:
            x = block(x)
        return self.output(x).squeeze(1)  # type: ignore[no-any-return]

    def export(self, mean: float = 0.0, scale: float = 1.0) -> NetworkWeights:
        """The weights as arrays for the native core; the value is multiplied by ``scale`` and raised by ``mean``."""

        def array(tensor: torch.Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float32).copy()

        def dense(linear: nn.Module, skip: int = -1) -> Layer:
            assert isinstance(linear, nn.Linear)
            return Layer(array(linear.weight), array(linear.bias), skip)

        layers = [dense(linear) for linear in self.plain]
        for block in self.blocks:
            assert isinstance(block, ResidualBlock)
            entry = len(layers)  # activation that goes into the block; 0 is the first layer's
            layers += [dense(block.first), dense(block.second, skip=entry)]
        last = dense(self.output)
        last = Layer(last.weights * np.float32(scale), last.bias * np.float32(scale) + np.float32(mean))
        return NetworkWeights(array(self.table), array(self.bias), (*layers, last))
