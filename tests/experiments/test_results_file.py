"""Results in a small file: what is in it, what is left out, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalward.errors import UsageError
from goalward.experiments.results_file import export_results, import_results, is_results_file
from goalward.experiments.store import FILE_NAME, Store
from report.examples import CONFIG, search, small, store_of, training

PLACE = "rovers/hard/p1"


def copied(folder: Path, source: Path, **meta: Any) -> Store:
    (folder / "copy").mkdir()
    copy = Store(folder / "copy" / FILE_NAME, create=True)
    copy.set_meta(**meta)
    import_results(copy, source)
    return copy


def test_results_come_back_without_what_only_plots_need(tmp_path: Path) -> None:
    entries = [
        *small(),
        training(PLACE, "boot", 3, 7.5, data=[{"samples": 3}]),
        search(
            PLACE, "boot", "s1", seed=3, total_time=1.2345678, initial_h=math.inf, extra={"h_along": [1], "open": 5}
        ),
    ]
    with store_of(tmp_path, entries) as store:
        assert export_results(store, tmp_path / "kept.json") == len(entries)
    assert is_results_file(tmp_path / "kept.json")
    with copied(tmp_path, tmp_path / "kept.json") as copy:
        found = dict(copy.results())
        assert [unit for unit, _ in entries] == list(found)
        trained, searched = (found[unit] for unit, _ in entries[-2:])
        assert trained.extra == {"seconds": 7.5}
        assert (searched.total_time, searched.initial_h, searched.extra) == (1.2346, math.inf, {"open": 5})
        assert copy.meta()["config"] == CONFIG
        assert copy.meta()["imported"][0]["new"] == len(entries)


def test_neither_folders_nor_the_name_of_the_machine_are_published(tmp_path: Path) -> None:
    machine = {"host": "secret", "cores": 2}
    meta = {
        "config": CONFIG | {"benchmark": {"folder": "/home/secret", "share": 0.5}},
        "machine": machine,
        "runs": [{"started": 1.0, "machine": machine}],
    }
    with store_of(tmp_path, small(), meta) as store:
        export_results(store, tmp_path / "kept.json")
    text = (tmp_path / "kept.json").read_text()
    assert "secret" not in text
    assert '"share": 0.5' in text
    assert '"cores": 2' in text


def test_results_of_another_config_are_refused(tmp_path: Path) -> None:
    with store_of(tmp_path, small()) as store:
        export_results(store, tmp_path / "kept.json")
    with pytest.raises(UsageError, match="made with another config"):
        copied(tmp_path, tmp_path / "kept.json", config=CONFIG | {"budgets": {"search": 1.0}})
    methods: Any = [*CONFIG["methods"][:2], {"label": "ff", "method": "add", "options": {}}]
    with Store(tmp_path / "copy" / FILE_NAME) as copy:
        copy.set_meta(config=CONFIG | {"methods": methods})
        with pytest.raises(UsageError, match="the method ff differs"):
            import_results(copy, tmp_path / "kept.json")
        assert not list(copy.results())


def _without_results(table: dict[str, Any]) -> None:
    del table["results"]


def _short_row(table: dict[str, Any]) -> None:
    table["results"][0].pop()


def _text_as_number(table: dict[str, Any]) -> None:
    table["results"][0][table["columns"].index("total_time")] = "soon"


def _newer(table: dict[str, Any]) -> None:
    table["version"] = 99


@pytest.mark.parametrize("damage", [_without_results, _short_row, _text_as_number, _newer])
def test_damaged_files_are_an_error_and_add_nothing(tmp_path: Path, damage: Callable[[dict[str, Any]], None]) -> None:
    path = tmp_path / "kept.json"
    with store_of(tmp_path, small()) as store:
        export_results(store, path)
    table = json.loads(path.read_text())
    damage(table)
    path.write_text(json.dumps(table))
    with pytest.raises(UsageError, match=r"damaged|newer goalward"):
        copied(tmp_path, path)
    with Store(tmp_path / "copy" / FILE_NAME) as copy:
        assert not list(copy.results())
