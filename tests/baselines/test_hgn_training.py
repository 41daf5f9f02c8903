"""Domain models: training, the file, and plans for problems larger than those they were trained on."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from goalward.baselines import hgn_training
from goalward.baselines.hgn_data import OptimalPlanStates, states_on_optimal_plans
from goalward.baselines.hgn_model import DomainModel, DomainOptions, load_domain_model, save_domain_model
from goalward.baselines.hgn_training import DomainEpoch, train_domain
from goalward.errors import GoalwardError, StateMismatchError, StoredFileError, UsageError
from goalward.search import SearchOptions, Status, search
from goalward.search.learned import load_model
from goalward.task.domains import generate
from goalward.task.states import to_bits
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import as_set, goal_distances

SMALL = DomainOptions(n_steps=3, latent=8, states_per_problem=20, max_epochs=3)
# Learns something of tiny problems within seconds.
QUICK = DomainOptions(n_steps=3, states_per_problem=40, max_epochs=20, learning_rate=3e-3, batch_size=8)


def blocks(n: int, seed: int = 0) -> Task:
    return generate("blocks", seed=seed, n=n).ground()


@pytest.fixture(scope="module")
def model() -> DomainModel:
    """Hardly trained."""
    return train_domain([blocks(3), blocks(4)], SMALL)


class Watcher:
    """Keeps what it is told; may raise or say stop at an epoch."""

    def __init__(self, stop_at: int | None = None, error: type[BaseException] | None = None) -> None:
        self.stop_at, self.error = stop_at, error
        self.taught: list[OptimalPlanStates] = []
        self.epochs: list[DomainEpoch] = []

    def go_on(self) -> bool:
        return True

    def lessons(self, lessons: OptimalPlanStates) -> None:
        self.taught.append(lessons)

    def epoch(self, epoch: DomainEpoch) -> bool | None:
        self.epochs.append(epoch)
        if epoch.number == self.stop_at:
            if self.error:
                raise self.error
            return False
        return None


# --- training ---


def test_networks_trained_on_few_blocks_solve_more_blocks() -> None:
    options = DomainOptions(n_steps=6, states_per_problem=40, learning_rate=2e-3, batch_size=16, max_epochs=14)
    model = train_domain([blocks(n, seed) for n in (4, 5) for seed in range(5)], options)
    unseen = [blocks(8, seed) for seed in range(100, 104)]
    limit = SearchOptions(expansion_limit=1000)
    assert [search(task, model.heuristic(task), limit).solved for task in unseen] == [True] * len(unseen)
    assert [search(task, "blind", limit).solved for task in unseen] == [False] * len(unseen)


def test_losses_fall_and_the_best_weights_are_kept() -> None:
    watcher = Watcher()
    model = train_domain([make_tiny("visitall").task, make_tiny("visitall", 1).task], QUICK, watcher)
    losses = [epoch.validation_loss for epoch in watcher.epochs]
    assert min(losses) < 0.5 * losses[0]
    assert model.info["validation_loss"] == min(losses)
    assert model.info["best_epoch"] == losses.index(min(losses)) + 1
    assert [row[2] for row in model.info["curve"]] == losses
    assert [lessons.task.n_atoms for lessons in watcher.taught] == [
        problem["atoms"] for problem in model.info["problems"]
    ]


def test_the_loss_is_the_squared_error_averaged_over_steps_and_states() -> None:
    watcher = Watcher()
    model = train_domain([make_tiny("blocks").task], dataclasses.replace(SMALL, max_epochs=1), watcher)
    (lessons,) = watcher.taught
    n_held_out = round(len(lessons.labels) * SMALL.validation_share)
    errors = []
    for steps in range(1, SMALL.n_steps + 1):
        heuristic = model.with_settings(message_steps=steps).heuristic(lessons.task)
        states = [np.flatnonzero(row).astype(np.int32) for row in lessons.states]
        errors.append((heuristic.evaluate(to_bits(states, lessons.task.n_atoms)) - lessons.labels) ** 2)
    # Which states were held out is the first thing drawn from the seed.
    order = np.random.default_rng([SMALL.seed, 0x46A7]).permutation(len(lessons.labels))
    expected = float(np.mean(errors, axis=0)[order[:n_held_out]].mean())
    assert model.info["validation_loss"] == pytest.approx(expected, rel=1e-4)


def test_the_same_seed_gives_the_same_weights() -> None:
    def weights(seed: int) -> list[Any]:
        made = train_domain([blocks(3), blocks(4)], dataclasses.replace(SMALL, seed=seed))
        return [made.weights[name].tolist() for name in sorted(made.weights)]

    assert weights(5) == weights(5)
    assert weights(5) != weights(6)


def test_training_stops_early() -> None:
    options = dataclasses.replace(QUICK, max_epochs=500, patience=2)
    info = train_domain([make_tiny("visitall").task, make_tiny("visitall", 1).task], options).info
    assert info["end"] == "early stopping"
    assert len(info["curve"]) == info["best_epoch"] + 2
    losses = [row[2] for row in info["curve"]]
    assert losses[info["best_epoch"] - 1] < 0.9 * losses[0], "not before something is learned"


def test_a_time_limit_ends_training_with_a_model() -> None:
    options = dataclasses.replace(SMALL, max_epochs=100_000, patience=100_000, time_limit=1.0)
    info = train_domain([blocks(4)], options).info
    assert info["end"] == "time limit"
    assert info["curve"]


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_an_interrupt_keeps_the_best_so_far(error: type[BaseException] | None) -> None:
    options = dataclasses.replace(SMALL, max_epochs=1000)
    model = train_domain([blocks(4)], options, Watcher(2, error))
    assert (model.info["end"], len(model.info["curve"])) == ("interrupted", 2)


def test_states_near_the_goal_have_optimal_labels_and_do_not_need_the_initial_state() -> None:
    task = blocks(5)
    # A problem whose own initial state has no plan: without regression nothing could be learned from it.
    stuck = dataclasses.replace(task, init=task.init[:1])
    options = dataclasses.replace(SMALL, near_goal=3, states_per_problem=30)
    assert not len(states_on_optimal_plans(stuck, SMALL, 10.0, 0).labels)
    lessons = states_on_optimal_plans(task, options, 60.0, 0)
    states = [as_set(np.flatnonzero(row)) for row in lessons.states]
    distances = goal_distances(task, states)
    assert [distances[state] for state in states] == lessons.labels.tolist()
    assert 2 <= lessons.labels.max() <= 3
    assert len(set(lessons.labels.tolist())) > 2


def test_problems_without_a_plan_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [blocks(3), blocks(4)]
    original = hgn_training.states_on_optimal_plans

    def give_up(task: Task, *rest: Any) -> OptimalPlanStates:
        lessons = original(task, *rest)
        if task is tasks[0]:
            return dataclasses.replace(
                lessons, states=lessons.states[:0], labels=lessons.labels[:0], status=Status.OUT_OF_TIME
            )
        return lessons

    monkeypatch.setattr(hgn_training, "states_on_optimal_plans", give_up)
    problems = train_domain(tasks, SMALL).info["problems"]
    assert [(problem["status"], problem["states"] > 0) for problem in problems] == [
        ("out of time", False),
        ("solved", True),
    ]
    with pytest.raises(UsageError, match="no problem was solved optimally within 10 s: give smaller"):
        train_domain(tasks[:1], SMALL)


def test_training_that_diverges_is_an_error() -> None:
    with pytest.raises(GoalwardError, match="diverged at once"):
        train_domain([blocks(4)], dataclasses.replace(SMALL, learning_rate=10.0))


def test_problems_must_be_of_one_domain() -> None:
    with pytest.raises(StateMismatchError, match="not the domain that the model was trained for"):
        train_domain([make_tiny("blocks").task, make_tiny("gripper").task], SMALL)
    with pytest.raises(UsageError, match="no problem"):
        train_domain([], SMALL)


# --- use ---


def test_a_model_gives_values_to_any_problem_of_its_domain(model: DomainModel) -> None:
    for task in (blocks(3), blocks(6, seed=9)):
        heuristic = model.heuristic(task)
        assert heuristic.name == "strips-hgn"
        assert np.isfinite(heuristic.value(task.init))


def test_message_steps_can_differ_from_training(model: DomainModel) -> None:
    task = blocks(5)
    values = [model.with_settings(message_steps=steps).heuristic(task).value(task.init) for steps in (1, 3, 6)]
    assert values[1] == model.heuristic(task).value(task.init)
    assert len(set(values)) == 3
    with pytest.raises(UsageError, match="message_steps must be between 1 and 1000, but is 0"):
        model.with_settings(message_steps=0).heuristic(task)
    assert model.with_settings() is model
    with pytest.raises(UsageError, match="a domain model has no setting 'colour'"):
        model.with_settings(colour=1)


def test_another_domain_is_refused(model: DomainModel) -> None:
    with pytest.raises(StateMismatchError, match=r"not the domain that the model was trained for \(blocks\)"):
        model.heuristic(make_tiny("gripper").task)


# --- the file ---


def test_a_file_gives_the_model_back(model: DomainModel, tmp_path: Path) -> None:
    path = tmp_path / "blocks.goalward"
    save_domain_model(model, path)
    loaded = load_domain_model(path)
    assert (loaded.domain_name, loaded.domain_text) == (model.domain_name, model.domain_text)
    assert (loaded.options, loaded.info) == (model.options, model.info)
    assert {name: array.tolist() for name, array in loaded.weights.items()} == {
        name: array.tolist() for name, array in model.weights.items()
    }
    task = blocks(5)
    assert loaded.heuristic(task).value(task.init) == model.heuristic(task).value(task.init)
    assert isinstance(load_model(path), DomainModel), "the one way to load models knows this kind"
    save_domain_model(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_file_is_read_without_pytorch(model: DomainModel, tmp_path: Path) -> None:
    path = tmp_path / "blocks.goalward"
    save_domain_model(model, path)
    script = (
        "import sys; from goalward.baselines.hgn_model import load_domain_model; "
        f"print(load_domain_model({str(path)!r}).domain_name, 'torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "blocks False\n"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda header, arrays: header.update(version=2), "domain model format 2, but this goalward reads 1"),
        (lambda header, arrays: header.update(format="goalward-model"), "not a domain model"),
        (lambda header, arrays: header.pop("options"), "damaged"),
        (lambda header, arrays: header.pop("info"), "damaged"),
        (lambda header, arrays: header["options"].update(latent="8"), "damaged"),
        (lambda header, arrays: header["options"].update(latent=9), "damaged"),
        (lambda header, arrays: header["options"].update(colour="red"), "damaged"),
        (lambda header, arrays: header["options"].update(n_steps=0), "damaged"),
        (lambda header, arrays: arrays.pop("domain_text"), "damaged"),
        (lambda header, arrays: arrays.update(domain_text=np.array([255], dtype=np.uint8)), "damaged"),
        (lambda header, arrays: arrays.pop("network.output.bias"), "damaged"),
        (lambda header, arrays: arrays.update({"network.more": np.zeros(1, dtype=np.float32)}), "damaged"),
        (lambda header, arrays: arrays.update({"network.output.bias": np.zeros(1)}), "damaged"),
        (lambda header, arrays: arrays["network.output.bias"].fill(np.nan), "damaged"),
        (lambda header, arrays: arrays.update({"network.output.bias": np.zeros(2, dtype=np.float32)}), "damaged"),
    ],
)
def test_spoiled_files_are_refused(
    model: DomainModel, tmp_path: Path, spoil: Callable[[dict[str, Any], dict[str, Any]], Any], words: str
) -> None:
    path = tmp_path / "blocks.goalward"
    save_domain_model(model, path)
    header = {
        "format": "goalward-domain-model",
        "version": 1,
        "domain": model.domain_name,
        "options": dataclasses.asdict(model.options),
        "info": model.info,
    }
    arrays = load_file(path)
    save_file(arrays, path, metadata={"goalward": json.dumps(header)})
    load_domain_model(path)  # as it is, it can be read
    spoil(header, arrays)
    save_file(arrays, path, metadata={"goalward": json.dumps(header)})
    with pytest.raises(StoredFileError, match=words) as error:
        load_domain_model(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)
