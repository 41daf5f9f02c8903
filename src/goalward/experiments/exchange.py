"""Export and import of results: Downward Lab's ``properties`` (both ways), Parquet and CSV (export).

Lab identifies runs by domain, problem and algorithm. On export, ``problem`` is ``difficulty/instance/state``, and
``algorithm`` is the method's label, or ``method@seed`` if a method has several seeds. Each run also has goalward's own
keys (``difficulty``, ``instance``, ``state``, ``method``, ``seed``), so exported results can be imported unchanged.

On import, a run without goalward's keys becomes a unit by these rules:

- ``algorithm`` is the method's label, and a whole number under ``seed`` is its seed.
- ``.pddl`` at the end of ``problem`` is dropped. The parts between slashes are difficulty, instance and state:
  ``hard/p35/p1``. A problem without a slash is an instance, and its state is the instance's own, called ``problem``.
- A slash in ``domain`` separates domain and difficulty: ``blocks/hard``.
- If no difficulty is given, it is that of the instance with the same domain and name in the experiment, or ``other``.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goalward.errors import UsageError
from goalward.experiments.store import Result, Store, Unit
from goalward.outward import csv_text
from goalward.task.plan_file import write_bytes_atomically, write_text_atomically
from goalward.task.store import short_message

OTHER = "other"
OWN_STATE = "problem"
MAX_WHOLE = 2**52
"""Whole numbers up to this bound are exact in every format, and fit into the store even when KiB become bytes."""
MAX_PROPERTIES_BYTES = 2**30
"""Maximum size of a properties file after decompression, so that a forged file cannot fill the memory."""

# goalward's statuses and Lab's errors; Lab lists any other status as an unexplained error.
_LAB_ERRORS = {
    "solved": "success",
    "unsolvable": "search-unsolvable",
    "exhausted": "search-unsolved-incomplete",
    "out of expansions": "search-unsolved-incomplete",
    "out of time": "search-out-of-time",
    "out of memory": "search-out-of-memory",
}
_STATUSES = {
    **{error: status for status, error in reversed(_LAB_ERRORS.items())},
    "translate-unsolvable": "unsolvable",
    "translate-out-of-time": "out of time",
    "translate-out-of-memory": "out of memory",
    "search-out-of-memory-and-time": "out of time",
    "timeout": "out of time",
    "out-of-memory": "out of memory",
}
_SAME_NAME = ("expansions", "evaluations", "generated", "plan_length", "cost")
_COLUMNS = [field.name for field in fields(Unit)] + [field.name for field in fields(Result)]


def properties_file(target: Path) -> Path:
    """The file that :func:`export_lab` writes: ``target``, or ``properties`` in it if it is a folder."""
    return target if target.suffix or target.name == "properties" else target / "properties"


def export_lab(store: Store, target: Path) -> int:
    """Write all searches as a Lab ``properties`` file, into a folder or to a file; return their number.

    Lab reads the file ``properties`` of a folder: ``AbsoluteReport()(folder, "report.html")``.
    """
    path = properties_file(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    seeds: dict[str, set[int | None]] = defaultdict(set)
    for unit in store.units():
        seeds[unit.method].add(unit.seed)
    trained: dict[tuple[str, str, str, str, int | None], float | None] = {}
    runs: dict[str, dict[str, Any]] = {}
    host = store.meta().get("machine", {}).get("host", "goalward")
    for unit, result in store.results(with_extra=False):
        key = (unit.domain, unit.difficulty, unit.instance, unit.method, unit.seed)
        if unit.kind == "train":
            trained[key] = result.total_time
        else:
            run = _lab_run(unit, result, several=len(seeds[unit.method]) > 1)
            run |= {"node": host, "training_time": trained.get(key)}
            runs["-".join(run["id"])] = {name: value for name, value in run.items() if value is not None}
    text = json.dumps(runs, indent=2, sort_keys=True).encode()
    write_bytes_atomically(path, lzma.compress(text) if path.suffix == ".xz" else text)
    return len(runs)


def _lab_run(unit: Unit, result: Result, *, several: bool) -> dict[str, Any]:
    algorithm = f"{unit.method}@{unit.seed}" if several and unit.seed is not None else unit.method
    problem = f"{unit.difficulty}/{unit.instance}/{unit.state}"
    error = _LAB_ERRORS.get(result.status, "search-critical-error")
    return {
        "id": [algorithm, unit.domain, problem],
        "run_dir": f"runs/{unit.id}",
        "algorithm": algorithm,
        "domain": unit.domain,
        "problem": problem,
        "difficulty": unit.difficulty,
        "instance": unit.instance,
        "state": unit.state,
        "method": unit.method,
        "seed": unit.seed,
        "coverage": int(result.solved),
        **{name: getattr(result, name) for name in _SAME_NAME},
        "search_time": result.search_time,
        "total_time": result.total_time,
        "planner_time": result.total_time,
        "memory": None if result.memory is None else result.memory // 1024,  # Lab counts in KiB
        "initial_h_value": result.initial_h if result.initial_h is None or math.isfinite(result.initial_h) else None,
        "atoms": result.n_atoms,
        "error": error,
        "unexplained_errors": [result.error or result.status] if error == "search-critical-error" else None,
    }


def import_lab(store: Store, properties: Path) -> tuple[int, int]:
    """Add the runs of a Lab ``properties`` file to a store; return the number of runs, and how many of them are new.

    Results that are in the store already are not changed. ``extra["imported"]`` of an imported result names the file,
    and the store's meta data lists the files under ``imported``.
    """
    path = properties / "properties" if properties.is_dir() else properties
    runs = _read_properties(path)
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for unit in store.units():
        known[unit.domain, unit.instance].add(unit.difficulty)
    placed = []
    for name, run in runs.items():
        try:
            unit = _place(run, known)
            placed.append((unit, _result(unit, run, path.name)))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise UsageError(f"{path}: the run {name[:100]!r} cannot be read: {what[:200]}") from None
    note = {
        "file": _text(path.name),
        "runs": len(placed),
        "methods": sorted({unit.method for unit, _ in placed}),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return len(placed), store.import_results(placed, note)


def _read_properties(path: Path) -> dict[str, dict[str, Any]]:
    try:
        data = path.read_bytes()
        found = json.loads(_unpacked(data) if path.suffix == ".xz" else data)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (ValueError, RecursionError, lzma.LZMAError) as error:
        raise UsageError(f"{path}: not a properties file of Downward Lab ({short_message(error)})") from None
    if not isinstance(found, dict) or not all(isinstance(run, dict) for run in found.values()):
        raise UsageError(f"{path}: not a properties file of Downward Lab (it is not a table of runs)")
    return found


def _unpacked(data: bytes) -> bytes:
    unpacker = lzma.LZMADecompressor()
    text = unpacker.decompress(data, MAX_PROPERTIES_BYTES)
    if not unpacker.eof:
        raise ValueError(f"it is cut short, or has more than {MAX_PROPERTIES_BYTES} bytes")
    return text


def _place(run: dict[str, Any], known: dict[tuple[str, str], set[str]]) -> Unit:
    """The unit of a run, by the rules at the beginning of this file."""
    domain, seed = _name(run, "domain"), run.get("seed")
    seed = seed if isinstance(seed, int) and not isinstance(seed, bool) else None
    if seed is not None and not -MAX_WHOLE <= seed <= MAX_WHOLE:
        raise ValueError(f"its seed must be between -2^52 and 2^52, but is {seed}")
    if all(isinstance(run.get(key), str) and run[key] for key in ("difficulty", "instance", "state", "method")):
        difficulty, instance, method, state = (_name(run, key) for key in ("difficulty", "instance", "method", "state"))
        return Unit("search", domain, difficulty, instance, method, seed, state)
    domain, _, difficulty = domain.partition("/")
    parts = [part for part in _name(run, "problem").removesuffix(".pddl").split("/") if part]
    state = parts.pop() if len(parts) > 1 else OWN_STATE
    instance = parts.pop() if parts else "problem"
    difficulty = parts[-1] if parts else difficulty
    if not difficulty:
        found = known.get((domain, instance), set())
        difficulty = next(iter(found)) if len(found) == 1 else OTHER
    return Unit("search", domain or OTHER, difficulty, instance, _name(run, "algorithm"), seed, state)


def _name(run: dict[str, Any], key: str) -> str:
    if not isinstance(run[key], str) or not run[key].strip():
        raise ValueError(f"its {key} must be a name, but is {run[key]!r}")
    if run[key] != _text(run[key]):
        raise ValueError(f"its {key} has characters that are not valid Unicode")
    return str(run[key])


def _text(value: Any) -> str:
    """The value as text that UTF-8 can encode: lone surrogates become question marks."""
    return str(value).encode("utf-8", "replace").decode()


def _result(unit: Unit, run: dict[str, Any], source: str) -> Result:
    solved = bool(run["coverage"]) if run.get("coverage") is not None else run.get("error") == "success"
    error = str(run.get("error") or "")
    status = "solved" if solved else _STATUSES.get(error, "failed")
    status = "failed" if status == "solved" and not solved else status
    reason = run.get("unexplained_errors")
    memory = _whole(run, "memory")
    return Result(
        unit.id,
        status,
        solved,
        total_time=_number(run, "total_time") or _number(run, "planner_time"),
        search_time=_number(run, "search_time"),
        expansions=_whole(run, "expansions"),
        evaluations=_whole(run, "evaluations"),
        generated=_whole(run, "generated"),
        plan_length=_whole(run, "plan_length"),
        cost=_whole(run, "cost"),
        memory=None if memory is None else memory * 1024,
        initial_h=_number(run, "initial_h_value"),
        n_atoms=_whole(run, "atoms"),
        error=_sentence(reason, error) if status == "failed" else None,
        extra={"imported": source},
    )


def _sentence(reason: Any, error: str) -> str:
    text = "; ".join(map(_text, reason)) if isinstance(reason, list) else _text(reason or "")
    return re.sub(r"\s+", " ", text).strip() or _text(error) or "no reason given"


def _number(run: dict[str, Any], key: str) -> float | None:
    value = run.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"its {key} must be a number, but is {value!r}")
    if isinstance(value, int) and abs(value) > MAX_WHOLE:
        raise ValueError(f"its {key} is too large")
    return float(value) if math.isfinite(value) else None


def _whole(run: dict[str, Any], key: str) -> int | None:
    number = _number(run, key)
    if number is not None and abs(number) > MAX_WHOLE:
        raise ValueError(f"its {key} is {number:g}, which is too large")
    return None if number is None else round(number)


# --- tables ---


def _rows(store: Store) -> Iterator[list[Any]]:
    for unit, result in store.results():
        values = {field.name: getattr(unit, field.name) for field in fields(Unit)}
        values |= {field.name: getattr(result, field.name) for field in fields(Result)}
        values["extra"] = json.dumps(result.extra)
        yield list(values.values())


def export_csv(store: Store, path: Path) -> int:
    """Write one line per result, including trainings, with ``extra`` as JSON; return the number of results."""
    rows = list(_rows(store))
    write_text_atomically(path, csv_text(_COLUMNS, rows))
    return len(rows)


def export_parquet(store: Store, path: Path) -> int:
    """Write the table of :func:`export_csv` as Parquet, with types; needs ``goalward[experiments]``."""
    try:
        import pyarrow  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError("Parquet needs pyarrow, which is not installed: pip install 'goalward[experiments]'") from None
    types = {"int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_()}
    kinds = {field.name: str(field.type).split(" ")[0] for kind in (Unit, Result) for field in fields(kind)}
    schema = pyarrow.schema([(name, types.get(kinds[name], pyarrow.string())) for name in _COLUMNS])
    columns: list[list[Any]] = [[] for _ in _COLUMNS]
    for row in _rows(store):
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    stream = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), stream)
    write_bytes_atomically(path, stream.getvalue())
    return len(columns[0])
