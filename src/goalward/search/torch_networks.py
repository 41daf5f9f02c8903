"""Converts PyTorch modules to arrays that native search evaluates, and back.

The module is run once, on a symbolic batch of states. Every value in it is then an affine function of activations. An
activation is the output of a ReLU; activation 0 is the state. So all modules made of linear layers, ReLUs, sums,
concatenations and the like can be converted, however they are written. :mod:`goalward.search.network_layout` arranges
the activations in layers. An error names any other operation, such as GELU or attention.

Of the rooms before ``learning``, only this module and ``torch_symbols`` import PyTorch. Other modules import these two
inside functions, so that search does not load PyTorch.
"""

from __future__ import annotations

import copy

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from goalward.errors import UsageError
from goalward.search.network import NetworkWeights
from goalward.search.network_layout import Affine, arrange
from goalward.search.torch_symbols import Symbol, Tape

_N_CHECKED_STATES = 64


def weights_of(module: nn.Module, n_atoms: int) -> NetworkWeights:
    """Convert a module that maps states of shape (n, |F|) to one number each.

    The module is converted in evaluation mode: no dropout, and batch normalisation with its running statistics. The
    result is compared with the module on random states.
    """
    own = copy.deepcopy(module).cpu().float().eval()
    tape = Tape(n_atoms)
    hooks = [part.register_forward_pre_hook(tape.enter(name)) for name, part in own.named_modules()]
    try:
        with torch.no_grad():
            output = own(Symbol(tape, Affine.of_activation(0, n_atoms)))
    except TypeError as error:  # from a PyTorch function that does not accept symbols
        raise UsageError(f"cannot convert {tape.where}: {error}") from error
    finally:
        for hook in hooks:
            hook.remove()
    tape.where = f"the output of {type(module).__name__}"
    if not isinstance(output, Symbol):
        raise tape.refuse(f"it is a {type(output).__name__} that does not depend on the state")
    if output.value.width != 1:
        raise tape.refuse(f"it must be one number per state, but is {output.value.width}")
    weights = arrange(n_atoms, tape.activations, output.value)
    _compare(own, weights, n_atoms)
    return weights


def _compare(module: nn.Module, weights: NetworkWeights, n_atoms: int) -> None:
    """Raise an error if the network and the module differ on random states with few and with many true atoms."""
    random = np.random.default_rng(0)
    states = random.random((_N_CHECKED_STATES, n_atoms)) < random.random((_N_CHECKED_STATES, 1))
    with torch.no_grad():
        expected = module(torch.from_numpy(states.astype(np.float32))).reshape(-1).numpy()
    found = weights.forward(states)
    scale = 1 + np.abs(expected).max()
    if expected.shape != found.shape or not np.allclose(found, expected, rtol=1e-3, atol=1e-4 * scale):
        raise UsageError(
            f"{type(module).__name__} cannot be converted: the converted network gives other values; "
            "use the module as a heuristic function instead"
        )


class ExportedNetwork(nn.Module):
    """A network of native search as a PyTorch module, which maps states of shape (n, |F|) to n values."""

    def __init__(self, weights: NetworkWeights) -> None:
        super().__init__()
        self.first = _dense(weights.table.T, weights.bias)
        self.hidden = nn.ModuleList(_dense(layer.weights, layer.bias) for layer in weights.layers[:-1])
        self.skips = [layer.skip for layer in weights.layers[:-1]]
        self.output = _dense(weights.layers[-1].weights, weights.layers[-1].bias)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """One value per state."""
        activations = [torch.relu(self.first(states))]
        for layer, skip in zip(self.hidden, self.skips, strict=True):
            value = layer(activations[-1])
            activations.append(torch.relu(value if skip < 0 else value + activations[skip]))
        return self.output(activations[-1]).squeeze(1)  # type: ignore[no-any-return]


def _dense(weights: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> nn.Linear:
    layer = nn.Linear(weights.shape[1], weights.shape[0])
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weights)))
        layer.bias.copy_(torch.from_numpy(np.ascontiguousarray(bias)))
    return layer
