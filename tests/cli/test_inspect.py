"""``goalward inspect``: the figures of a grounded task, as text, as JSON, and of a stored task."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from goalward.search.model import Model, save_model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.grounding import ground_files
from goalward.task.store import load_task
from helpers import make_tiny

from .program import DOMAIN, PROBLEM, Bundled, Files, Goalward, Outcome, replaced, write_files


def facts(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0
    found = json.loads(outcome.out)
    assert found.pop("seconds") >= 0
    return found


def test_the_figures_are_those_of_the_problem(goalward: Goalward, trains: Files) -> None:
    assert facts(goalward("inspect", *trains.names, "--json")) == {
        "domain": "trains",
        "problem": "two-tracks",
        "atoms": 3,
        "complement_atoms": 0,
        "operators": 2,
        "goal_atoms": 1,
        "true_initially": 1,
        "initial_states": 1,
        "mutex_groups": 1,
        "largest_mutex_group": 3,
        "atoms_in_mutex_groups": 3,
        "uses_costs": True,
        "search_variables": 1,
        "search_bits_per_state": 2,
        "search_bytes_per_state": 4,
    }


def test_complements_are_counted(goalward: Goalward, tmp_path: Path) -> None:
    domain = replaced(DOMAIN, "(at ?t ?from) (track", "(at ?t ?from) (not (at ?t ?to)) (track")
    found = facts(goalward("inspect", *write_files(tmp_path, domain, PROBLEM).names, "--json"))
    assert (found["complement_atoms"], found["atoms"]) == (2, 5)


def sections(outcome: Outcome) -> dict[str, dict[str, str]]:
    """The text by headings, names and values."""
    assert outcome.code == 0
    found: dict[str, dict[str, str]] = {}
    for line in outcome.out.partition("\n\n")[0].splitlines():
        if line.startswith("  "):
            name, value = re.split(r"  +", line.strip(), maxsplit=1)
            found[list(found)[-1]][name] = value
        else:
            found[line] = {}
    return found


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def test_text_and_json_say_the_same(goalward: Goalward, bundled: Bundled) -> None:
    files = bundled("storage")
    expected = facts(goalward("inspect", *files.names, "--json"))
    shown = sections(goalward("inspect", *files.names))
    assert shown == {"Task": {name.replace("_", " "): as_text(value) for name, value in expected.items()}}


def test_a_model_is_shown_in_sections_and_not_as_python_writes_it(goalward: Goalward, tmp_path: Path) -> None:
    task = make_tiny("blocks").task
    options = {"samples": 500, "random_share": 0.5, "sampler": None, "trials": 2}
    info = {"method": "n-rsl", "options": options, "versions": {"torch": "2.0"}, "trials": [{}, {}]}
    output = Layer(np.ones((1, 3), dtype=np.float32), np.zeros(1, dtype=np.float32))
    zeros = np.zeros((task.n_atoms, 3), dtype=np.float32)
    save_model(Model(task, NetworkWeights(zeros, zeros[0], (output,)), info), tmp_path / "model")
    outcome = goalward("inspect", tmp_path / "model")
    assert not re.search(r"[{}'\[\]]|None|True|False", outcome.out)
    shown = sections(outcome)
    assert list(shown) == ["Task", "Model", "Options", "Versions"]
    assert shown["Task"]["atoms"] == str(task.n_atoms)
    assert (shown["Model"]["method"], shown["Model"]["trials"]) == ("n-rsl", "2")
    assert shown["Options"] == {"samples": "500", "random_share": "0.5", "sampler": "-", "trials": "2"}
    assert shown["Versions"] == {"torch": "2.0"}


def test_a_stored_task_has_the_same_figures(goalward: Goalward, bundled: Bundled, tmp_path: Path) -> None:
    files = bundled("lights")
    stored = tmp_path / "lights.task"
    expected = facts(goalward("inspect", *files.names, "--save", stored, "--json"))
    assert facts(goalward("inspect", stored, "--json")) == expected
    assert load_task(stored).operators == ground_files(*files.names).operators
    outcome = goalward("inspect", *files.names, "--save", stored)
    assert outcome.out.endswith(f"stored in {stored}\n")


def damaged(folder: Path, stored: bytes) -> list[Path]:
    contents = [b"", b"x", stored[:8], stored[:100], stored[:-1], stored + b"x", b"\xff" * 8 + stored[8:]]
    paths = [folder / f"damaged{i}" for i in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


def test_a_file_that_is_no_stored_task_is_refused(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    stored = tmp_path / "a.task"
    goalward("inspect", *trains.names, "--save", stored)
    for path in (*damaged(tmp_path, stored.read_bytes()), trains.domain, tmp_path, tmp_path / "none"):
        outcome = goalward("inspect", path)
        assert outcome.code == 36
        assert outcome.error.startswith(f"{path}: ")
