"""Commands take model files of every kind: one that they have never heard of is one file and one line in a table."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from goalward.search import BoundHeuristic, bind_heuristic
from goalward.search.learned import KINDS, ModelKind, load_model
from goalward.search.model import Model, save_model
from goalward.search.planning import LearnedModel
from goalward.search.starts import Start
from goalward.task.grounding import ground_files
from goalward.task.store import read_safetensors, stored_format
from goalward.task.strips import Task
from helpers import ground_texts, whole_number_network

from .program import Bundled, Files, Goalward


@dataclass(frozen=True, eq=False)
class WeightedGoals(LearnedModel):
    """As another kind of model could look: the goals that are open count so much each, in any problem of a domain."""

    domain_text: str
    weight: int
    info: dict[str, Any] = field(default_factory=dict)
    task: None = None

    def check_domain(self, text: str, source: str) -> None:
        assert text == self.domain_text

    def start(self, text: str, source: str) -> Start:
        task = ground_texts(self.domain_text, text)
        return Start(task, task.init, text, source)

    def heuristic(self, task: Task) -> BoundHeuristic:
        def weighted_goals(states: np.ndarray[Any, Any]) -> Any:
            return self.weight * (1 - states[:, task.goal]).sum(axis=1)

        return bind_heuristic(task, weighted_goals)

    def with_settings(self, **settings: int) -> WeightedGoals:
        return replace(self, weight=settings.pop("message_steps"), **settings)

    def save(self, path: str | Path) -> None:
        raise NotImplementedError

    def summary(self, *, details: bool = False) -> dict[str, Any]:
        return {"method": "weighted goals", "weight": self.weight}


def load_weighted_goals(path: str | Path) -> LearnedModel:
    header, arrays = read_safetensors(path, "test-weighted-goals", 1, "model of weighted goals")
    return WeightedGoals(arrays["domain"].tobytes().decode(), header["weight"])


@pytest.fixture
def blocks(bundled: Bundled) -> Files:
    return bundled("blocks", n=3)


@pytest.fixture
def model(blocks: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(KINDS, "test-weighted-goals", ModelKind(__name__, load_weighted_goals.__name__))
    header = {"format": "test-weighted-goals", "version": 1, "weight": 5}
    text = np.frombuffer(blocks.domain.read_bytes(), dtype=np.uint8)
    save_file({"domain": text}, tmp_path / "goals.goalward", metadata={"goalward": json.dumps(header)})
    return tmp_path / "goals.goalward"


def test_plan_takes_it(goalward: Goalward, blocks: Files, model: Path) -> None:
    open_goals = goalward("plan", *blocks.names, "-H", "goalcount").number(
        r"Initial heuristic value for goalcount: (\d)"
    )
    name = "Initial heuristic value for weighted_goals"
    for options, weight in (((), 5), (("--message-steps", "7"), 7)):
        outcome = goalward("plan", *blocks.names, "--model", model, "--search", "gbfs", *options)
        assert (outcome.code, outcome.number(rf"{name}: (\d+)")) == (0, weight * open_goals)


def test_solve_takes_it(goalward: Goalward, blocks: Files, model: Path, bundled: Bundled) -> None:
    larger = bundled("blocks", n=4)
    outcome = goalward("solve", model, blocks.problem, larger.problem)
    assert outcome.code == 0
    assert "Solved 2 of 2 states, every plan valid.\n" in outcome.out


def test_inspect_takes_it(goalward: Goalward, model: Path) -> None:
    facts = json.loads(goalward("inspect", model, "--json").out)
    assert (facts["method"], facts["weight"]) == ("weighted goals", 5)


def test_the_table_names_the_formats_that_are_written(blocks: Files, tmp_path: Path) -> None:
    task = ground_files(*blocks.names)
    save_model(Model(task, whole_number_network(task)), tmp_path / "one.goalward")
    assert stored_format(tmp_path / "one.goalward") in KINDS
    loaded = load_model(tmp_path / "one.goalward")
    assert isinstance(loaded, Model)
