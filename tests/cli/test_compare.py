"""``goalward compare`` and ``goalward methods``: every system with one command."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalward.baselines import fast_downward
from goalward.cli.main import run as run_command
from goalward.experiments import comparison, unit_work
from goalward.learning.methods import METHODS
from goalward.search.learned import load_model
from goalward.search.model import Model, save_model
from goalward.task import grounding
from goalward.task.grounding import ground_files
from helpers import BRIEF, whole_number_network

from .program import Bundled, Files, Told, write_files

Goalward = Callable[..., Told]
ALL = "n-rsl,rsl,tsl,boot,bexp,avi,sing,ff,blind,add,hmax,goalcount,portfolio,fd-ff,lama"


@pytest.fixture
def goalward(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Goalward:
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*arguments: str | Path) -> Told:
        capfd.readouterr()
        return Told(run_command([str(argument) for argument in arguments]), *capfd.readouterr())

    return call


@pytest.fixture
def blocks(bundled: Bundled) -> Files:
    return bundled("blocks", n=4)


@pytest.fixture
def states(blocks: Files, tmp_path: Path) -> list[Path]:
    folder = tmp_path / "states"
    assert run_command(["walk", *map(str, blocks.names), "--states", "3", "--steps", "30", "-o", str(folder)]) == 0
    return sorted(folder.glob("*.pddl"))


def compare(goalward: Goalward, blocks: Files, states: list[Path], *options: str) -> Told:
    return goalward("compare", *blocks.names, *states, "--train-limit", "2s", "--time-limit", "10s", *options)


def test_every_method_runs_on_the_same_states_with_one_command(
    goalward: Goalward, blocks: Files, states: list[Path]
) -> None:
    little = [
        part for name in ALL.split(",") for option, value in BRIEF.get(name, {}).items()
        for part in ("--set", f"{name}.{option}={value}")
    ]  # fmt: skip
    outcome = compare(goalward, blocks, states, "--methods", ALL, *little, "--json")
    assert outcome.code == 0, outcome.last_error
    answer = json.loads(outcome.out)
    assert [entry["method"] for entry in answer["methods"]] == ALL.split(",")
    for entry in answer["methods"]:
        assert entry["failure"] is None
        learned = entry["method"] in METHODS and METHODS[entry["method"]].kind == "instance"
        assert (entry["training_time"] is not None) == learned
        runs = [run for run in answer["runs"] if run["method"] == entry["method"]]
        assert [run["state"] for run in runs] == [str(path) for path in states]
        assert entry["solved"] == sum(run["status"] == "solved" for run in runs)
    solved = {entry["method"]: entry["solved"] for entry in answer["methods"]}
    assert {name: solved[name] for name in ("n-rsl", "ff", "fd-ff", "lama")} == dict.fromkeys(
        ("n-rsl", "ff", "fd-ff", "lama"), 3
    )


def test_the_table_has_a_line_per_method_and_says_what_was_not_solved(goalward: Goalward, unsolvable: Files) -> None:
    outcome = goalward("compare", *unsolvable.names, unsolvable.names[1], "--methods", "ff", "--time-limit", "10s")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["method", "solved", "training", "expanded", "evaluations/s", "cost", "search", "time"]
    assert lines[1].split()[:3] == ["ff", "0/1", "-"]
    assert lines[-1] == f"ff: {unsolvable.names[1]}: unsolvable"


def test_steps_are_counted_where_they_are_not_what_a_plan_costs(goalward: Goalward, bundled: Any) -> None:
    files = bundled("courier", letters=1, towns=3)
    outcome = goalward("compare", *files.names, files.names[1], "--methods", "ff", "--time-limit", "10s")
    head, row, *_ = (line.split() for line in outcome.out.splitlines())
    figures = dict(zip(head, row, strict=False))
    assert {"length", "cost"} < set(head)
    assert figures["length"] != figures["cost"]


DETOUR_DOMAIN = """
(define (domain detour)
  (:requirements :strips :action-costs)
  (:predicates (here) (half) (there))
  (:functions (total-cost) - number)
  (:action fly :parameters () :precondition (here) :effect (and (there) (not (here)) (increase (total-cost) 1)))
  (:action walk :parameters () :precondition (here) :effect (and (half) (not (here)) (increase (total-cost) 0)))
  (:action rest :parameters () :precondition (half) :effect (and (there) (not (half)) (increase (total-cost) 0))))
"""
DETOUR_PROBLEM = """
(define (problem detour-1) (:domain detour) (:init (here) (= (total-cost) 0)) (:goal (there))
  (:metric minimize (total-cost)))
"""


@pytest.mark.parametrize(("costs", "cost", "steps"), [([], 0, 2), (["--set", "hmax.search.unit_costs=true"], 1, 1)])
def test_a_heuristic_counts_what_its_search_counts(
    goalward: Goalward, tmp_path: Path, costs: list[str], cost: int, steps: int
) -> None:
    files = write_files(tmp_path, DETOUR_DOMAIN, DETOUR_PROBLEM)
    algorithm = ("--set", "hmax.search.algorithm=astar")
    limit = ("--time-limit", "10s", "--json")
    outcome = goalward("compare", *files.names, files.names[1], "--methods", "hmax", *algorithm, *costs, *limit)
    (run,) = json.loads(outcome.out)["runs"]
    assert (run["status"], run["cost"], run["plan_length"]) == ("solved", cost, steps)


@pytest.mark.parametrize("name", ["ff", "lama"])
def test_the_clock_counts_grounding_whoever_grounds_as_the_table_says(
    goalward: Goalward, blocks: Files, states: list[Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # Each look at the clock is a second, so what is counted shows however fast the machine is.
    clock = itertools.count()
    monkeypatch.setattr(unit_work.time, "monotonic", lambda: float(next(clock)))
    asked = []
    ground_files, run_planner = grounding.ground_files, unit_work.run_planner

    def slow_ground(*files: Any) -> Any:
        asked.append(next(itertools.islice(clock, 1000, None)))
        return ground_files(*files)

    def slow_planner(*files: Any, **limits: Any) -> Any:
        return replace(run_planner(*files, **limits), total_time=1000.0)

    monkeypatch.setattr(grounding, "ground_files", slow_ground)
    monkeypatch.setattr(unit_work, "run_planner", slow_planner)
    outcome = goalward("compare", *blocks.names, states[0], "--methods", name, "--time-limit", "1h", "--json")
    (run,) = json.loads(outcome.out)["runs"]
    assert run["total_time"] >= 1000 > run["search_time"]
    table = goalward("compare", *blocks.names, states[0], "--methods", name, "--time-limit", "1h").out
    assert "time: wall-clock time including grounding or loading" in table


def test_csv_has_a_line_per_run(goalward: Goalward, blocks: Files, states: list[Path]) -> None:
    outcome = compare(goalward, blocks, states, "--methods", "ff", "--csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [(row["method"], row["state"], row["status"]) for row in rows] == [
        ("ff", str(path), "solved") for path in states
    ]


def test_models_are_kept_and_used_again_without_training(
    goalward: Goalward, blocks: Files, states: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    options = ("--set", "rsl.samples=300", "--set", "rsl.max_epochs=2", "--models", str(folder))
    assert compare(goalward, blocks, states, "--methods", "rsl", *options).code == 0
    model = folder / "rsl.goalward"
    assert load_model(model).info["method"] == "rsl"
    again = compare(goalward, blocks, states, "--methods", f"rsl={model}", "--json")
    assert json.loads(again.out)["methods"][0]["solved"] == 3
    assert "training" not in again.err
    for name in ("n-rsl", "hgn"):
        wrong = compare(goalward, blocks, states, "--methods", f"{name}={model}")
        assert (wrong.code, wrong.last_error) == (36, f"{model}: this is a model of rsl, not of {name}")


def test_a_model_of_another_problem_is_refused(
    goalward: Goalward, blocks: Files, states: list[Path], bundled: Bundled, tmp_path: Path
) -> None:
    task, model = ground_files(*bundled("blocks", n=5).names), tmp_path / "other.goalward"
    save_model(Model(task, whole_number_network(task), {"method": "n-rsl"}), model)
    outcome = compare(goalward, blocks, states, "--methods", f"n-rsl={model}")
    assert outcome.code == 36
    assert outcome.last_error.startswith(f"{model}: this model was trained for another problem: ")


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("n-rls", "unknown method 'n-rls'; did you mean n-rsl?"),
        ("ff,ff", "ff is given twice"),
        (",", "--methods must name at least one method"),
        ("ff=model.goalward", "ff learns nothing"),
        ("hgn", "hgn is learned per domain: train a model with goalward train-domain and write hgn=MODEL"),
    ],
)
def test_methods_that_cannot_run_are_refused_at_once(
    goalward: Goalward, blocks: Files, states: list[Path], methods: str, words: str
) -> None:
    outcome = compare(goalward, blocks, states, "--methods", methods)
    assert outcome.code == 36
    assert words in outcome.last_error


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("length=50", "write it as METHOD.NAME=VALUE with one of n-rsl, ff"),
        ("n-rls.length=50", "did you mean n-rsl?"),
        ("n-rsl.length", "write it as METHOD.NAME=VALUE"),
        ("n-rsl.lenght=50", "n-rsl has no option 'lenght'; did you mean length?"),
        ("n-rsl.length=many", "--length must be a whole number"),
        ("n-rsl.seed=3", "seed and time limit are the same for all methods: use --seed or --train-limit"),
        ("ff.length=3", "ff is not trained here"),
        ("ff.search.bach=3", "the search of ff has no option 'bach'"),
        ("ff.search.time_limit=3", "limits are the same for all"),
        ("ff.other.batch=3", "there is no table 'other'"),
    ],
)
def test_settings_that_nobody_would_read_are_refused_at_once(
    goalward: Goalward, blocks: Files, states: list[Path], setting: str, words: str
) -> None:
    outcome = compare(goalward, blocks, states, "--methods", "n-rsl,ff", "--set", setting)
    assert (outcome.code, outcome.out) == (36, "")
    assert outcome.last_error.startswith(f"--set {setting}: ")
    assert words in outcome.last_error


@pytest.mark.parametrize("name", ["lama", "fd-ff"])
def test_without_fast_downward_it_says_what_to_install(
    goalward: Goalward, blocks: Files, states: list[Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (fast_downward, comparison):
        monkeypatch.setattr(module, "find_driver", lambda: None)
    outcome = compare(goalward, blocks, states, "--methods", f"ff,{name}")
    assert (outcome.code, outcome.out) == (36, "")
    assert outcome.last_error == f"{name} needs Fast Downward: pip install 'goalward[baselines]'"


@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        ("import os; os.kill(os.getpid(), 11)", "failed", "signal 11"),
        ("import time; time.sleep(60)", "out of time", ""),
        ("import sys; sys.exit(22)", "out of memory", ""),
        ("print('hello')", "failed", "wrote none"),
    ],
)
def test_what_goes_wrong_in_fast_downward_is_told_as_that(
    goalward: Goalward,
    blocks: Files,
    states: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    status: str,
    reason: str,
) -> None:
    driver = tmp_path / "fast-downward.py"
    driver.write_text(script)
    for module in (fast_downward, comparison):
        monkeypatch.setattr(module, "find_driver", lambda: driver)
    outcome = goalward("compare", *blocks.names, states[0], "--methods", "lama", "--time-limit", "1s", "--json")
    (run,) = json.loads(outcome.out)["runs"]
    assert run["status"] == status
    assert reason in (run["error"] or "")


def test_a_teacher_that_teaches_nothing_fails_alone(goalward: Goalward, unsolvable: Files) -> None:
    limits = ("--train-limit", "2s", "--time-limit", "2s")
    outcome = goalward("compare", *unsolvable.names, unsolvable.names[1], "--methods", "tsl,ff", *limits, "--json")
    tsl, ff = json.loads(outcome.out)["methods"]
    assert "nothing to learn from" in tsl["failure"]
    assert (tsl["states"], ff["states"]) == (0, 1)


def test_ctrl_c_shows_what_was_measured_so_far(goalward: Goalward, hard: Files) -> None:
    timer = threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    outcome = goalward("compare", *hard.names, hard.names[1], "--methods", "ff,boot,avi", "--time-limit", "1s")
    timer.join()
    assert outcome.code == 130
    assert [line.split()[0] for line in outcome.out.splitlines()[:3]] == ["method", "ff", "boot"]


# --- methods ---


def test_methods_lists_every_system_with_its_reference(goalward: Goalward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    outcome = goalward("methods")
    assert outcome.code == 0
    for method in METHODS.values():
        (line,) = [line for line in outcome.out.splitlines() if line.split()[:1] == [method.name]]
        assert method.summary in line
        assert method.reference in line


def test_methods_explains_the_options_of_one(goalward: Goalward) -> None:
    outcome = goalward("methods", "boot")
    assert outcome.code == 0
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert "first_length maximum length of a regression in the first round [5]" in lines
    assert "batch_size states in one step of gradient descent [fast 256, paper 64]" in lines
    assert "patience" not in outcome.out, "it has no data set on which it could wait for a lower loss"
    unknown = goalward("methods", "lema")
    assert (unknown.code, "did you mean lama?" in unknown.last_error) == (36, True)
    assert "rollouts" in goalward("methods", "rsl").out


def test_methods_as_json(goalward: Goalward) -> None:
    listed: list[dict[str, Any]] = json.loads(goalward("methods", "--json").out)
    assert [entry["name"] for entry in listed] == list(METHODS)
    (sing,) = [entry for entry in listed if entry["name"] == "sing"]
    own = [(option["name"], option["default"]) for option in sing["options"][:3]]
    assert own == [("searches", 200), ("samples", 500), ("sampler", "uniform")]
    (patience,) = [option for option in sing["options"] if option["name"] == "patience"]
    assert (patience["default"], patience["presets"]) == (None, {"fast": 8, "paper": 2})


# --- train with other methods ---
