"""Results and configs made to do harm: imports that fail add nothing, damaged stores are refused in a sentence."""

from __future__ import annotations

import csv
import json
import lzma
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalward.cli.main import run
from goalward.errors import StoredFileError, UsageError
from goalward.experiments import store as stores
from goalward.experiments.config import read_config
from goalward.experiments.exchange import export_csv, import_lab
from goalward.experiments.store import Result, Store, Unit

RUN: dict[str, Any] = {"domain": "blocks", "problem": "p1.pddl", "algorithm": "lama", "coverage": 1, "cost": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store(tmp_path / "results.sqlite", create=True) as made:
        unit = Unit("search", "d", "easy", "p1", "ff", None, "problem")
        training = Unit("train", "d", "easy", "p1", "n-rsl", 0)
        made.add_units([unit, training])
        made.add(Result(unit.id, "solved", solved=True, total_time=1.5, plan_length=3, extra={"h_along": [1.0, 0.0]}))
        made.add(Result(training.id, "trained", total_time=2.0, extra={"curve": [[1, 2.0, 3.0, 0.1]], "notes": {}}))
        made.set_meta(name="x", config={"methods": []}, runs=[], machine={"host": "h"}, versions={})
    return tmp_path


BAD_RUNS: dict[str, dict[str, Any]] = {
    "1e30": {"cost": 1e30},
    "10**40": {"expansions": 10**40},
    "10**400": {"total_time": 10**400},
    "memory": {"memory": 2**62},
    "seed": {"seed": 2**70},
    "surrogate in the domain": {"domain": "a\ud800b"},
    "surrogate in our own names": {"difficulty": "a", "instance": "b\udfff", "state": "c", "method": "d"},
    "text as a number": {"total_time": "1"},
}


@pytest.mark.parametrize("change", BAD_RUNS.values(), ids=BAD_RUNS)
def test_one_bad_run_among_good_ones_and_nothing_is_imported(folder: Path, change: dict[str, Any]) -> None:
    properties = folder / "properties"
    properties.write_text(json.dumps({"good": RUN, "bad": {**RUN, "problem": "p2", **change}}))
    with Store(folder / "results.sqlite") as store:
        before = store.units(), store.counts(), store.meta()
        with pytest.raises(UsageError, match="the run 'bad' cannot be read"):
            import_lab(store, properties)
        assert (store.units(), store.counts(), store.meta()) == before


def test_an_import_that_fails_half_way_adds_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    properties = folder / "properties"
    properties.write_text(json.dumps({"good": RUN}))
    with Store(folder / "results.sqlite") as store:
        before = store.units(), store.counts(), store.meta()
        monkeypatch.setattr(store, "_put_results", lambda rows: (_ for _ in ()).throw(sqlite3.OperationalError("full")))
        with pytest.raises(StoredFileError, match="full"):
            import_lab(store, properties)
        monkeypatch.undo()
        assert (store.units(), store.counts(), store.meta()) == before
        assert import_lab(store, properties) == (1, 1)


def test_reasons_with_half_characters_are_kept_as_text(folder: Path) -> None:
    properties = folder / "properties"
    properties.write_text(json.dumps({"bad": {**RUN, "coverage": 0, "unexplained_errors": ["a\ud800b"]}}))
    with Store(folder / "results.sqlite") as store:
        assert import_lab(store, properties) == (1, 1)
        assert [reason for reason, _ in store.failures()] == ["a?b"]


def test_a_properties_file_that_unpacks_to_no_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goalward.experiments.exchange.MAX_PROPERTIES_BYTES", 10_000)
    packed = folder / "properties.xz"
    packed.write_bytes(lzma.compress(b" " * 100_000))
    with Store(folder / "results.sqlite") as store, pytest.raises(UsageError, match="more than 10000 bytes"):
        import_lab(store, packed)


@pytest.mark.parametrize("name", ["lama[/first]", "[red]ff[/]", "a\x1b[2Jb", "=cmd|' /C calc'!A0"])
def test_names_of_others_are_shown_and_not_obeyed(folder: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    (folder / "properties").write_text(json.dumps({"one": {**RUN, "algorithm": name}}))
    assert run(["experiment", "import", str(folder), str(folder / "properties")]) == 0
    assert run(["experiment", "status", str(folder)]) == 0
    shown = capfd.readouterr().out
    assert name.replace("\x1b", "\\x1b") in shown
    with Store(folder / "results.sqlite") as store:
        export_csv(store, folder / "results.csv")
    rows = list(csv.DictReader((folder / "results.csv").read_text().splitlines()))
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())


def test_no_grid_leads_out_of_the_folder() -> None:
    config = read_config(
        {
            "methods": [
                {"method": "hgn", "options": {}, "grid": {"model": ["../../x/{domain}.goalward", "/etc/passwd"]}}
            ],
            "generate": [{"domain": "blocks", "size": 3}],
        }
    )
    labels = [method.label for method in config.methods]
    assert len(set(labels)) == 2
    assert not any("/" in label for label in labels)
    assert [one.options["model"] for one in config.methods] == ["../../x/{domain}.goalward", "/etc/passwd"]


DAMAGE: dict[str, str] = {
    "meta is no JSON": "UPDATE meta SET value = '{' WHERE key = 'config'",
    "config is a number": "UPDATE meta SET value = '7' WHERE key = 'config'",
    "runs of texts": """UPDATE meta SET value = '["a"]' WHERE key = 'runs'""",
    "an unknown kind": "UPDATE units SET kind = 'dance'",
    "a seed that is a text": "UPDATE units SET seed = 'abc'",
    "a method that is bytes": "UPDATE units SET method = x'ff00'",
    "a time that is a text": "UPDATE results SET total_time = 'soon'",
    "a length of bytes": "UPDATE results SET plan_length = x'00'",
    "extra is no JSON": "UPDATE results SET extra = 'x'",
    "extra is a list": "UPDATE results SET extra = '[]'",
    "extra 100,000 deep": "UPDATE results SET extra = '" + "[" * 100_000 + "'",
    "curve of texts": """UPDATE results SET extra = '{"curve": ["a"]}'""",
    "a time without end": "UPDATE results SET total_time = 9e999",
    "descent of single numbers": """UPDATE results SET extra = '{"best_h_over_time": [[1]]}'""",
    "no table of units": "DROP TABLE units",
    "no column": "ALTER TABLE results DROP COLUMN extra",
}
COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "status": lambda folder: ["status", str(folder)],
    "report": lambda folder: ["report", str(folder), "-o", str(folder / "report.html")],
    "csv": lambda folder: ["export", str(folder), "--csv", str(folder / "out.csv")],
    "lab": lambda folder: ["export", str(folder), "--lab", str(folder / "out")],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_store_is_refused_in_one_sentence_or_does_no_harm(
    folder: Path, capfd: pytest.CaptureFixture[str], damage: str
) -> None:
    with sqlite3.connect(folder / "results.sqlite") as database:
        database.execute(damage)
    database.close()
    codes = {}
    for name, command in COMMANDS.items():
        codes[name] = run(["experiment", *command(folder)])
        told = capfd.readouterr().err
        assert codes[name] in {0, 36}, (name, told)
        assert told.count("\n") == (codes[name] == 36), told
        assert len(told) < 600, told
    assert 36 in codes.values(), "nobody noticed"


FACTS: dict[str, tuple[str, str]] = {
    "a start that is a text": ("runs", '[{"started": "soon"}]'),
    "a start beyond all time": ("runs", '[{"started": 1e30}]'),
    "a budget that is a text": ("config", '{"budgets": {"train": "long", "memory": []}, "benchmark": {"folder": 3}}'),
    "generated instances without names": ("config", '{"generate": [{}], "validation": 7}'),
    "methods that are a number": ("config", '{"methods": 7}'),
    "no machine": ("machine", "null"),
    "no runs": ("runs", "null"),
    "half a character": ("name", '"a\\ud800b"'),
    "a machine that is a list of half characters": ("machine", '{"host": ["\\udfff"]}'),
}


@pytest.mark.parametrize(("key", "value"), FACTS.values(), ids=FACTS)
def test_facts_that_no_words_fit_are_shown_as_they_are(
    folder: Path, capfd: pytest.CaptureFixture[str], key: str, value: str
) -> None:
    with sqlite3.connect(folder / "results.sqlite") as database:
        database.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
    database.close()
    for command in COMMANDS.values():
        assert run(["experiment", *command(folder)]) == 0, capfd.readouterr().err


def test_bytes_of_another_file_are_no_store(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = folder / "results.sqlite"
    data = bytearray(path.read_bytes())
    data[100:3000] = os.urandom(2900)
    path.write_bytes(data)
    for command in COMMANDS.values():
        assert run(["experiment", *command(folder)]) == 36
        assert capfd.readouterr().err.count("\n") == 1


def test_results_in_a_folder_where_nobody_may_write_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores.os, "access", lambda path, mode: False)
    with Store(folder / "results.sqlite") as store:
        assert store.counts()["done"] == 2
        with pytest.raises(StoredFileError, match=r"cannot be used: attempt to write a readonly database"):
            store.set_meta(name="y")
    (folder / "results.sqlite-wal").write_bytes(b"x")
    with pytest.raises(UsageError, match="copy both"):
        Store(folder / "results.sqlite")
