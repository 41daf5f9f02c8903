"""Training: when it ends, what it keeps, and what it does about networks that come to nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from goalward.errors import GoalwardError, UsageError
from goalward.learning import batches, trainer
from goalward.learning.budget import Budget
from goalward.learning.options import PRESETS, TrainingOptions
from goalward.learning.results import TrainingResult
from goalward.learning.trainer import Epoch, _Run, train_network
from goalward.sampling import Dataset
from goalward.search import search
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import BitRows, from_bits

SMALL = TrainingOptions(width=16, max_epochs=5, batch_size=100, patience=50).resolved()


def flat(weights: NetworkWeights) -> list[float]:
    parts = [weights.table, weights.bias, *(part for layer in weights.layers for part in (layer.weights, layer.bias))]
    return [float(number) for part in parts for number in part.ravel()]


class Recorder:
    """Remembers the weights after every epoch; may end training."""

    def __init__(self, end: Callable[[int], bool | None] | None = None) -> None:
        self.weights: list[list[float]] = []
        self.epochs: list[Epoch] = []
        self.end = end

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | None:
        self.epochs.append(epoch)
        self.weights.append(flat(weights()))
        return self.end(epoch.number) if self.end else None


def usable(dataset: Dataset, result: TrainingResult) -> bool:
    """True if the weights are finite and search can work with them."""
    heuristic = bind_network(dataset.task, result.weights)
    return bool(np.isfinite(flat(result.weights)).all()) and search(dataset.task, heuristic).solved


# --- learning ---


@pytest.mark.parametrize("preset", PRESETS)
def test_training_learns(dataset: Dataset, preset: str) -> None:
    options = TrainingOptions(preset=preset, max_epochs=15, patience=15, learning_rate=1e-3, batch_size=64)
    result = train_network(dataset, options)
    assert result.validation_loss < 0.7 * dataset.labels.var(), "better than the best constant"
    assert result.curve[-1].train_loss < 0.5 * result.curve[0].train_loss
    assert usable(dataset, result)
    values = bind_network(dataset.task, result.weights).evaluate(dataset.states)
    assert np.corrcoef(values, dataset.labels)[0, 1] > 0.6


def test_both_ways_of_feeding_states_train_alike(sparse_dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    bits = train_network(sparse_dataset, SMALL)

    def zeros_and_ones(states: BitRows, n_atoms: int, device: str) -> torch.Tensor:
        return torch.from_numpy(from_bits(states, n_atoms).astype(np.float32))

    monkeypatch.setattr(batches, "for_device", zeros_and_ones)
    dense = train_network(sparse_dataset, SMALL)
    losses = [[epoch.validation_loss for epoch in result.curve] for result in (bits, dense)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)


# --- seeds ---


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(dataset: Dataset) -> None:
    first = train_network(dataset, SMALL)
    second = train_network(dataset, SMALL)
    assert flat(first.weights) == flat(second.weights)
    assert [e.validation_loss for e in first.curve] == [e.validation_loss for e in second.curve]
    assert flat(train_network(dataset, replace(SMALL, seed=1)).weights) != flat(first.weights)


def test_the_weights_do_not_depend_on_pytorchs_own_generator_or_threads(dataset: Dataset) -> None:
    before = torch.get_num_threads()
    torch.manual_seed(1)
    first = train_network(dataset, replace(SMALL, threads=before + 1))
    assert torch.get_num_threads() == before
    torch.manual_seed(2)
    assert flat(train_network(dataset, replace(SMALL, threads=before + 1)).weights) == flat(first.weights)


# --- when it ends ---


def script(monkeypatch: pytest.MonkeyPatch, losses: list[float]) -> None:
    """Let validation report these losses in turn."""
    turn = iter(losses)
    monkeypatch.setattr(_Run, "_validate", lambda self: (next(turn), 1.0))


@pytest.mark.parametrize(
    ("losses", "patience", "epochs", "best"),
    [
        ([5, 4, 3, 3.5, 3.2, 1], 2, 5, 3),
        ([5, 4, 4.5, 3, 3.1, 2.9, 3, 3, 1], 2, 8, 6),
        ([5, 5, 5, 1], 2, 3, 1),  # as good is not better
        ([5, 6, 1], 1, 2, 1),
        ([5, 6, 7, 4, 5, 6, 7, 1], 3, 4 + 3, 4),
        ([1, 2, 3], 2, 3, 1),
    ],
)
def test_patience_counts_epochs_since_the_best(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch, losses: list[float], patience: int, epochs: int, best: int
) -> None:
    script(monkeypatch, losses)
    seen = Recorder()
    result = train_network(dataset, replace(SMALL, patience=patience, max_epochs=20), watch=seen)
    assert result.end == "early stopping"
    assert len(result.curve) == epochs
    assert result.best_epoch == best
    assert result.validation_loss == losses[best - 1]
    assert flat(result.weights) == seen.weights[best - 1], "the best weights are kept"
    assert seen.weights[best - 1] != seen.weights[-1]


def test_all_epochs(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, [5, 4, 6])
    seen = Recorder()
    result = train_network(dataset, replace(SMALL, max_epochs=3), watch=seen)
    assert (result.end, result.best_epoch) == ("all epochs", 2)
    assert [epoch.number for epoch in result.curve] == [1, 2, 3]
    assert [epoch.validation_loss for epoch in result.curve] == [5, 4, 6]
    assert flat(result.weights) == seen.weights[1]
    assert seen.epochs == result.curve


def test_a_time_limit_ends_training(dataset: Dataset) -> None:
    result = train_network(dataset, replace(SMALL, max_epochs=10**6, patience=10**6, time_limit=0.5))
    assert result.end == "time limit"
    assert len(result.curve) > 1
    assert usable(dataset, result)
    assert result.curve[-1].learning_rate < 0.2 * SMALL.learning_rate, "the schedule follows the clock"


def test_a_time_limit_ends_an_epoch_too(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    whole = batches.StateBatches.epoch

    def counted(self: batches.StateBatches, rows: Any, batch_size: int) -> Iterator[Any]:
        for batch in whole(self, rows, batch_size):
            seen.append(batch_size)
            yield batch

    monkeypatch.setattr(batches.StateBatches, "epoch", counted)
    result = train_network(dataset, replace(SMALL, batch_size=1, time_limit=1e-3))
    assert result.end == "time limit"
    assert len(result.curve) == 1
    assert 1 <= seen.count(1) < 800
    assert math.isfinite(result.curve[0].train_loss)
    assert usable(dataset, result)


def test_a_time_limit_leaves_time_to_validate_what_was_learned(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    whole = batches.StateBatches.epoch

    def slow(self: batches.StateBatches, rows: Any, batch_size: int) -> Iterator[Any]:
        for batch in whole(self, rows, batch_size):
            yield batch
            now[0] += 5.0 if batch_size == trainer.VALIDATION_BATCH else 1.0

    monkeypatch.setattr(batches.StateBatches, "epoch", slow)
    budget = Budget(50.0, clock=lambda: now[0])
    result = train_network(dataset, replace(SMALL, max_epochs=10), budget=budget)
    # Eight batches and a validation are an epoch of 13 s; the last one ends in time for its validation.
    assert [epoch.seconds for epoch in result.curve] == [13.0, 26.0, 39.0, 50.0]
    assert [epoch.states for epoch in result.curve] == [800, 1600, 2400, 3100]
    assert result.end == "time limit"


def test_a_reason_to_end_speaks_for_the_weights_of_that_epoch(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, [3, 5, 4])
    seen = Recorder(lambda number: "validation states solved" if number == 3 else None)  # type: ignore[arg-type,return-value]
    result = train_network(dataset, replace(SMALL, max_epochs=50), watch=seen)
    assert (result.end, result.best_epoch, len(result.curve)) == ("validation states solved", 3, 3)
    assert flat(result.weights) == seen.weights[2]


def test_a_watcher_may_end_training(dataset: Dataset) -> None:
    seen = Recorder(lambda number: number < 3)
    result = train_network(dataset, replace(SMALL, max_epochs=50), watch=seen)
    assert result.end == "interrupted"
    assert len(result.curve) == 3
    assert flat(result.weights) == seen.weights[result.best_epoch - 1]
    assert usable(dataset, result)


@pytest.mark.parametrize("preset", PRESETS)
def test_training_that_shall_not_go_on_ends_within_an_epoch(dataset: Dataset, preset: str) -> None:
    asked = iter([True] * 11)  # ten steps of the first epoch, and its end; one more in the second
    options = TrainingOptions(preset=preset, width=16, max_epochs=50, batch_size=80)
    result = train_network(dataset, options, go_on=lambda: next(asked, False))
    assert result.end == "interrupted"
    assert [epoch.states for epoch in result.curve] == [800, 880]
    assert usable(dataset, result)


@pytest.mark.parametrize("answer", [None, True])
def test_a_watcher_that_does_not_say_no_lets_training_go_on(dataset: Dataset, answer: bool | None) -> None:
    assert train_network(dataset, SMALL, watch=Recorder(lambda number: answer)).end == "all epochs"


def test_an_interrupt_keeps_the_best_weights(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, [5, 3, 4, 6])

    def interrupt(number: int) -> None:
        if number == 4:
            raise KeyboardInterrupt

    seen = Recorder(interrupt)  # type: ignore[arg-type]
    result = train_network(dataset, replace(SMALL, max_epochs=50), watch=seen)
    assert (result.end, result.best_epoch, len(result.curve)) == ("interrupted", 2, 4)
    assert flat(result.weights) == seen.weights[1]
    assert usable(dataset, result)


def test_an_interrupt_in_the_first_epoch_leaves_a_network_that_search_can_use(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: _Run, *arguments: Any, **options: Any) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(_Run, "_learn", interrupted)
    result = train_network(dataset, SMALL)
    assert (result.end, result.best_epoch, result.curve) == ("interrupted", 0, [])
    assert usable(dataset, result)


def test_other_errors_of_a_watcher_come_through(dataset: Dataset) -> None:
    before = torch.get_num_threads()

    def fail(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool:
        raise RuntimeError("watcher")

    with pytest.raises(RuntimeError, match="watcher"):
        train_network(dataset, replace(SMALL, threads=before + 1), watch=fail)
    assert torch.get_num_threads() == before


# --- losses that are not numbers ---


def test_a_training_that_diverges_later_keeps_the_best_weights(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, [5, 4, math.nan, 1])
    seen = Recorder()
    result = train_network(dataset, SMALL, watch=seen)
    assert (result.end, result.best_epoch, len(result.curve)) == ("diverged", 2, 2)
    assert flat(result.weights) == seen.weights[1]


def test_an_epoch_ends_as_soon_as_its_loss_is_not_a_number(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    losses = iter([1.0, 1.0, math.nan])
    monkeypatch.setattr(_Run, "_step", lambda *_: next(losses))
    with pytest.raises(GoalwardError, match=r"diverged.*the loss is not a number; try a smaller learning rate"):
        train_network(dataset, SMALL)
    assert next(losses, None) is None


def test_equal_labels_are_learned(dataset: Dataset) -> None:
    constant = replace(dataset, labels=np.full(len(dataset), 7, dtype=np.int32))
    values = train_network(constant, replace(SMALL, max_epochs=3)).weights.forward(
        from_bits(constant.states, constant.task.n_atoms)
    )
    assert np.allclose(values, 7, atol=0.1)


def test_networks_of_different_seeds_begin_from_different_weights(dataset: Dataset) -> None:
    starts = [flat(_Run(dataset, replace(SMALL, seed=seed), Budget()).current_weights()) for seed in (0, 0, 1, 2)]
    assert starts[0] == starts[1]
    assert starts[0] != starts[2] != starts[3] != starts[0]


# --- devices ---


def test_a_gpu_that_is_not_there_is_a_usage_error(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer.torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="--device cuda: PyTorch sees no GPU here"):
        train_network(dataset, replace(SMALL, device="cuda"))


def test_options_are_frozen() -> None:
    assert isinstance(SMALL, TrainingOptions)
    with pytest.raises(AttributeError):
        SMALL.batch_size = 3  # type: ignore[misc]
