"""STRIPS-HGN: a hypergraph network over the delete relaxation of a task.

Shen, Trevizan and Thiébaux, *Learning Domain-Independent Planning Heuristics with Hypergraph Networks*, ICAPS 2020.
Vertices are atoms and hyperedges are operators, from the atoms of the precondition (tail) to the add effects (head). No
weight belongs to an atom, an operator or a problem, so one network gives a value to the states of any task.

Two things differ from the paper:

- In the paper, the input of a hyperedge is the concatenation of its atoms' features, sorted by name and padded to the
  largest precondition and add effect of the domain. Here it is their sum, so the value depends neither on names nor on
  a maximum size.
- In the paper, an atom receives the sum of the messages of the operators that add it. Here it receives their mean,
  unless "sum" is asked for. The number of those operators grows with the problem, and networks trained with sums
  generalised worse to larger problems (``benchmarks/hgn_generalisation.py``).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import leaky_relu, linear

from goalward.task.strips import Rows, Task

VERTEX_FEATURES = 2  # true in the state, in the goal
EDGE_FEATURES = 3  # cost, |Add|, |Pre|

# Maximum size of one hidden layer of a batch, in floats; larger batches are evaluated in pieces.
PIECE_FLOATS = 1 << 20
# Replaces values that are not finite: such a state is expanded last, but not pruned.
WORST_VALUE = 1e30


class Hypergraph:
    """The delete relaxation of a task, as sparse matrices that sum features over the neighbours in the hypergraph."""

    def __init__(self, task: Task, *, unit_costs: bool = True, aggregation: str = "mean") -> None:
        self.n_vertices, self.n_edges = task.n_atoms, task.n_operators
        costs = np.ones(task.n_operators) if unit_costs else task.costs
        features = np.stack([costs, task.add.lengths, task.pre.lengths], axis=1)
        self.edge_features = torch.from_numpy(features.astype(np.float32))
        self.goal = torch.zeros(task.n_atoms)
        self.goal[torch.from_numpy(task.goal.astype(np.int64))] = 1
        self.tail = _sums(task.pre, task.n_atoms)
        self.head = _sums(task.add, task.n_atoms)
        self.entering = _sums(task.add.transpose(task.n_atoms), task.n_operators, mean=aggregation == "mean")

    def vertex_features(self, states: torch.Tensor) -> torch.Tensor:
        """Features of shape (atoms, states, 2) from states of shape (states, atoms)."""
        truth = states.T
        return torch.stack([truth, self.goal[:, None].expand_as(truth)], dim=2)


def _sums(rows: Rows, n_values: int, *, mean: bool = False) -> torch.Tensor:
    """A sparse matrix that maps one number per value to the sum, or mean, over the values of each row."""
    indices = torch.from_numpy(np.stack([rows.owners, rows.values]).astype(np.int64))
    shares = 1 / rows.lengths[rows.owners] if mean else np.ones(len(rows.values))
    numbers = torch.from_numpy(shares.astype(np.float32))
    return torch.sparse_coo_tensor(indices, numbers, (len(rows), n_values), check_invariants=True).coalesce()


def gather(sums: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Apply a matrix of :func:`_sums` for every state: (values, states, width) in, (rows, states, width) out."""
    return torch.sparse.mm(sums, x.flatten(1)).view(sums.shape[0], *x.shape[1:])  # type: ignore[no-any-return]


class Mlp(nn.Module):
    """Two dense layers over the concatenation of several inputs, each followed by LeakyReLU.

    The first layer can be applied input by input. Then inputs that do not change between steps are multiplied only
    once, and the product can be computed before or after a sum over neighbours, whichever has fewer rows.
    """

    def __init__(self, n_inputs: int, width: int, latent: int) -> None:
        super().__init__()
        self.width = width
        self.first = nn.Linear(n_inputs * width, latent)
        self.second = nn.Linear(latent, latent)

    def parts(self) -> tuple[torch.Tensor, ...]:
        """The first layer's weights, split by input."""
        return torch.split(self.first.weight, self.width, dim=1)

    def finish(self, summed: torch.Tensor) -> torch.Tensor:
        """The output, given the sum of the products of all parts and of the bias."""
        return leaky_relu(self.second(leaky_relu(summed)))

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The output, given all inputs."""
        return self.finish(self.first(torch.cat(inputs, dim=-1)))


class HypergraphNetwork(nn.Module):
    """Encodes features, passes messages with the same weights in every step, and decodes a value after each step.

    With ē, v̄ the encoded features and e, v the latents of the step before (ē and v̄ at first), a step computes

        e'(o) = φ_e(ē, e, Σ v̄ and Σ v over Pre(o), Σ v̄ and Σ v over Add(o))
        v'(a) = φ_v(v̄, v, mean or Σ of e' over the operators that add a)
        u'    = φ_u(Σ v' over all atoms, Σ e' over all operators)

    and the decoder computes the value from u'. u' is not fed back, so messages travel one hyperedge per step.
    """

    def __init__(self, latent: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.latent = latent
        self.encode_vertex = Mlp(1, VERTEX_FEATURES, latent)
        self.encode_edge = Mlp(1, EDGE_FEATURES, latent)
        self.update_edge = Mlp(6, latent, latent)
        self.update_vertex = Mlp(3, latent, latent)
        self.update_global = Mlp(2, latent, latent)
        self.decode = Mlp(1, latent, latent)
        self.output = nn.Linear(latent, 1)
        self._initialise(generator)

    def _initialise(self, generator: torch.Generator | None) -> None:
        """PyTorch's default initialisation of linear layers, with the given generator."""
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    bound = 1 / math.sqrt(module.in_features)
                    module.weight.uniform_(-bound, bound, generator=generator)
                    module.bias.uniform_(-bound, bound, generator=generator)

    def steps(self, graph: Hypergraph, states: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield the latents of vertices and edges after each step, without end; states have shape (states, atoms)."""
        v = v0 = self.encode_vertex(graph.vertex_features(states))
        e = e0 = self.encode_edge(graph.edge_features)[:, None]
        of_e0, of_e, of_tail0, of_tail, of_head0, of_head = self.update_edge.parts()
        of_v0, of_v, of_entering = self.update_vertex.parts()
        from_tail0, from_head0 = gather(graph.tail, linear(v0, of_tail0)), gather(graph.head, linear(v0, of_head0))
        edge_constant = linear(e0, of_e0, self.update_edge.first.bias) + from_tail0 + from_head0
        vertex_constant = linear(v0, of_v0, self.update_vertex.first.bias)
        while True:
            from_tail, from_head = gather(graph.tail, linear(v, of_tail)), gather(graph.head, linear(v, of_head))
            e = self.update_edge.finish(edge_constant + linear(e, of_e) + from_tail + from_head)
            entering = linear(gather(graph.entering, e), of_entering)
            v = self.update_vertex.finish(vertex_constant + linear(v, of_v) + entering)
            yield v, e

    def decode_value(self, v: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
        """One value per state, from the latents of vertices and edges."""
        u = self.update_global(v.sum(dim=0), e.sum(dim=0))
        return self.output(self.decode(u)).squeeze(1)  # type: ignore[no-any-return]

    def forward(self, graph: Hypergraph, states: torch.Tensor, n_steps: int) -> torch.Tensor:
        """The value of each state after each step, of shape (steps, states)."""
        latents = self.steps(graph, states)
        return torch.stack([self.decode_value(*next(latents)) for _ in range(n_steps)])

    def values(self, graph: Hypergraph, states: torch.Tensor, n_steps: int) -> torch.Tensor:
        """The value of each state after the last step; without gradients, and piece by piece to bound memory."""
        rows = max(graph.n_edges, graph.n_vertices, 1)
        found = []
        with torch.inference_mode():
            for piece in torch.split(states, max(1, PIECE_FLOATS // (rows * self.latent))):
                latents = self.steps(graph, piece)
                for _ in range(n_steps - 1):
                    next(latents)
                found.append(self.decode_value(*next(latents)))
            values = torch.cat(found) if found else torch.zeros(0)
            return torch.where(values.isfinite(), values, WORST_VALUE)


class HypergraphHeuristic:
    """Makes a network a heuristic function over batches of states of one task."""

    __name__ = "strips-hgn"

    def __init__(self, network: HypergraphNetwork, graph: Hypergraph, n_steps: int, threads: int = 1) -> None:
        self.network = network
        self.graph = graph
        self.n_steps = n_steps
        self.threads = threads

    def __call__(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Evaluate states given as zeros and ones, of shape (states, atoms)."""
        with torch_threads(self.threads):
            values = self.network.values(self.graph, torch.from_numpy(states).float(), self.n_steps)
        return values.numpy()


@contextlib.contextmanager
def torch_threads(n: int) -> Iterator[None]:
    """Set PyTorch's number of threads within a ``with`` statement."""
    before = torch.get_num_threads()
    if before != n:
        torch.set_num_threads(n)
    try:
        yield
    finally:
        if before != n:
            torch.set_num_threads(before)
