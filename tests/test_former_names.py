"""The search ``portfolio`` and its part ``landmarks`` were both called ``lama`` once: old words still work."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from goalward.cli.main import run
from goalward.experiments.comparison import parse_methods
from goalward.experiments.config import read_config
from goalward.experiments.store import Result, Unit
from goalward.experiments.summary import summarise
from goalward.learning.methods import METHODS, find_method
from goalward.report import load
from goalward.report.queues import queue_use
from goalward.search import ALGORITHMS, BoundHeuristic, SearchOptions, bind_heuristic, search
from goalward.search.learned import load_model
from goalward.search.model import Model, save_model
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.search.portfolio import LEADS, hybrid_parts, portfolio_parts
from goalward.task.domains import generate
from helpers import make_tiny
from report.examples import search as searched
from report.examples import store_of

CONFIG = """
[[generate]]
domain = "blocks"
parameters = { n = 4 }

[[methods]]
method = "METHOD"

[[methods]]
label = "by-part"
method = "ff"
search = { algorithm = "ALGORITHM", lead = "LEAD" }
"""
OLD = CONFIG.replace("METHOD", "goalward-lama").replace("ALGORITHM", "lama").replace("LEAD", "lama")
NEW = CONFIG.replace("METHOD", "portfolio").replace("ALGORITHM", "portfolio").replace("LEAD", "landmarks")


def any_name(name: str) -> Any:
    """For type checkers, which know the present names alone."""
    return name


def constant(n_atoms: int) -> NetworkWeights:
    layer = Layer(np.zeros((1, 1), dtype=np.float32), np.ones(1, dtype=np.float32))
    return NetworkWeights(np.zeros((n_atoms, 1), dtype=np.float32), np.zeros(1, dtype=np.float32), (layer,))


def model_led_by(lead: str) -> Model:
    task = make_tiny("blocks").task
    figures = {lead: 1.0, "agenda": 2.0}
    info = {"method": "rsl", "lead": lead, "head_start": 0.5, "seconds_by_lead": figures, "expansions_by_lead": figures}
    return Model(task, constant(task.n_atoms), info)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    instance = generate("blocks", n=4, seed=0)
    texts = {"domain.pddl": instance.domain_text, "problem.pddl": instance.problem_text}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in texts]


def test_no_list_of_ours_has_the_name_of_fast_downwards_planner() -> None:
    assert "lama" not in ALGORITHMS
    assert "lama" not in LEADS
    assert "Fast Downward" in METHODS["lama"].summary
    assert [name for name in METHODS if "lama" in name] == ["lama", "lama-full"]


# --- Python ---


def test_search_options_take_old_names() -> None:
    assert SearchOptions(any_name("lama")) == SearchOptions("portfolio")
    assert SearchOptions("hybrid", lead=any_name("lama")) == SearchOptions("hybrid", lead="landmarks")
    assert replace(SearchOptions(), algorithm=any_name("lama")).algorithm == "portfolio"


def test_a_heuristic_takes_the_old_name_of_its_lead() -> None:
    task = make_tiny("blocks").task
    network = bind_network(task, constant(task.n_atoms), lead=any_name("lama"))
    assert network.lead == "landmarks"
    h_ff = bind_heuristic(task, "ff")
    h_ff.lead = any_name("lama")  # set later
    assert search(task, h_ff, SearchOptions("portfolio")).solved
    assert isinstance(network, BoundHeuristic)


@pytest.mark.parametrize("lead", ["lama", "landmarks"])
def test_parts_take_the_old_name_of_what_leads(lead: Any) -> None:
    assert next(part.name for part in portfolio_parts(lead)) == "landmarks"
    assert next(part.name for part in hybrid_parts((1,), lead)) == "landmarks"


# --- the command line ---


def test_plan_takes_the_old_name_of_the_search(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    answers = []
    for name in ("lama", "portfolio"):
        assert run(["plan", *files, "--search", name, "--json"]) == 0
        answer = json.loads(capfd.readouterr().out)
        answers.append((answer["plan"], answer["expansions_by_queue"], answer["led_by"]))
    assert answers[0] == answers[1]
    assert answers[0][2].startswith("landmarks: ")


def test_methods_explains_the_method_of_the_old_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["methods", "goalward-lama", "--json"]) == 0
    (told,) = json.loads(capfd.readouterr().out)
    assert told["name"] == "portfolio"
    assert find_method("goalward-lama") is METHODS["portfolio"]


def test_help_has_the_new_words_alone(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("plan", "solve"):
        assert run([command, "--help"]) == 0
        told = capfd.readouterr().out
        assert "portfolio" in told
        assert "lama" not in told


@pytest.mark.parametrize(("method", "setting"), [("goalward-lama", "portfolio"), ("portfolio", "goalward-lama")])
def test_compare_takes_old_names_of_methods_searches_and_leads(method: str, setting: str) -> None:
    settings = [f"{setting}.search.lead=lama", "ff.search.algorithm=lama"]
    ours, ff = (one.config for one in parse_methods(f"{method},ff", settings))
    assert (ours.label, ours.method, ours.search) == ("portfolio", "portfolio", {"lead": "landmarks"})
    assert ff.search == {"algorithm": "portfolio"}
    assert ours.search_options(1.0, 1).algorithm == ff.search_options(1.0, 1).algorithm == "portfolio"


# --- stored things ---


def test_a_config_takes_old_names() -> None:
    old, new = (read_config(tomllib.loads(text)) for text in (OLD, NEW))
    assert [replace(one, label="") for one in old.methods] == [replace(one, label="") for one in new.methods]
    assert old.methods[0].label == "goalward-lama", "results that are there stay under their label"


def test_an_experiment_that_was_begun_with_old_names_goes_on() -> None:
    stored = json.loads(json.dumps(read_config(tomllib.loads(OLD)).as_json()))
    stored["methods"][0]["method"] = "goalward-lama"  # as it was written then
    stored["methods"][1]["search"] = {"algorithm": "lama", "lead": "lama"}
    assert read_config(tomllib.loads(OLD)).conflict(stored) is None
    assert read_config(tomllib.loads(NEW)).conflict(stored) is None
    stored["methods"][1]["search"]["lead"] = "agenda"
    assert read_config(tomllib.loads(OLD)).conflict(stored) == "the method by-part"


def test_training_is_compared_with_results_of_the_old_name() -> None:
    def entry(kind: str, method: str, seconds: float, state: str | None = None) -> tuple[Unit, Result]:
        unit = Unit(cast(Any, kind), "d", "e", "i", method, 0, state)
        status = "trained" if kind == "train" else "solved"
        return unit, Result(unit.id, status, solved=kind == "search", total_time=seconds, cost=9)

    found = [
        entry("train", "n-rsl", 60.0),
        entry("search", "n-rsl", 1.0, "s"),
        entry("search", "goalward-lama", 4.0, "s"),
    ]
    assert {one.baseline for one in summarise(found)[0].break_even} == {"goalward-lama"}


def test_a_report_of_old_results_has_the_new_names_of_queues(tmp_path: Path) -> None:
    methods = [
        {"label": "ours", "method": "goalward-lama", "search": {}},
        {"label": "by-ff", "method": "ff", "search": {"algorithm": "lama"}},
    ]
    extra = {"evaluations_by_heuristic": {"ff": 3}, "expansions_by_queue": {"lama: ff": 2}, "led_by": "lama: ff"}
    entries = [searched("blocks/hard/p1", name, "s0", extra=extra) for name in ("ours", "by-ff")]
    new = {
        "evaluations_by_heuristic": {"ff": 3},
        "expansions_by_queue": {"landmarks: ff": 5},
        "led_by": "landmarks: ff",
    }
    entries.append(searched("blocks/hard/p1", "ours", "s1", extra=new))
    with store_of(tmp_path, entries, {"config": {"name": "old", "methods": methods}}) as store:
        ours, by_ff = queue_use(load(store), store)
    assert (ours.expansions, ours.led) == ({"landmarks: ff": 7}, {"landmarks: ff": 2})
    assert (by_ff.expansions, by_ff.led) == ({"landmarks: ff": 2}, {"landmarks: ff": 1})


def test_a_model_file_may_have_the_old_name_of_what_leads(tmp_path: Path) -> None:
    save_model(model_led_by("lama"), tmp_path / "old.goalward")
    model = load_model(tmp_path / "old.goalward")
    assert model.info == model_led_by("landmarks").info
    assert model.task is not None
    assert model.heuristic(model.task).lead == "landmarks"


def test_a_model_made_by_hand_may_have_the_old_name_of_what_leads() -> None:
    model = model_led_by("lama")
    assert model.heuristic().lead == "landmarks"
    assert model.summary()["search_begins_with"] == LEADS["landmarks"]
