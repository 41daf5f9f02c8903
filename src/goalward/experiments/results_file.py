"""Results as one JSON file: small enough to be kept in a repository, and complete enough to continue the experiment.

The file has the config, and one line per result. An experiment that imports it does not run these units again. Models,
plans and figures for plots (lists and tables in ``extra``) are left out. A search whose training has a result but no
model any more makes its training run again (see :func:`goalward.experiments.runner.prepare`).

The folder of the benchmark and the name of the machine are left out, because such a file is published.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goalward.errors import UsageError
from goalward.experiments.records import checked_meta, checked_result, checked_unit
from goalward.experiments.store import Result, Store, Unit
from goalward.task.plan_file import write_text_atomically
from goalward.task.store import short_message

FORMAT = "goalward results"
VERSION = 1
_UNIT_COLUMNS = [field.name for field in fields(Unit)]
_RESULT_COLUMNS = [field.name for field in fields(Result) if field.name != "unit"]
_COLUMNS = [*_UNIT_COLUMNS, *_RESULT_COLUMNS]
_COPIED = ("name", "config", "versions", "machine", "units")
"""Meta data that an experiment without a config gets from a file."""
_MADE_WITH = ("budgets", "validation", "steps")
"""Tables of a config that hold for all of its results."""


def export_results(store: Store, path: Path) -> int:
    """Write all results of an experiment to a file; return their number."""
    rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in _rows(store)]
    meta = _published(store.meta()) | {"units": store.counts()["units"]}
    head = {"format": FORMAT, "version": VERSION, "meta": meta, "columns": _COLUMNS}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in head.items()]
    text = "{\n" + "".join(lines) + '"results": [\n' + ",\n".join(rows) + "\n]}\n"
    write_text_atomically(path, text)
    return len(rows)


def _rows(store: Store) -> Iterator[list[Any]]:
    for unit, result in store.results():
        extra = {name: value for name, value in result.extra.items() if not isinstance(value, (list, dict))}
        values = [getattr(unit, name) for name in _UNIT_COLUMNS]
        values += [extra if name == "extra" else getattr(result, name) for name in _RESULT_COLUMNS]
        yield list(map(_short, values))


def _short(value: Any) -> Any:
    """The value with four decimals; infinity, which JSON does not have, becomes text."""
    if isinstance(value, dict):
        return {name: _short(entry) for name, entry in value.items()}
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else str(value)
    return value


def _published(value: Any) -> Any:
    """Meta data without what says where the experiment was run."""
    if isinstance(value, list):
        return [_published(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _published(entry) for key, entry in value.items() if key not in ("host", "folder")}
    return value


def is_results_file(path: Path) -> bool:
    """True if the file was written by :func:`export_results`."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return f'"format": "{FORMAT}"'.encode() in file.read(100)


def import_results(store: Store, path: Path) -> tuple[int, int]:
    """Add the results of a file to a store; return their number, and how many of them are new.

    A store without a config gets that of the file. If it has one, results of the same methods must have been made with
    the same options and limits.
    """
    try:
        table = json.loads(path.read_bytes())
        if table["version"] > VERSION:
            raise UsageError(f"{path}: written by a newer goalward (format {table['version']}, not {VERSION})")
        meta = checked_meta((key, json.dumps(value)) for key, value in table["meta"].items())
        pairs = [_pair(table["columns"], row) for row in table["results"]]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise UsageError(f"{path}: damaged ({short_message(error)})") from None
    stored = store.meta()
    if "config" in stored and "config" in meta:
        _refuse_other(path, stored["config"], meta["config"])
    note = {
        "file": path.name,
        "runs": len(pairs),
        "methods": sorted({unit.method for unit, _ in pairs}),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    added = store.import_results(pairs, note)
    runs = [*meta.get("runs", []), *stored.get("runs", [])]
    known = {key: meta[key] for key in _COPIED if key in meta} if "config" not in stored else {}
    store.set_meta(**known, runs=runs)
    return len(pairs), added


def _pair(columns: list[str], row: list[Any]) -> tuple[Unit, Result]:
    values = dict(zip(columns, row, strict=True))
    unit = checked_unit([values[name] for name in _UNIT_COLUMNS])
    if isinstance(values["initial_h"], str):
        values["initial_h"] = float(values["initial_h"])
    known = {name: values[name] for name in _RESULT_COLUMNS}
    return unit, checked_result(known | {"unit": unit.id, "extra": json.dumps(values["extra"])})


def _refuse_other(path: Path, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """UsageError if results of one config must not be mixed with those of the other."""
    different = [key for key in _MADE_WITH if ours.get(key) != theirs.get(key)]
    methods = {method["label"]: method for method in ours.get("methods", [])}
    different += [
        f"the method {method['label']}"
        for method in theirs.get("methods", [])
        if methods.get(method["label"], method) != method
    ]
    if different:
        raise UsageError(f"{path}: made with another config ({different[0]} differs); import it into another folder")
