"""Feeding states: zeros and ones or rows of bits, it is the same network."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from goalward import _core
from goalward.learning.batches import StateBatches, for_device
from goalward.learning.options import NetworkShape
from goalward.learning.state_network import StateNetwork
from goalward.task.states import BitRows, from_bits, to_bits
from oracle import make_task

ANOTHER = "cpu:0"  # the same device by another name: states go there as to one that cannot take bits


def few_true(n: int, n_atoms: int) -> BitRows:
    """States with up to eight true atoms; every fifth has none."""
    random = np.random.default_rng(0)
    sizes = random.integers(1, 9, size=n)
    sizes[::5] = 0
    return to_bits([np.sort(random.choice(n_atoms, size=k, replace=False)).astype(np.int32) for k in sizes], n_atoms)


def walked(n: int, n_atoms: int) -> BitRows:
    """States of which each has two atoms flipped from the one before it, as along a walk; every tenth begins anew."""
    random = np.random.default_rng(0)
    truth = random.random((n, n_atoms)) < 0.4
    for i in range(1, n):
        if i % 10:
            truth[i] = truth[i - 1]
            truth[i, random.choice(n_atoms, size=2, replace=False)] ^= True
    return to_bits([np.flatnonzero(row).astype(np.int32) for row in truth], n_atoms)


@pytest.mark.parametrize("make", [few_true, walked])
@pytest.mark.parametrize("n_atoms", [10, 64, 200])
@pytest.mark.parametrize("width", [3, 12, 64, 250])
def test_bits_give_the_values_and_gradients_of_zeros_and_ones(
    make: Callable[[int, int], BitRows], n_atoms: int, width: int
) -> None:
    states = make(97, n_atoms)
    rows = np.arange(97)
    dense = for_device(states, n_atoms, ANOTHER)
    assert isinstance(dense, torch.Tensor)
    assert np.array_equal(dense, from_bits(states, n_atoms))
    outputs, gradients = [], []
    for feed in (lambda: (batch for batch, _ in batches(states, n_atoms).epoch(rows, 40)), lambda: dense.split(40)):
        network = StateNetwork(n_atoms, NetworkShape(width=width), torch.Generator().manual_seed(0))
        values = torch.cat([network(batch) for batch in feed()])
        values.square().sum().backward()
        outputs.append(values.detach())
        gradients.append([parameter.grad for parameter in network.parameters()])
    assert torch.allclose(outputs[0], outputs[1], atol=1e-4)
    assert outputs[0].std() > 0
    for ours, theirs in zip(*gradients, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4, rtol=1e-3)
    exported = StateNetwork(n_atoms, NetworkShape(width=width), torch.Generator().manual_seed(0)).export()
    assert np.allclose(outputs[0], exported.forward(from_bits(states, n_atoms)), atol=1e-4)


def batches(states: BitRows, n_atoms: int) -> StateBatches:
    task = make_task(n_atoms, [([], [i], [], 1) for i in range(n_atoms)], [], range(n_atoms))  # all atoms matter
    return StateBatches(task, states, np.arange(len(states), dtype=np.float32), "cpu")


def test_labels_go_with_their_states() -> None:
    # The label of state i is i, and so is the number of its only true atom.
    states = to_bits([np.array([i], dtype=np.int32) for i in range(50)], 50)
    rows = np.random.default_rng(2).permutation(50)
    seen: list[float] = []
    for batch, labels in batches(states, 50).epoch(rows, 7):
        assert isinstance(batch, np.ndarray)
        assert from_bits(batch, 50).argmax(axis=1).tolist() == labels.tolist()
        seen += labels.tolist()
    assert seen == rows.tolist()


def test_states_that_do_not_fit_the_table_are_refused() -> None:
    table = np.zeros((10, 4), dtype=np.float32)
    beyond = np.full((3, 1), 1 << 10, dtype=np.uint64)
    for states in (beyond, np.zeros((3, 2), dtype=np.uint64)):
        with pytest.raises(ValueError, match="damaged arrays"):
            _core.table_sums(states, table)
    with pytest.raises(ValueError, match="negative"):
        _core.table_gradients(np.zeros((0, 0), dtype=np.uint64), np.zeros((0, 4), dtype=np.float32), -1)
    with pytest.raises(ValueError, match="the numbers of states and gradients differ"):
        _core.table_gradients(np.zeros((3, 1), dtype=np.uint64), np.zeros((2, 4), dtype=np.float32), 10)


def test_no_states_have_no_sums() -> None:
    nothing = np.zeros((0, 1), dtype=np.uint64)
    assert _core.table_sums(nothing, np.ones((10, 4), dtype=np.float32)).shape == (0, 4)
    gradients = _core.table_gradients(nothing, np.zeros((0, 4), dtype=np.float32), 10)
    assert gradients.shape == (10, 4)
    assert not gradients.any()
