"""The weights of a learned network as arrays, and the network as a heuristic; needs no PyTorch."""

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

    ``skip`` is the index of the earlier activation that is added before the ReLU, where 0 is the first layer's, or −1
    for none. All layers except the last end in a ReLU. The last is linear and has one output.
    """

    weights: Floats
    bias: Floats
    skip: int = -1


@dataclass(frozen=True, eq=False)
class NetworkWeights:
    """A network over the atoms of a task; its first layer sums the rows of ``table`` for all true atoms."""

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
            raise UsageError("the shapes of the network's layers do not match")

    @property
    def n_parameters(self) -> int:
        """Number of weights and biases."""
        return int(
            self.table.size + self.bias.size + sum(layer.weights.size + layer.bias.size for layer in self.layers)
        )

    @property
    def shape(self) -> str:
        """The widths of the layers as text, such as ``225 → 250 → 250 → 250 + skip → 1``."""
        widths = [str(n) for n in self.table.shape]
        widths += [f"{layer.weights.shape[0]}{' + skip' if layer.skip >= 0 else ''}" for layer in self.layers]
        return " → ".join(widths)

    def without(self, true: Bools, false: Bools) -> NetworkWeights:
        """The network with the inputs of some atoms fixed to true and of some to false."""
        table = np.where((true | false)[:, None], np.float32(0), self.table)
        return NetworkWeights(table, self.bias + self.table[true].sum(axis=0), self.layers)

    def forward(self, states: npt.NDArray[np.bool_]) -> Floats:
        """Evaluate states of shape (n, |F|) in NumPy: a slow reference implementation for checks."""
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
    """Make a network a heuristic of a task. Its weights are packed for this machine once.

    ``unit_costs=False`` means that it was trained on the costs in the PDDL.

    If the network ignores all atoms except the core atoms, as networks trained by goalward do, search need not store
    the others. Otherwise it works on the whole problem.
    """
    layers = [(layer.weights, layer.bias, layer.skip) for layer in weights.layers]
    if len(weights.table) != task.n_atoms:
        raise UsageError(f"the network is for {len(weights.table)} atoms, but {task.problem_name} has {task.n_atoms}")
    whole = bool(weights.table[~core_atoms(task)].any())
    packed = _core.Network(weights.table, weights.bias, layers)

    def make(problem: _core.Problem) -> _core.Heuristic:
        return _core.network_heuristic(problem, packed, unit_costs)

    return BoundHeuristic(
        task, name, make, whole=whole, lead=lead, head_start=head_start, unit_costs=unit_costs, learned=True,
        network_share=network_share,
    )  # fmt: skip
