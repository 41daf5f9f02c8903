"""Feeding states: zeros and ones or lists of true atoms, it is the same network."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from goalward.learning import NetworkShape, state_batches
from goalward.learning.state_batches import StateBatches
from goalward.learning.state_network import StateNetwork
from goalward.sampling import Dataset
from goalward.task.states import BitRows, from_bits, to_bits


def both(states: BitRows, n_atoms: int, monkeypatch: pytest.MonkeyPatch) -> tuple[StateBatches, StateBatches]:
    """The same states as lists and as zeros and ones."""
    labels = np.arange(len(states), dtype=np.float32)
    monkeypatch.setattr(state_batches, "SPARSE_BELOW", 0)
    lists = StateBatches(states, labels, n_atoms, "cpu")
    monkeypatch.setattr(state_batches, "SPARSE_BELOW", 10**9)
    dense = StateBatches(states, labels, n_atoms, "cpu")
    assert (lists.sparse, dense.sparse) == (True, False)
    return lists, dense


def few_true(n: int, n_atoms: int) -> BitRows:
    """States with up to eight true atoms; every fifth has none."""
    random = np.random.default_rng(0)
    sizes = random.integers(1, 9, size=n)
    sizes[::5] = 0
    return to_bits([np.sort(random.choice(n_atoms, size=k, replace=False)).astype(np.int32) for k in sizes], n_atoms)


@pytest.mark.parametrize("n_atoms", [10, 64, 200])
def test_both_forms_give_the_same_values_and_gradients(n_atoms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    states = few_true(97, n_atoms)
    lists, dense = both(states, n_atoms, monkeypatch)
    rows = np.random.default_rng(1).permutation(97)
    gradients = []
    outputs = []
    for form in (lists, dense):
        network = StateNetwork(n_atoms, NetworkShape(width=12), torch.Generator().manual_seed(0))
        values = [network(batch) for batch, _ in form.epoch(rows, 10)]
        assert [len(value) for value in values] == [10] * 9 + [7]
        torch.cat(values).square().sum().backward()
        outputs.append(torch.cat(values).detach())
        gradients.append(network.table.grad)
    assert torch.allclose(outputs[0], outputs[1], atol=1e-5)
    assert outputs[0].std() > 0
    assert torch.allclose(gradients[0], gradients[1], atol=1e-5)
    expected = StateNetwork(n_atoms, NetworkShape(width=12), torch.Generator().manual_seed(0)).export()
    assert np.allclose(outputs[0], expected.forward(from_bits(states[rows], n_atoms)), atol=1e-5)


def test_a_batch_of_states_without_true_atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    states = np.zeros((7, 1), dtype=np.uint64)
    states[6] = 1
    lists, dense = both(states, 20, monkeypatch)
    network = StateNetwork(20, NetworkShape(width=5), torch.Generator().manual_seed(0))
    values = [network(batch) for form in (lists, dense) for batch, _ in form.epoch(np.arange(6), 6)]
    assert torch.equal(values[0], values[1])


def test_labels_go_with_their_states(monkeypatch: pytest.MonkeyPatch) -> None:
    # The label of state i is i, and so is the sum of its true atoms' numbers.
    states = to_bits([np.array([i], dtype=np.int32) for i in range(50)], 50)
    for form in both(states, 50, monkeypatch):
        rows = np.random.default_rng(2).permutation(50)
        seen = []
        for batch, labels in form.epoch(rows, 7):
            atoms = batch[0] if isinstance(batch, tuple) else batch.argmax(dim=1)
            assert atoms.tolist() == labels.tolist()
            seen += labels.tolist()
        assert seen == rows.tolist()


def test_lists_are_used_where_few_atoms_are_true(dataset: Dataset, sparse_dataset: Dataset) -> None:
    def form(data: Dataset) -> StateBatches:
        return StateBatches(data.states, data.labels.astype(np.float32), data.task.n_atoms, "cpu")

    assert form(sparse_dataset).sparse
    assert not form(dataset).sparse
    assert form(dataset).true_atoms == pytest.approx(
        from_bits(dataset.states, dataset.task.n_atoms).sum(axis=1).mean(), rel=1e-6
    )


def test_lists_that_are_made_in_one_order_serve_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    states = few_true(500, 80)
    lists, dense = both(states, 80, monkeypatch)
    network = StateNetwork(80, NetworkShape(width=12), torch.Generator().manual_seed(0))
    random = np.random.default_rng(3)
    for rows in (random.permutation(500)[:200], random.permutation(500), np.arange(500), np.array([7, 499, 7])):
        ours, theirs = (torch.cat([network(batch) for batch, _ in form.epoch(rows, 33)]) for form in (lists, dense))
        assert torch.allclose(ours, theirs, atol=1e-5)
