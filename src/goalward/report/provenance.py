"""Describes how an experiment was run, from the stored config, runs, machines and versions.

A report may be published, so only the last part of a folder's path is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from goalward.measures import format_duration, format_size
from goalward.report.data import method_tables

Pairs = list[tuple[str, str]]


def provenance_sections(meta: dict[str, Any]) -> list[tuple[str, Pairs]]:
    """The sections of the description, [title, [[name, text], …]]; sections without data are left out."""
    config = meta.get("config")
    sections: list[tuple[str, Pairs]] = []
    if isinstance(config, dict):
        sections += [("Config", _config(config)), ("Methods", _methods(meta))]
    sections += [(title, _pairs(meta.get(title.lower()))) for title in ("Machine", "Versions")]
    runs = [run for run in meta.get("runs") or [] if isinstance(run, dict)]
    sections.append(("Runs", [(_worded(_date, run.get("started")), _difference(run, meta)) for run in runs]))
    notes = [note for note in meta.get("imported") or [] if isinstance(note, dict)]
    sections.append(("Imported", [(_text(note.get("file")), _text(_without(note, "file"))) for note in notes]))
    return [(title, pairs) for title, pairs in sections if pairs]


def _config(config: dict[str, Any]) -> Pairs:
    table = {key: value for key, value in config.items() if not isinstance(value, dict)}
    for name in ("benchmark", "budgets", "validation"):
        table |= {f"{name}.{key}": value for key, value in _table(config.get(name)).items()}
    if not table.get("generate"):
        table["steps"] = None  # steps are only for generated states
    if not table.get("validation.states"):
        table["validation.search"] = None
    words: dict[str, tuple[str, Callable[[Any], str]]] = {
        "name": ("name", _text),
        "benchmark.folder": ("benchmark", lambda folder: PurePath(folder).name),
        "benchmark.domains": ("domains", _choice),
        "benchmark.difficulties": ("difficulties", _choice),
        "benchmark.instances": ("instances of each difficulty", _choice),
        "generate": (
            "generated instances",
            lambda all_: ", ".join(f"{one['domain']} {one['instance']}" for one in all_),
        ),
        "states": ("states of each instance", _choice),
        "steps": ("steps of random walks", _text),
        "seeds": ("seeds", _choice),
        "budgets.train": ("time limit of a training", format_duration),
        "budgets.search": ("time limit of a search", format_duration),
        "budgets.memory": ("memory limit", format_size),
        "validation.states": ("validation states", _text),
        "validation.search": ("time limit of a validation search", format_duration),
        "missing": ("not installed", _choice),
    }
    return [
        (name, _worded(write, table[key]))
        for key, (name, write) in words.items()
        if table.get(key) not in (None, [], (), 0)
    ]


def _methods(meta: dict[str, Any]) -> Pairs:
    """The label of each method, with its system, its options, and the options of its search if there are any."""
    found = []
    for table in method_tables(meta):
        parts = [str(table.get("method", "")), _text(table.get("options") or "default options")]
        parts += [f"search: {_text(table['search'])}"] if table.get("search") else []
        found.append((table["label"], ", ".join(filter(None, parts))))
    return found


def _difference(run: dict[str, Any], meta: dict[str, Any]) -> str:
    """The parts of machine and versions in which a run differs from the last run, which the page shows in full."""
    other = [
        f"{key} {_text(value)}"
        for name in ("machine", "versions")
        for key, value in _table(run.get(name)).items()
        if value != _table(meta.get(name)).get(key)
    ]
    return ", ".join(other) or "as above"


def _worded(write: Callable[[Any], str], value: Any) -> str:
    """The value formatted by ``write``, or as plain text if it has another type, as in a forged store."""
    try:
        return write(value)
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError):
        return _text(value)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _date(seconds: Any) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC") if seconds else "unknown"


def _choice(value: Any) -> str:
    return f"the first {value}" if isinstance(value, int) and value > 1 else "the first" if value == 1 else _text(value)


def _pairs(table: Any) -> Pairs:
    if not isinstance(table, dict):
        return []
    return [(str(key).replace("_", " "), _text(value)) for key, value in table.items() if value not in (None, [], {})]


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(entry)}" for key, entry in value.items() if entry not in (None, [], {}))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return json.dumps(value)
