"""The provenance of results in words, without the folders of a user."""

from __future__ import annotations

from typing import Any

import pytest

from goalward.report.provenance import provenance_sections

VERSIONS = {"goalward": "1.0", "numpy": "2.0"}


def test_a_config_is_told_in_words() -> None:
    config = {
        "name": "mine",
        "benchmark": {"folder": "/home/somebody/ferber", "domains": None, "difficulties": ["hard"], "instances": 1},
        "generate": [],
        "states": 3,
        "steps": 200,
        "seeds": [0, 1],
        "budgets": {"train": 60.0, "search": 20.0, "memory": 2**32, "grace": 30.0},
        "validation": {"states": 10, "search": 2.0},
        "methods": [
            {"label": "short", "method": "n-rsl", "options": {"length": 50}},
            {"label": "ff", "method": "ff", "options": {}},
        ],
        "slurm": {"walltime": "24:00:00"},
        "missing": ["lama"],
    }
    told = dict(provenance_sections({"config": config}))
    assert dict(told["Config"]) == {
        "name": "mine",
        "benchmark": "ferber",
        "difficulties": "hard",
        "instances of each difficulty": "the first",
        "states of each instance": "the first 3",
        "seeds": "0, 1",
        "time limit of a training": "1 m 00 s",
        "time limit of a search": "20.0 s",
        "memory limit": "4.0 GiB",
        "validation states": "10",
        "time limit of a validation search": "2.00 s",
        "not installed": "lama",
    }
    assert told["Methods"] == [("short", "n-rsl, length 50"), ("ff", "ff, default options")]


def test_generated_instances_say_how_their_states_were_made() -> None:
    config = {
        "generate": [{"domain": "blocks", "instance": "b5"}],
        "steps": 200,
        "validation": {"states": 0, "search": 2.0},
    }
    told = dict(dict(provenance_sections({"config": config}))["Config"])
    assert told == {"generated instances": "blocks b5", "steps of random walks": "200"}


def test_runs_tell_only_what_differs_from_the_last() -> None:
    old = {"started": 0.5, "versions": VERSIONS | {"numpy": "1.26"}, "machine": {"cores": 4}}
    new = {"started": 86400.0, "versions": VERSIONS, "machine": {"cores": 4}}
    told = dict(provenance_sections({"runs": [old, new], "versions": VERSIONS, "machine": {"cores": 4}}))
    assert told["Runs"] == [("1970-01-01 00:00 UTC", "numpy 1.26"), ("1970-01-02 00:00 UTC", "as above")]
    assert told["Versions"] == [("goalward", "1.0"), ("numpy", "2.0")]


@pytest.mark.parametrize("meta", [{}, {"config": None}, {"runs": None, "imported": "?"}, {"versions": []}])
def test_an_experiment_that_remembers_nothing_has_no_sections(meta: dict[str, Any]) -> None:
    assert provenance_sections(meta) == []


def test_imported_files_are_named() -> None:
    note = {"file": "properties", "runs": 3, "new": 2, "methods": ["lama"]}
    assert provenance_sections({"imported": [note]}) == [("Imported", [("properties", "runs 3, new 2, methods lama")])]
