"""Arranges the activations of a converted network in the layers of :class:`NetworkWeights`.

Native search has one chain of layers, each with a ReLU, and skip connections from earlier activations of the same
width. A network of this form is kept as it is. In any other network, each layer copies the activations that later
layers need. That is possible because activations are not negative, so a ReLU does not change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goalward.search.network import Layer, NetworkWeights

Matrix = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Affine:
    """An affine function of activations, Σ matrix · activation + offset; a matrix of None is the identity."""

    parts: dict[int, Matrix | None]
    offset: Matrix

    @classmethod
    def of_activation(cls, number: int, width: int) -> Affine:
        """The function whose value is one activation; activation 0 is the state."""
        return cls({number: None}, np.zeros(width))

    @classmethod
    def joined(cls, values: Sequence[Affine]) -> Affine:
        """Concatenate the rows of several functions."""
        numbers = {number for value in values for number in value.parts}
        widths = {n: v.width_of(n) for v in values for n in v.parts}
        parts: dict[int, Matrix | None] = {
            n: np.concatenate([v.dense(n) if n in v.parts else np.zeros((v.width, widths[n])) for v in values])
            for n in numbers
        }
        return cls(parts, np.concatenate([value.offset for value in values]))

    @property
    def width(self) -> int:
        """The number of values per state."""
        return len(self.offset)

    @property
    def activation(self) -> int:
        """The index of the activation that this function equals, or 0 if it is the state or anything else."""
        (number, *others) = self.parts or [0]
        is_activation = not others and self.parts.get(number, ()) is None and not self.offset.any()
        return number if is_activation else 0

    def width_of(self, number: int) -> int:
        """The width of an activation that this function depends on."""
        matrix = self.parts[number]
        return self.width if matrix is None else int(matrix.shape[1])

    def dense(self, number: int) -> Matrix:
        """The matrix of an activation that this function depends on, also if it is the identity."""
        matrix = self.parts[number]
        return np.eye(self.width) if matrix is None else matrix

    def through(self, weights: Matrix, offset: Matrix) -> Affine:
        """Apply a linear layer: weights · self + offset."""
        parts: dict[int, Matrix | None] = {n: weights if m is None else weights @ m for n, m in self.parts.items()}
        return Affine(parts, weights @ self.offset + offset)

    def scaled(self, factor: Matrix | float, offset: Matrix | float = 0.0) -> Affine:
        """Scale each row: factor · self + offset."""
        rows = np.broadcast_to(np.asarray(factor, dtype=np.float64), (self.width,))
        if (rows == 1).all():
            return Affine(self.parts, self.offset + offset)
        parts: dict[int, Matrix | None] = {n: rows[:, None] * self.dense(n) for n in self.parts}
        return Affine(parts, rows * self.offset + offset)

    def plus(self, other: Affine) -> Affine:
        """The sum of two functions of the same width."""
        parts = dict(self.parts)
        for number, matrix in other.parts.items():
            parts[number] = self.dense(number) + other.dense(number) if number in parts else matrix
        return Affine(parts, self.offset + other.offset)

    def rows(self, which: npt.NDArray[np.integer[Any]]) -> Affine:
        """Select some of the rows."""
        return Affine({n: self.dense(n)[which] for n in self.parts}, self.offset[which])


def arrange(n_atoms: int, activations: Sequence[Affine], output: Affine) -> NetworkWeights:
    """Build the network whose activation i + 1 is the ReLU of ``activations[i]``, with one linear output."""
    network = _Network(n_atoms, activations, output)
    network.carry_states_as_activations()
    return network.as_skips() or network.as_carried()


def _needed(activations: Sequence[Affine], output: Affine) -> set[int]:
    """The activations that the output depends on."""
    needed: set[int] = set()
    waiting = [n for n in output.parts if n]
    while waiting:
        number = waiting.pop()
        if number not in needed:
            needed.add(number)
            waiting += [n for n in activations[number - 1].parts if n]
    return needed


class _Network:
    def __init__(self, n_atoms: int, activations: Sequence[Affine], output: Affine) -> None:
        self.n_atoms = n_atoms
        needed = _needed(activations, output)
        self.activations = {i + 1: value for i, value in enumerate(activations) if i + 1 in needed}
        self.output = output
        self.level: dict[int, int] = {}
        for number, value in self.activations.items():  # in the order of evaluation
            self.level[number] = 1 + max((self.level[n] for n in value.parts if n), default=0)
        self.depth = max(self.level.values(), default=1)

    def carry_states_as_activations(self) -> None:
        """Replace direct uses of the state after the first layer: W · state = ReLU(W · state) − ReLU(−W · state)."""
        for number, value in list(self.activations.items()):
            if self.level[number] > 1 and 0 in value.parts:
                self.activations[number] = self._without_state(value)
        if 0 in self.output.parts:
            self.output = self._without_state(self.output)
        if not self.activations:  # the output is a constant
            self.activations[1], self.level[1] = Affine({}, np.zeros(1)), 1
            self.output = Affine({1: np.zeros((1, 1))}, self.output.offset)

    def _without_state(self, value: Affine) -> Affine:
        matrix = value.dense(0)
        number = max(self.activations, default=0) + 1
        self.activations[number] = Affine({0: np.concatenate([matrix, -matrix])}, np.zeros(2 * len(matrix)))
        self.level[number] = 1
        both = np.concatenate([np.eye(len(matrix)), -np.eye(len(matrix))], axis=1)
        return Affine({n: m for n, m in value.parts.items() if n} | {number: both}, value.offset)

    def as_skips(self) -> NetworkWeights | None:
        """The network with one activation per layer and skip connections; None if it does not have that form."""
        chain = sorted(self.activations, key=self.level.__getitem__)
        if len(chain) != self.depth or any(n != chain[-1] for n in self.output.parts):
            return None
        layers = []
        for place, number in enumerate(chain[1:], start=1):
            value = self.activations[number]
            older = [n for n in value.parts if n != chain[place - 1]]
            if len(older) > 1 or any(value.parts[n] is not None for n in older):
                return None
            layers.append(_layer(value, chain[place - 1], chain.index(older[0]) if older else -1))
        return self._weights([chain[0]], [*layers, _layer(self.output, chain[-1], -1)])

    def as_carried(self) -> NetworkWeights:
        """The network with all activations of a level in one layer, and copies of those that later layers need."""
        last_use = {n: self.depth for n in self.output.parts if n}
        for number, value in self.activations.items():
            for n in value.parts:
                last_use[n] = max(last_use.get(n, 0), self.level[number] - 1)
        held = [
            [n for n in self.activations if self.level[n] <= level and (self.level[n] == level or last_use[n] >= level)]
            for level in range(1, self.depth + 1)
        ]
        layers = []
        for level, before in enumerate(held[:-1], start=1):
            after = [
                self.activations[n] if self.level[n] > level else Affine.of_activation(n, self._width(n))
                for n in held[level]
            ]
            layers.append(self._joined(after, before))
        return self._weights(held[0], [*layers, self._joined([self.output], held[-1])])

    def _width(self, number: int) -> int:
        return self.activations[number].width

    def _joined(self, values: list[Affine], before: list[int]) -> Layer:
        """One layer that computes ``values`` from the activations of the layer ``before``."""
        rows = [
            np.concatenate(
                [v.dense(n) if n in v.parts else np.zeros((v.width, self._width(n))) for n in before], axis=1
            )
            for v in values
        ]
        return Layer(_single(np.concatenate(rows)), _single(np.concatenate([v.offset for v in values])))

    def _weights(self, first: list[int], layers: list[Layer]) -> NetworkWeights:
        value = Affine.joined([self.activations[n] for n in first])
        table = value.dense(0) if 0 in value.parts else np.zeros((value.width, self.n_atoms))
        return NetworkWeights(_single(table.T), _single(value.offset), tuple(layers))


def _layer(value: Affine, before: int, skip: int) -> Layer:
    return Layer(_single(value.dense(before)), _single(value.offset), skip)


def _single(values: Matrix) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)
