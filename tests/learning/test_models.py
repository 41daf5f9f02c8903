"""From a task to a model: trials share the time, and validation states choose among them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goalward.learning.budget import Budget
from goalward.learning.methods import train_with
from goalward.learning.models import train_model
from goalward.learning.options import PRESETS
from goalward.learning.probes import Probe
from goalward.learning.results import End, Epoch, TrainingResult
from goalward.learning.rsl import PreimageOptions
from goalward.learning.trials import Trial
from goalward.learning.watchers import Watcher
from goalward.search import SearchOptions, search
from goalward.search.model import Model, task_fingerprint
from goalward.search.network import Layer, NetworkWeights
from goalward.search.strategy import NetworkUse, network_use
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import make_task

QUICK = PreimageOptions(
    width=16,
    samples=300,
    length=20,
    rollouts=2,
    sampler="reachable",
    expert=False,
    max_epochs=2,
    validation_states=3,
    validation_seconds=0.2,
)


class Log(Watcher):
    """A watcher that writes down what it is told."""

    def __init__(self, stop: Callable[[int, Epoch], bool] | None = None) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.stop = stop

    def phase(self, name: str, trial: int) -> None:
        self.events.append((name, trial))

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        self.events.append(("data", trial))

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        self.events.append(("epoch", trial, epoch.number, probe))
        return not self.stop(trial, epoch) if self.stop else None


# --- one model ---


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("method", ["rsl", "n-rsl"])
def test_a_model_says_how_it_came_to_be(preset: str, method: str) -> None:
    task = make_tiny("gripper").task
    model = train_with(task, method, replace(QUICK, preset=preset, sampler="mixed", seed=3))
    info = model.info
    assert (info["method"], info["preset"], info["seed"], info["sampler"]) == (method, preset, 3, "mixed")
    assert info["options"]["samples"] == 300
    assert info["options"]["batch_size"] == PRESETS[preset]["batch_size"]
    assert info["options"]["max_epochs"] == 2
    assert (info["end"], len(info["curve"])) == ("all epochs", 2)
    assert info["validation_loss"] == min(row[2] for row in info["curve"])
    assert info["best_epoch"] == 1 + int(np.argmin([row[2] for row in info["curve"]]))
    assert info["versions"].keys() == {"goalward", "torch", "python"}
    assert info["seconds"] > 0
    assert len(info["trials"]) == 1
    assert model.task is task
    assert model.fingerprint == task_fingerprint(task)
    json.dumps(info, allow_nan=False)
    assert search(task, model.heuristic()).solved
    assert model.heuristic().name == method


@pytest.mark.parametrize("expert", [False, True])
def test_the_same_seed_gives_the_same_model(expert: bool) -> None:
    task = make_tiny("blocks").task

    def table(seed: int) -> bytes:
        options = replace(QUICK, seed=seed, expert=expert, max_epochs=4)
        return train_with(task, "n-rsl", options).weights.table.tobytes()

    assert table(1) == table(1) != table(2)


@pytest.mark.parametrize("expert", [False, True])
def test_a_watcher_hears_of_every_phase_in_order(expert: bool) -> None:
    log = Log()
    train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, trials=2, expert=expert), log)
    heard = [event for event in log.events if event[0] != "epoch"]
    phases = ["rollouts", "sampling", "training", "data", "validation"]
    if not expert:
        phases = ["rollouts", "sampling", "data", "training", "validation"]
    assert heard == [(phase, trial) for trial in (0, 1) for phase in phases]
    assert [event[1:3] for event in log.events if event[0] == "epoch"] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert isinstance(next(event for event in log.events if event[0] == "epoch")[3], Probe)


def test_one_trial_is_validated_too_so_that_the_model_says_what_it_is_worth() -> None:
    model = train_with(make_tiny("blocks").task, "n-rsl", QUICK)
    assert (model.info["trials"][0]["solved"], model.info["trials"][0]["validation_states"]) == (3, 3)
    assert NetworkUse(model.info["network_use"]) is not NetworkUse.UNKNOWN
    assert model.heuristic().lead == model.info["lead"]


def test_nothing_is_said_if_nothing_was_validated() -> None:
    model = train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, validation_states=0))
    assert network_use(model.info) is None


@pytest.mark.parametrize("expert", [False, True])
@pytest.mark.parametrize(
    "task",
    [
        make_task(2, [([0], [1], [], 1)], [0], [0]),  # holds always
        make_task(2, [], [0], [0, 1]),  # cannot be reached: nothing to regress through, nowhere to walk
    ],
    ids=["solved", "hopeless"],
)
def test_tasks_with_nothing_to_learn_do_no_harm(task: Task, expert: bool) -> None:
    assert train_with(task, "n-rsl", replace(QUICK, expert=expert)).info["end"] == "all epochs"


@pytest.mark.parametrize("expert", [False, True])
def test_a_model_interrupted_before_its_first_epoch_is_still_a_model(expert: bool) -> None:
    class Impatient(Watcher):
        def go_on(self) -> bool:
            return False

    model = train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, expert=expert), Impatient())
    assert model.info["end"] == "interrupted"
    assert search(model.task, model.heuristic()).solved
    json.dumps(model.info, allow_nan=False)  # what `goalward inspect --json` prints must be JSON


def test_a_watcher_ends_everything() -> None:
    log = Log(lambda trial, epoch: trial == 0 and epoch.number == 1)
    model = train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, trials=4), log)
    assert [trial["end"] for trial in model.info["trials"]] == ["interrupted"]
    assert search(model.task, model.heuristic()).solved


# --- several trials ---


class Learner:
    """Learns nothing: networks that give every state the trial's number, in so many seconds of a clock."""

    def __init__(self, losses: list[float] | None = None, ends: list[End] | None = None, seconds: float = 0.0) -> None:
        self.losses, self.ends = losses or [1.0] * 99, ends or ["all epochs"] * 99
        self.trials: list[Trial[Any]] = []
        self.seconds = seconds
        self.now = 0.0

    def __call__(self, trial: Trial[Any]) -> TrainingResult:
        self.trials.append(trial)
        self.now += self.seconds
        output = Layer(np.ones((1, 1), dtype=np.float32), np.array([trial.number], dtype=np.float32))
        table = np.zeros((trial.task.n_atoms, 1), dtype=np.float32)
        weights = NetworkWeights(table, np.zeros(1, dtype=np.float32), (output,))
        epoch = Epoch(1, 1.0, self.losses[trial.number], 0.1, 1e-3)
        return TrainingResult(weights, [epoch], 1, self.ends[trial.number])

    def train(self, options: PreimageOptions, seconds: float | None = None) -> Model:
        options = replace(options, validation_states=0)
        budget = Budget(seconds, clock=lambda: self.now)
        return train_model(make_tiny("blocks").task, "n-rsl", self, options, budget=budget)


def test_without_validation_states_the_least_loss_is_kept() -> None:
    model = Learner([3.0, 1.0, 2.0]).train(replace(QUICK, trials=3))
    assert model.weights.layers[0].bias[0] == model.info["chosen_trial"] == 1


def test_trials_have_seeds_of_their_own_around_the_end_of_the_range() -> None:
    learner = Learner()
    learner.train(replace(QUICK, trials=3, seed=2**32 - 2))
    assert [trial.seed for trial in learner.trials] == [2**32 - 2, 2**32 - 1, 0]


def test_an_interrupted_trial_is_the_last() -> None:
    learner = Learner(ends=["all epochs", "interrupted", "all epochs"])
    learner.train(replace(QUICK, trials=3))
    assert len(learner.trials) == 2


def test_trials_share_the_time_and_what_one_leaves_goes_to_the_next() -> None:
    learner = Learner(seconds=10.0)
    learner.train(replace(QUICK, trials=4), 80.0)
    assert [trial.budget.seconds for trial in learner.trials] == [20.0, 70 / 3, 30.0, 50.0]


def test_no_trial_begins_after_the_time_limit() -> None:
    learner = Learner(seconds=30.0)
    learner.train(replace(QUICK, trials=9), 80.0)
    assert len(learner.trials) == 3


def test_real_trials_are_chosen_by_real_searches() -> None:
    model = train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, trials=2, max_epochs=8))
    for trial in model.info["trials"]:
        assert trial["validation_states"] == 3
        assert 0 <= trial["solved_alone"] <= trial["solved"] <= 3
    best = model.info["trials"][model.info["chosen_trial"]]
    assert best["solved"] == max(trial["solved"] for trial in model.info["trials"])


@pytest.mark.parametrize(("costs", "unit_costs"), [("pddl", False), ("unit", None)])
def test_values_count_the_costs_of_the_pddl_unless_steps_are_asked_for(costs: str, unit_costs: bool | None) -> None:
    task = make_tiny("courier").task
    model = train_with(task, "n-rsl", replace(QUICK, costs=costs))
    assert model.info["notes"]["costs"] == costs
    heuristic = model.heuristic()
    assert heuristic.unit_costs is unit_costs
    assert model.solve(options=SearchOptions("wastar", batch=8)).solved
