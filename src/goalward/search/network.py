"""A learned network as a heuristic: plain arrays in, a bound heuristic out. No PyTorch here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.errors import UsageError
from goalward.search.heuristics import BoundHeuristic
from goalward.search.portfolio import Lead
from goalward.task.packing import core_atoms
from goalward.task.strips import Bools, Task

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Layer:
    """One dense layer: ``weights`` of shape (outputs, inputs).

    ``skip`` is −1, or the number of the earlier activation that is added before the ReLU; 0 is the first layer's. All
    layers but the last end in a ReLU; the last has one output and is linear.
    """

    weights: Floats
    bias: Floats
    skip: int = -1


@dataclass(frozen=True, eq=False)
class NetworkWeights:
    """A network over the atoms of a task: ``table`` has one row per atom, summed over the true ones."""

    table: Floats
    bias: Floats
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        widths = [self.table.shape[-1]]
        fits = self.table.ndim == 2 and widths[0] >= 1 and self.bias.shape == (widths[0],) and bool(self.layers)
        for i, layer in enumerate(self.layers):
            fits = fits and layer.weights.ndim == 2 and layer.weights.shape[1] == widths[-1]
            fits = fits and layer.bias.shape == layer.weights.shape[:1] and -1 <= layer.skip <= i
            fits = fits and layer.weights.shape[0] >= 1
            fits = fits and (layer.skip < 0 or widths[layer.skip] == layer.weights.shape[0])
            widths.append(layer.weights.shape[0])
        if not fits or widths[-1] != 1 or self.layers[-1].skip >= 0:
            raise UsageError("the layers of the network do not fit together")

    @property
    def n_parameters(self) -> int:
        """Number of weights and biases."""
        return int(
            self.table.size + self.bias.size + sum(layer.weights.size + layer.bias.size for layer in self.layers)
        )

    @property
    def shape(self) -> str:
        """``225 → 250 → 250 → 250 + skip → 1``."""
        widths = [str(n) for n in self.table.shape]
        widths += [f"{layer.weights.shape[0]}{' + skip' if layer.skip >= 0 else ''}" for layer in self.layers]
        return " → ".join(widths)

    def without(self, true: Bools, false: Bools) -> NetworkWeights:
        """The network that takes some atoms to be true and some to be false, whatever it is told of them."""
        table = np.where((true | false)[:, None], np.float32(0), self.table)
        return NetworkWeights(table, self.bias + self.table[true].sum(axis=0), self.layers)

    def forward(self, states: npt.NDArray[np.bool_]) -> Floats:
        """Values of states of shape (n, |F|), in NumPy: slow, plain, for checks."""
        activations = [np.maximum(states.astype(np.float32) @ self.table + self.bias, 0)]
        for layer in self.layers[:-1]:
            value = activations[-1] @ layer.weights.T + layer.bias
            activations.append(np.maximum(value if layer.skip < 0 else value + activations[layer.skip], 0))
        last = self.layers[-1]
        return np.asarray((activations[-1] @ last.weights.T + last.bias)[:, 0], dtype=np.float32)


def bind_network(
    task: Task,
    weights: NetworkWeights,
    name: str = "network",
    lead: Lead = "landmarks",
    head_start: float | None = None,
    network_share: float = 0.0,
    unit_costs: bool | None = None,
) -> BoundHeuristic:
    """Make a network ready to evaluate states of a task; weights are packed for this machine once.

    ``unit_costs=False`` says that it was trained on the costs of the PDDL.

    Networks learned here ignore all but the core atoms, and search need not store the others. One that does not ignore
    them sees them as they are: it is served by the whole problem.
    """
    layers = [(layer.weights, layer.bias, layer.skip) for layer in weights.layers]
    if len(weights.table) != task.n_atoms:
        raise UsageError("the network was trained for another number of atoms")
    whole = bool(weights.table[~core_atoms(task)].any())
    packed = _core.Network(weights.table, weights.bias, layers)

    def make(problem: _core.Problem) -> _core.Heuristic:
        return _core.network_heuristic(problem, packed, unit_costs)

    return BoundHeuristic(
        task, name, make, whole=whole, lead=lead, head_start=head_start, unit_costs=unit_costs, learned=True,
        network_share=network_share,
    )  # fmt: skip
