"""Networks from PyTorch and back: a module of one's own becomes arrays that native search evaluates.

The module is run once, on a symbolic batch of states. Every value in it is then an affine function of activations,
where an activation is the result of a ReLU, and activation 0 is the state. So whatever is made of linear layers, ReLUs,
sums, concatenations and the like can be converted, however it is written; :mod:`goalward.search.network_layout` puts
the activations into layers. Anything else (a GELU, an attention) is an error that names it.

In the rooms before ``learning``, only this module and ``torch_symbols`` import PyTorch. Others import these two where
they need them, inside functions, so that search works without waiting for PyTorch.
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

_CHECKED_STATES = 64


def weights_of(module: nn.Module, n_atoms: int) -> NetworkWeights:
    """A module that takes states of shape (n, |F|) and gives one number each, as arrays for native search.

    It is converted as it is in evaluation (dropout off, batch normalisation with its running statistics). The result
    is compared with the module on random states before anybody searches with it.
    """
    own = copy.deepcopy(module).cpu().float().eval()
    tape = Tape(n_atoms)
    hooks = [part.register_forward_pre_hook(tape.enter(name)) for name, part in own.named_modules()]
    try:
        with torch.no_grad():
            output = own(Symbol(tape, Affine.of_activation(0, n_atoms)))
    except TypeError as error:  # a function of PyTorch that does not know symbols
        raise UsageError(f"cannot convert {tape.where}: {error}") from error
    finally:
        for hook in hooks:
            hook.remove()
    tape.where = f"the output of {type(module).__name__}"
    if not isinstance(output, Symbol):
        raise tape.refuse(f"it is a {type(output).__name__} that does not depend on the state")
    if output.value.width != 1:
        raise tape.refuse(f"it has {output.value.width} numbers per state, and a heuristic has one")
    weights = arrange(n_atoms, tape.activations, output.value)
    _compare(own, weights, n_atoms)
    return weights


def _compare(module: nn.Module, weights: NetworkWeights, n_atoms: int) -> None:
    """The last check: does the network say what the module says, on states with few and with many true atoms?"""
    random = np.random.default_rng(0)
    states = random.random((_CHECKED_STATES, n_atoms)) < random.random((_CHECKED_STATES, 1))
    with torch.no_grad():
        expected = module(torch.from_numpy(states.astype(np.float32))).reshape(-1).numpy()
    found = weights.forward(states)
    scale = 1 + np.abs(expected).max()
    if expected.shape != found.shape or not np.allclose(found, expected, rtol=1e-3, atol=1e-4 * scale):
        raise UsageError(
            f"{type(module).__name__} cannot be converted: it does something else with numbers than with symbols, so "
            "use it as a heuristic function instead"
        )


class ExportedNetwork(nn.Module):
    """A network of native search as a PyTorch module: states of shape (n, |F|) in, n values out."""

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
