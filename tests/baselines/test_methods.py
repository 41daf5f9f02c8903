"""The table of methods: complete, its options checked, and every learner in it better than no heuristic at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from goalward.baselines import METHODS, find_method, train_with
from goalward.baselines import methods as module
from goalward.baselines.options import MethodOptions, option
from goalward.errors import UsageError
from goalward.learning import LearnOptions
from goalward.search import BoundHeuristic, bind_heuristic, search
from goalward.search.batches import search_many
from goalward.search.model import load_model, save_model
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import make_tiny, read_texts
from oracle import make_task

from .learners import QUICK

INSTANCE_METHODS = [name for name, method in METHODS.items() if method.kind == "instance"]

# Ends that are no times, so that results are the same on every machine.
BRIEF = {
    "tsl": ["max_walks=20"],
    "sing": ["searches=5", "samples=40"],
    "boot": ["max_rounds=4", "states=20"],
    "bexp": ["max_rounds=4", "states=20"],
    "avi": ["max_iterations=4", "states=50", "length=20"],
}


# --- the table ---


def test_every_system_of_the_comparison_is_in_the_table() -> None:
    kinds = {name: method.kind for name, method in METHODS.items()}
    assert kinds == {
        **dict.fromkeys(["n-rsl", "rsl", "tsl", "sing", "boot", "bexp", "avi"], "instance"),
        "hgn": "domain",
        **dict.fromkeys(["ff", "fd-ff", "lama"], "planner"),
    }


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert method.summary
    assert method.reference[-4:].isdigit() or "2020" in method.reference
    if method.ended_by:
        assert method.ended_by in {field.name for field in fields(method.options)}
    for field in fields(method.options):
        assert field.metadata["help"]
    method.options()  # the defaults are within their own bounds


def test_unknown_methods_are_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'boott'; did you mean boot\? \(known: n-rsl, .*lama\)"):
        find_method("boott")
    with pytest.raises(UsageError, match=r"unknown method 'qqq' \(known: n-rsl, rsl, tsl, sing, boot, bexp, avi\)"):
        find_method("qqq", "instance")
    assert find_method("lama") is METHODS["lama"]


@pytest.mark.parametrize("name", ["hgn", "ff", "fd-ff", "lama"])
def test_what_is_not_learned_per_instance_is_refused_there(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is not learned per instance: .*those that are: n-rsl"):
        train_with(make_tiny("blocks").task, LearnOptions(method=name))


# --- options ---


@dataclass(frozen=True)
class Sample(MethodOptions):
    walk_steps: int = option(200, "steps", 1, 1000)
    share: float = option(0.5, "share", 0.0, 1.0)
    sampler: str = option(("uniform", "reachable"), "where from")


def test_settings_become_options_of_the_right_type() -> None:
    assert Sample.parse([], "sample") == Sample(200, 0.5, "uniform")
    parsed = Sample.parse(["walk-steps= 7", " share =0.25", "sampler=reachable"], "sample")
    assert parsed == Sample(7, 0.25, "reachable")
    assert type(parsed.walk_steps) is int
    assert Sample.parse(["share=1"], "sample").share == 1.0
    assert Sample.parse(["share=0.1", "share=0.2"], "sample").share == 0.2  # the last one counts


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("walk_steps", "--set walk_steps: write it as name=value"),
        ("walk_step=3", r"sample has no option 'walk_step'; did you mean walk_steps\? .*walk_steps, share, sampler"),
        ("zzz=3", r"sample has no option 'zzz' \(its options: walk_steps, share, sampler\)"),
        ("walk_steps=many", "--set walk_steps=many: walk_steps is an int"),
        ("walk_steps=1.5", "walk_steps is an int"),
        ("share=half", "--set share=half: share is a float"),
        ("share=nan", "share is nan; it goes from 0.0 to 1.0"),
        ("walk_steps=0", "walk_steps is 0; it goes from 1 to 1000"),
        ("walk_steps=1001", "walk_steps is 1001; it goes from 1 to 1000"),
        ("sampler=other", "sampler is 'other'; it is one of uniform, reachable"),
        ("=3", "sample has no option ''"),
    ],
)
def test_settings_that_make_no_options_are_explained(setting: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Sample.parse([setting], "sample")
    assert "\n" not in str(caught.value)


def test_methods_without_options_of_their_own_refuse_settings() -> None:
    with pytest.raises(UsageError, match=r"n-rsl has no option 'walks' \(its options: none\)"):
        train_with(make_tiny("blocks").task, QUICK, ["walks=3"])


@pytest.mark.parametrize("name", BRIEF)
def test_settings_are_refused_before_anything_is_learned(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} has no option"):
        train_with(make_tiny("blocks").task, LearnOptions(method=name), ["no_such_option=1"])


@pytest.mark.parametrize(("name", "most"), [("boot", 100_000), ("avi", 100_000)])
def test_no_more_states_can_be_asked_for_than_regressions_can_give(name: str, most: int) -> None:
    with pytest.raises(UsageError, match=f"states is {most + 1}; it goes from 1 to {most}"):
        METHODS[name].options.parse([f"states={most + 1}"], name)


# --- models ---


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", INSTANCE_METHODS)
def test_every_method_gives_a_model_that_is_saved_loaded_and_solves(name: str, tmp_path: Path) -> None:
    task = make_tiny("gripper").task
    model = train_with(task, replace(QUICK, method=name), BRIEF.get(name, ()))
    save_model(model, path := tmp_path / "model.goalward")
    loaded = load_model(path)
    info = loaded.info
    assert info == model.info
    assert info["method"] == info["options"]["method"] == name
    assert info["notes"] == info["trials"][info["chosen_trial"]]["notes"] != {}
    if name in BRIEF:
        assert info["method_options"].keys() == {field.name for field in fields(METHODS[name].options)}
        for setting in BRIEF[name]:
            key, _, value = setting.partition("=")
            assert str(info["method_options"][key]) == value
    else:
        assert info["method_options"] is None
    json.dumps(info, allow_nan=False)
    assert search(loaded.task, loaded.heuristic()).solved
    assert loaded.heuristic().name == name


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", INSTANCE_METHODS)
@pytest.mark.parametrize("domain", ["lights", "storage", "visitall"])
def test_no_method_learns_from_atoms_that_search_does_not_see(name: str, domain: str) -> None:
    task = make_tiny(domain).task
    hidden = ~core_atoms(task)
    assert hidden.any()
    model = train_with(task, replace(QUICK, method=name), BRIEF.get(name, ()))
    assert not model.weights.table[hidden].any()
    assert model.weights.table[~hidden].any()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", INSTANCE_METHODS)
def test_a_task_that_is_all_but_solved_does_no_harm(name: str) -> None:
    task = make_task(2, [([0], [1], [0], 1)], [0], [1], [[0, 1]])
    model = train_with(task, replace(QUICK, method=name), BRIEF.get(name, ()))
    json.dumps(model.info, allow_nan=False)
    assert search(task, model.heuristic()).solved


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [name for name in INSTANCE_METHODS if METHODS[name].ended_by])
def test_what_would_never_end_ends_by_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEFAULT_SECONDS", 0.2)
    task = make_tiny("blocks").task
    short = [setting for setting in BRIEF[name] if not setting.startswith("max_")]
    assert train_with(task, replace(QUICK, method=name), short).info["options"]["time_limit"] == 0.2
    told = train_with(task, replace(QUICK, method=name), BRIEF[name]).info["options"]
    assert told["time_limit"] is None, "who says when to end gets the same model each time"


# --- against blind search ---

SETTINGS = {
    "tsl": ["max_walks=300", "walk_steps=30"],
    "sing": ["searches=100", "samples=50", "sampler=reachable"],
    "boot": ["max_rounds=40", "states=50", "train_states=2000", "max_length=40", "sampler=reachable"],
    "bexp": ["max_rounds=80", "states=50", "train_states=2000", "max_length=40", "sampler=reachable"],
    "avi": ["max_iterations=50", "states=300", "length=40", "sampler=reachable"],
}
LEARN = LearnOptions(
    n_samples=5000, length=60, max_epochs=12, samplers=("reachable",), trials=1, validation_states=0
)  # fmt: skip
INSTANCES = {"blocks": {"n": 5}, "visitall": {"rows": 5, "cols": 5, "missing": 20}}
EXPANSIONS = 100


@cache
def exam(domain: str) -> tuple[Task, BitRows]:
    """A bundled instance and ten states of random walks, none of them a goal."""
    instance = generate(domain, seed=0, **INSTANCES[domain])
    task = ground(*read_texts(instance.domain_text, instance.problem_text))
    states = random_walk_states(task, 10, 20, 1)
    assert not any(task.is_goal(state) for state in states)
    return task, to_bits(states, task.n_atoms)


def solved(heuristic: BoundHeuristic, states: BitRows) -> int:
    return int(search_many(heuristic, states, expansion_limit=EXPANSIONS).solved.sum())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", INSTANCE_METHODS)
@pytest.mark.parametrize("domain", INSTANCES)
def test_every_learner_beats_blind_search(domain: str, name: str) -> None:
    task, states = exam(domain)
    model = train_with(task, replace(LEARN, method=name), SETTINGS.get(name, ()))
    blind = solved(bind_heuristic(task, "blind"), states)
    assert blind <= 1
    assert solved(model.heuristic(), states) >= blind + 4
    assert np.isfinite(model.heuristic().evaluate(states)).all()
