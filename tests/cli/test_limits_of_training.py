"""The time limit of training: what counts, and what is kept when it is over."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import pytest

from goalward.cli import startup
from goalward.cli import train as train_module
from goalward.cli.main import run
from goalward.learning import models, rsl, selection
from goalward.learning.budget import Budget
from goalward.learning.methods import train_with
from goalward.learning.probes import Probe, Probes
from goalward.learning.results import Epoch
from goalward.learning.rsl import PreimageOptions
from goalward.learning.validation import validation_states
from goalward.search.learned import load_model
from helpers import make_tiny

from .program import Files, Told

Goalward = Callable[..., Told]
QUICK = PreimageOptions(preset="fast", max_epochs=1, samples=200, rollouts=5, length=10, validation_states=3)
TRAINER = "goalward.learning.trainer"
EPOCH = Epoch(1, 1.0, 1.0, 0.1, 1e-3, 10)


@pytest.fixture
def goalward(capfd: pytest.CaptureFixture[str]) -> Goalward:
    """The command line in this process, with progress on stderr."""

    def call(*arguments: str | Path) -> Told:
        code = run([str(argument) for argument in arguments])
        return Told(code, *capfd.readouterr())

    return call


class SlowToLoad(MetaPathFinder):
    """Stands in for PyTorch on a slow disk."""

    def find_spec(self, name: str, *others: Any) -> None:
        if name == TRAINER:
            time.sleep(60)


@pytest.fixture
def slow_pytorch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delitem(sys.modules, TRAINER, raising=False)
    monkeypatch.setattr(sys, "meta_path", [SlowToLoad(), *sys.meta_path])
    return


@pytest.mark.usefixtures("slow_pytorch")
def test_loading_pytorch_counts(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    outcome = goalward("train", *trains.names, "-o", tmp_path / "m", "--time-limit", "1s")
    assert outcome.code == 23
    assert outcome.last_error.startswith("out of time while loading PyTorch: --time-limit includes ")
    assert outcome.last_error.endswith("; give it at least 20s")


def test_training_knows_what_has_gone_before_and_leaves_time_for_writing(
    goalward: Goalward, trains: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []

    def noted(*arguments: Any, spent: float) -> Any:
        told.append(spent)
        return train_with(arguments[0], "n-rsl", QUICK)

    monkeypatch.setattr(train_module, "train_with", noted)
    monkeypatch.setattr(startup, "started", lambda: time.monotonic() - 40)
    assert goalward("train", *trains.names, "-o", tmp_path / "m", "--time-limit", "1h").code == 0
    assert told[0] >= 40 + train_module.WRITING_SECONDS


@pytest.mark.parametrize("learned", [False, True])
def test_at_the_limit_it_ends_unless_there_is_something_to_keep(
    goalward: Goalward, trains: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learned: bool
) -> None:
    def late(task: Any, method: str, options: Any, watcher: Any, spent: float) -> Any:
        if learned:
            watcher.epoch(0, EPOCH, None)
        time.sleep(2)  # beyond the limit
        return train_with(task, method, QUICK)

    monkeypatch.setattr(train_module, "train_with", late)
    outcome = goalward("train", *trains.names, "-o", tmp_path / "m", "--time-limit", "1s")
    if learned:
        assert outcome.code == 0
        assert load_model(tmp_path / "m").info["method"] == "n-rsl"
    else:
        assert outcome.code == 23
        assert outcome.last_error.startswith("out of time while training: ")
        assert not (tmp_path / "m").exists()


def test_compare_counts_what_it_loads_and_its_trainings_end_too(
    goalward: Goalward, trains: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*arguments: Any, **named: Any) -> Any:
        time.sleep(60)

    command = ["compare", *trains.names, trains.problem, "--methods", "n-rsl", "--time-limit", "1s", "--train-limit"]
    monkeypatch.setattr("goalward.experiments.unit_work.train_with", late)
    outcome = goalward(*command, "1s", "--json")
    assert outcome.code == 0
    assert "n-rsl: out of time" in outcome.err
    monkeypatch.setattr(startup, "started", lambda: time.monotonic() - 100)
    outcome = goalward(*command, "99s")
    assert outcome.code == 23
    assert outcome.last_error.startswith("out of time while reading and grounding the problem")


# --- validation, when the time is over ---


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Those that validation makes."""
    made: list[Any] = []
    real = selection.solve

    def counted(*arguments: Any, **named: Any) -> Any:
        made.append(arguments)
        return real(*arguments, **named)

    monkeypatch.setattr(selection, "solve", counted)
    return made


def test_a_training_without_time_for_validation_has_no_verdict(searches: list[Any]) -> None:
    task = make_tiny("blocks").task
    model = train_with(task, "n-rsl", replace(QUICK, time_limit=30.0), spent=60.0)
    assert searches == []
    assert "network_use" not in model.info
    assert model.info["trials"][0]["epochs"] == 1, "what was learned is kept"
    assert model.info["trials"][0]["solved"] is None


def test_a_probe_that_is_cut_short_is_none() -> None:
    task = make_tiny("blocks").task
    weights = train_with(task, "n-rsl", QUICK).weights
    states = validation_states(task, 4, 0)
    asked: list[bool] = []

    def go_on() -> bool:
        asked.append(len(asked) < 2)
        return asked[-1]

    assert Probes(task, states, go_on)(EPOCH, lambda: weights) is None
    assert asked
    assert isinstance(Probes(task, states, lambda: True)(EPOCH, lambda: weights), Probe)


def test_no_probe_begins_when_time_is_up() -> None:
    task = make_tiny("blocks").task

    def weights() -> Any:
        raise AssertionError("there is no time to make the network ready")

    assert Probes(task, validation_states(task, 4, 0), lambda: False)(EPOCH, weights) is None


def test_walks_to_validation_states_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now, seconds = [0.0], list[float | None]()

    def slowly(*arguments: Any, **named: Any) -> Any:
        now[0] += 40
        return []

    def noted(trial: Any) -> Any:
        seconds.append(trial.budget.seconds)
        raise LookupError

    monkeypatch.setattr(models, "validation_states", slowly)
    budget = Budget(100.0, spent=10.0, clock=lambda: now[0])
    with pytest.raises(LookupError):
        models.train_model(make_tiny("blocks").task, "n-rsl", noted, QUICK, budget=budget)
    assert seconds == [50]


def test_what_comes_before_learning_asks_whether_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = [0.0], list[Any]()
    for name in ("suggest_length", "suggest_rollouts"):
        monkeypatch.setattr(rsl, name, lambda *arguments: asked.append(arguments[-1]) or 10)
    options = replace(QUICK, length=0, rollouts=0, validation_states=0)
    models.train_model(make_tiny("blocks").task, "n-rsl", rsl.learn, options, budget=Budget(60.0, clock=lambda: now[0]))
    assert [go_on() for go_on in asked] == [True, True]
    now[0] += 60
    assert [go_on() for go_on in asked] == [False, False]
