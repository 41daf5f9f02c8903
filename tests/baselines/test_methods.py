"""The table of methods: complete, its options checked, and every learner in it better than no heuristic at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from goalward.declared import declared
from goalward.errors import UsageError
from goalward.learning import options as module
from goalward.learning.methods import METHODS, find_method, learned_methods, make_options, train_with
from goalward.learning.options import LearnOptions
from goalward.learning.results import Epoch
from goalward.learning.rsl import PreimageOptions
from goalward.search import BoundHeuristic, bind_heuristic, search
from goalward.search.batches import search_many
from goalward.search.learned import load_model
from goalward.search.model import Model, save_model
from goalward.task.domains import generate
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import BRIEF, make_tiny
from oracle import make_task

from .learners import Log, brief

# --- the table ---


def test_every_system_of_the_comparison_is_in_the_table() -> None:
    kinds = {name: method.kind for name, method in METHODS.items()}
    assert kinds == {
        **dict.fromkeys(["n-rsl", "rsl", "tsl", "sing", "fsm", "boot", "bexp", "avi"], "instance"),
        "hgn": "domain",
        **dict.fromkeys(["ff", "portfolio", "fd-ff", "lama", "lama-full"], "planner"),
    }


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert method.summary
    assert method.reference[-4:].isdigit() or "2020" in method.reference
    if issubclass(method.options, LearnOptions) and method.options.ended_by:
        assert method.options.ended_by in declared(method.options)
    for option in declared(method.options).values():
        assert option.help
    method.options()  # the defaults are within their own bounds


def test_unknown_methods_are_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'boott'; did you mean boot\? \(known: n-rsl, .*lama-full\)"):
        find_method("boott")
    with pytest.raises(
        UsageError, match=r"unknown method 'qqq' \(known: n-rsl, rsl, tsl, sing, fsm, boot, bexp, avi\)"
    ):
        find_method("qqq", "instance")
    assert find_method("lama") is METHODS["lama"]


@pytest.mark.parametrize("name", ["hgn", "ff", "fd-ff", "lama", "lama-full"])
def test_what_is_not_learned_per_instance_is_refused_there(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is not learned per instance: .*those that are: n-rsl"):
        train_with(make_tiny("blocks").task, name)


# --- options ---


def test_the_options_of_another_method_are_refused_before_anything_is_learned() -> None:
    with pytest.raises(UsageError, match="boot learns with BootOptions, and these are PreimageOptions"):
        train_with(make_tiny("blocks").task, "boot", PreimageOptions())


@pytest.mark.parametrize(("name", "most"), [("boot", 100_000), ("avi", 100_000)])
def test_no_more_states_can_be_asked_for_than_regressions_can_give(name: str, most: int) -> None:
    with pytest.raises(UsageError, match=f"states must be between 1 and {most}, but is {most + 1}"):
        make_options(name, {"states": most + 1})


# --- models ---


@pytest.mark.parametrize("name", learned_methods())
def test_every_method_gives_a_model_that_is_saved_loaded_and_solves(name: str, tmp_path: Path) -> None:
    model = learned(name, "lights")
    assert (model.task.complement_of >= 0).any()
    save_model(model, path := tmp_path / "model.goalward")
    loaded = load_model(path)
    info = loaded.info
    assert info == model.info
    assert info["method"] == name
    assert info["notes"] == info["trials"][info["chosen_trial"]]["notes"] != {}
    assert info["options"].keys() == declared(METHODS[name].options).keys()
    for key, value in BRIEF[name].items():
        assert info["options"][key] == value
    json.dumps(info, allow_nan=False)
    assert search(loaded.task, loaded.heuristic()).solved
    assert loaded.heuristic().name == name


@cache
def learned(name: str, domain: str, seed: int = 0) -> Model:
    """A model that was trained for a moment."""
    model = train_with(make_tiny(domain).task, name, brief(name, seed=seed))
    assert isinstance(model, Model)
    return model


@pytest.mark.parametrize("name", learned_methods())
@pytest.mark.parametrize("domain", ["lights", "storage", "visitall"])
def test_no_method_learns_from_atoms_that_search_does_not_see(name: str, domain: str) -> None:
    hidden = ~core_atoms(make_tiny(domain).task)
    assert hidden.any()
    model = learned(name, domain)
    assert not model.weights.table[hidden].any()
    assert model.weights.table[~hidden].any()


@pytest.mark.parametrize("name", ["boot", "bexp", "avi"])
def test_the_same_seed_gives_the_same_model(name: str) -> None:
    table = learned(name, "lights").weights.table.tobytes()
    again = train_with(make_tiny("lights").task, name, brief(name))
    assert again.weights.table.tobytes() == table != learned(name, "lights", seed=1).weights.table.tobytes()


def interrupt(epoch: Epoch) -> bool:
    if epoch.number == 2:
        raise KeyboardInterrupt
    return False


@pytest.mark.parametrize(
    ("name", "rounds"), [("boot", "max_rounds"), ("bexp", "max_rounds"), ("avi", "max_iterations")]
)
@pytest.mark.parametrize(
    ("stop", "seconds", "end", "made"),
    [
        (None, None, "all epochs", 3),
        (None, 0.3, "time limit", None),
        (lambda epoch: epoch.number == 2, None, "interrupted", 2),
        (interrupt, None, "interrupted", 2),
    ],
    ids=["rounds", "time", "no", "ctrl-c"],
)
def test_whatever_ends_it_leaves_a_model(
    name: str, rounds: str, stop: Callable[[Epoch], bool] | None, seconds: float | None, end: str, made: int | None
) -> None:
    task, log = make_tiny("blocks").task, Log(stop)
    given = brief(name, time_limit=seconds, **{rounds: 3 if end == "all epochs" else 10**6})
    model = train_with(task, name, given, log)
    assert model.info["end"] == end
    assert len(log.epochs) == made or len(model.info["curve"])
    if name == "avi":
        assert model.info["notes"] == {"iterations": len(log.epochs), "updates": 50 * len(log.epochs)}
    assert np.isfinite(model.weights.table).all()
    assert search(task, model.heuristic()).solved
    json.dumps(model.info, allow_nan=False)


@pytest.mark.parametrize("name", learned_methods())
def test_a_task_that_is_all_but_solved_does_no_harm(name: str) -> None:
    task = make_task(2, [([0], [1], [0], 1)], [0], [1], [[0, 1]])
    model = train_with(task, name, brief(name))
    json.dumps(model.info, allow_nan=False)
    assert search(task, model.heuristic()).solved


@pytest.mark.parametrize("name", ["tsl", "boot", "bexp", "avi"])
def test_what_would_never_end_ends_by_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEFAULT_SECONDS", 0.2)
    task = make_tiny("blocks").task
    told = brief(name)
    assert isinstance(told, LearnOptions)
    assert told.ended_by is not None
    endless = replace(told, **{told.ended_by: declared(type(told))[told.ended_by].default})
    assert train_with(task, name, endless).info["options"]["time_limit"] == 0.2
    told = train_with(task, name, told).info["options"]
    assert told["time_limit"] is None, "who says when to end gets the same model each time"


# --- against blind search ---

_RSL = {"samples": 5000, "length": 60, "max_epochs": 12, "sampler": "reachable"}
_BOOT = {"states": 50, "train_states": 2000, "max_length": 40, "sampler": "reachable"}
SETTINGS = {
    "n-rsl": _RSL,
    "rsl": _RSL,
    "tsl": {"max_walks": 300, "walk_steps": 30, "max_epochs": 12},
    "sing": {"searches": 100, "samples": 50, "sampler": "reachable", "max_epochs": 12},
    "fsm": {"samples": 5000, "sampler": "reachable", "max_epochs": 12},
    "boot": {**_BOOT, "max_rounds": 40},
    "bexp": {**_BOOT, "max_rounds": 80},
    "avi": {"max_iterations": 50, "states": 300, "length": 40, "sampler": "reachable"},
}
INSTANCES = {"blocks": {"n": 5}, "visitall": {"rows": 5, "cols": 5, "missing": 20}}
EXPANSIONS = 100


@cache
def exam(domain: str) -> tuple[Task, BitRows]:
    """A bundled instance and ten states of random walks, none of them a goal."""
    task = generate(domain, seed=0, **INSTANCES[domain]).ground()
    states = random_walk_states(task, 10, 20, 1)
    assert not any(task.is_goal(state) for state in states)
    return task, to_bits(states, task.n_atoms)


def solved(heuristic: BoundHeuristic, states: BitRows) -> int:
    return int(search_many(heuristic, states, expansion_limit=EXPANSIONS).solved.sum())


@pytest.mark.parametrize("name", learned_methods())
@pytest.mark.parametrize("domain", INSTANCES)
def test_every_learner_beats_blind_search(domain: str, name: str) -> None:
    task, states = exam(domain)
    model = train_with(task, name, make_options(name, {"width": 32, "validation_states": 0, **SETTINGS[name]}))
    blind = solved(bind_heuristic(task, "blind"), states)
    assert blind <= 1
    assert solved(model.heuristic(), states) >= blind + 4
    assert np.isfinite(model.heuristic().evaluate(states)).all()
