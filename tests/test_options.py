"""Every option of every learned method reaches its learner, whoever asks for it, and the learner makes use of it."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goalward.cli.main import run
from goalward.declared import DURATION, FLAG, NAMES, SHARE, Option, Options, declared
from goalward.experiments import unit_process
from goalward.experiments.benchmark import find_instances
from goalward.experiments.config import read_config
from goalward.experiments.units import Schedule
from goalward.learning.methods import METHODS, learned_methods, make_options, options_class, train_with
from goalward.learning.options import PRESETS, LearnOptions
from goalward.learning.results import Epoch, TrainingResult
from goalward.learning.trials import Trial
from goalward.search.learned import load_model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.domains import generate
from helpers import BRIEF, make_tiny

SEED, TIME_LIMIT = 17, 33.0
"""These two are the same for all methods of a comparison or an experiment, and are given there in other words."""


def unusual(option: Option, usual: Any) -> Any:
    """A value that differs from the defaults of all presets."""
    if option.name == "seed":
        return SEED
    if option.name == "time_limit":
        return TIME_LIMIT
    if option.choices:
        if option.kind is NAMES:
            return next((choice,) for choice in reversed(option.choices) if (choice,) != usual)
        return next(choice for choice in reversed(option.choices) if choice not in {usual, *PRESETS})
    if option.kind is FLAG:
        return not usual
    if option.kind is DURATION:
        return 1.25
    if option.kind is SHARE:
        return 0.375
    if isinstance(usual, float):
        return usual / 2
    least = int(option.low or 0)  # nothing is searched for validation, and few trials are quick
    return least + (usual == least)


def all_unusual(method: str) -> dict[str, Any]:
    """A value for each option but the preset, none of them the default."""
    usual = make_options(method).resolved()
    options = [option for option in declared(type(usual)).values() if option.name != "preset"]
    return {option.name: unusual(option, getattr(usual, option.name)) for option in options}


def as_text(value: Any) -> str:
    """As on a command line."""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_toml(value: Any) -> str:
    return json.dumps(value)


class Pupils:
    """Stands in for the learners of all methods and writes down what they are told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[LearnOptions] = []
        for name in learned_methods():
            home = METHODS[name].home
            assert home is not None
            monkeypatch.setattr(import_module(home.rpartition(".")[0]), "learn", self.learn)

    def learn(self, trial: Trial[Any]) -> TrainingResult:
        self.told.append(trial.options)
        one = np.ones((1, 1), dtype=np.float32)
        table = np.ones((trial.task.n_atoms, 1), dtype=np.float32)
        weights = NetworkWeights(table, one[0], (Layer(one, one[0]),))
        return TrainingResult(weights, [Epoch(1, 1.0, 1.0, 0.1, 1e-3)], 1, "all epochs")

    def heard(self) -> dict[str, Any]:
        """What all trials were told; forgotten afterwards."""
        first, *others = self.told
        assert all(options == first for options in others)
        assert len(self.told) == first.trials, "as many trials as were asked for"
        self.told = []
        return asdict(first)


@pytest.fixture
def pupils(monkeypatch: pytest.MonkeyPatch) -> Pupils:
    return Pupils(monkeypatch)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    instance = generate("blocks", n=3, seed=0)
    (tmp_path / "domain.pddl").write_text(instance.domain_text)
    (tmp_path / "problem.pddl").write_text(instance.problem_text)
    return str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")


Caller = Callable[[str, dict[str, Any], tuple[str, str], Path], None]


def by_flags(method: str, values: dict[str, Any], files: tuple[str, str], folder: Path) -> None:
    flags = [part for name, value in values.items() for part in ("--" + name.replace("_", "-"), as_text(value))]
    assert run(["train", *files, "-o", str(folder / "m.goalward"), "--method", method, *flags]) == 0


def by_settings(method: str, values: dict[str, Any], files: tuple[str, str], folder: Path) -> None:
    settings = [part for name, value in values.items() for part in ("--set", f"{name}={as_text(value)}")]
    assert run(["train", *files, "-o", str(folder / "m.goalward"), "--method", method, *settings]) == 0


def by_comparison(method: str, values: dict[str, Any], files: tuple[str, str], folder: Path) -> None:
    own = {name: value for name, value in values.items() if name not in {"seed", "time_limit"}}
    settings = [part for name, value in own.items() for part in ("--set", f"{method}.{name}={as_text(value)}")]
    limits = ["--seed", str(SEED), "--train-limit", f"{TIME_LIMIT}s", "--time-limit", "5s"]
    assert run(["compare", *files, files[1], "--methods", method, *limits, *settings, "--models", str(folder)]) == 0


def by_experiment(method: str, values: dict[str, Any], files: tuple[str, str], folder: Path) -> None:
    own = {name: value for name, value in values.items() if name not in {"seed", "time_limit"}}
    table = ", ".join(f"{name} = {as_toml(value)}" for name, value in own.items())
    config = read_config(
        tomllib.loads(
            f'seeds = [{SEED}]\nstates = ["problem"]\n[budgets]\ntrain = "{TIME_LIMIT}s"\n'
            '[[generate]]\ndomain = "blocks"\nparameters = { n = 3 }\n'
            f'[[methods]]\nlabel = "mine"\nmethod = "{method}"\noptions = {{ {table} }}\n'
        )
    )
    schedule = Schedule(config, find_instances(config, folder), folder)
    (training,) = [unit for unit in schedule.units if unit.kind == "train"]
    told = json.loads(unit_process.main(schedule.job(training, folder / "model").to_json()))
    assert told["status"] == "trained", told


CALLERS: list[Caller] = [by_flags, by_settings, by_comparison, by_experiment]


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("method", learned_methods())
def test_every_option_reaches_the_learner(
    method: str, caller: Caller, pupils: Pupils, files: tuple[str, str], tmp_path: Path
) -> None:
    values = all_unusual(method)
    usual = asdict(make_options(method).resolved())
    assert all(usual[name] != value for name, value in values.items())
    caller(method, values, files, tmp_path)
    assert pupils.heard() == {**values, "preset": "fast"}


@pytest.mark.parametrize(
    ("method", "caller"),
    [*((name, by_settings) for name in learned_methods()), *(("tsl", caller) for caller in CALLERS)],
)
def test_the_preset_fills_in_what_is_left_open(
    method: str, caller: Caller, pupils: Pupils, files: tuple[str, str], tmp_path: Path
) -> None:
    caller(method, {"preset": "paper", "trials": 1}, files, tmp_path)
    heard = pupils.heard()
    filled = {name for name, option in declared(options_class(method)).items() if option.by_preset}
    if method == "tsl" and heard["time_limit"] is not None:  # it trains until its time is used
        filled -= {"max_epochs", "patience"}
    assert filled >= {"batch_size", "learning_rate"}
    assert {name: heard[name] for name in filled} == {name: PRESETS["paper"][name] for name in filled}


@pytest.mark.parametrize("method", learned_methods())
def test_the_model_file_holds_the_values_that_were_used(
    method: str, pupils: Pupils, files: tuple[str, str], tmp_path: Path
) -> None:
    by_flags(method, all_unusual(method), files, tmp_path)
    assert load_model(tmp_path / "m.goalward").info["options"] == json.loads(json.dumps(pupils.heard()))


# --- options that nobody reads ---

# The modules that copy, check or fill in options without acting on them.
HANDS_ON = {"dataclasses", "goalward.declared", "goalward.learning.options", __name__}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of the options that were read, other than to hand them on."""
    names: set[str] = set()

    def look(options: Options, name: str) -> Any:
        if sys._getframe(1).f_globals["__name__"] not in HANDS_ON:
            names.add(name)
        return object.__getattribute__(options, name)

    monkeypatch.setattr(Options, "__getattribute__", look, raising=False)
    return names


@pytest.mark.parametrize("method", learned_methods())
def test_every_option_is_read_by_somebody(method: str, read: set[str]) -> None:
    options = make_options(method, {"width": 4, "trials": 2, "validation_states": 2, **BRIEF[method]})
    train_with(make_tiny("blocks").task, method, replace(options, time_limit=5.0))
    # The two that are acted on where options are filled in; the tests above see what they do.
    read |= {"preset", "trials"}
    assert {name for name in declared(type(options)) if name not in read} == set()
