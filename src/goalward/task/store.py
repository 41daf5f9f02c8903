"""Stores a grounded task in one file, so that it can be loaded without PDDL and without the translator.

The file is in safetensors format: arrays, names and texts as UTF-8 bytes, and one JSON header. Saving the same task
twice gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from goalward.errors import StoredFileError, UsageError
from goalward.outward import finite
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.strips import Rows, Task

FORMAT = "goalward-task"
VERSION = 1
DTYPES = frozenset({"F32", "F64", "I32", "I64", "U8", "U64", "BOOL"})
"""The array types in goalward's files, by their names in safetensors."""

REMEDIES = {
    "model": "make a model with goalward train",
    "domain model": "make a model with goalward train-domain",
    "task": "store a task with goalward inspect DOMAIN PROBLEM --save FILE",
}
"""The advice in errors about a file that cannot be used, by kind of file."""

Arrays = dict[str, npt.NDArray[Any]]


def task_arrays(task: Task) -> Arrays:
    """All fields of a task as named arrays."""
    arrays: Arrays = {}
    for field in fields(task):
        value = getattr(task, field.name)
        if field.name == "other_inits" and not len(value):
            continue
        if isinstance(value, Rows):
            arrays[f"{field.name}.offsets"] = value.offsets
            arrays[f"{field.name}.values"] = value.values
        elif isinstance(value, np.ndarray):
            arrays[field.name] = value
        elif isinstance(value, bool):
            arrays[field.name] = np.array([value], dtype=np.uint8)
        else:
            text = value if isinstance(value, str) else "\n".join(value)
            arrays[field.name] = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    return arrays


def task_from_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> Task:
    """The task stored in the arrays; raises KeyError or ValueError if they are incomplete or inconsistent."""
    values: dict[str, Any] = {}
    for field in fields(Task):
        kind = str(field.type)
        if field.name == "other_inits" and "other_inits.offsets" not in arrays:
            continue  # the task has one initial state
        if kind == "Rows":
            values[field.name] = Rows(arrays[f"{field.name}.offsets"], arrays[f"{field.name}.values"])
        elif kind == "Ints":
            values[field.name] = arrays[field.name]
        elif kind == "bool":
            values[field.name] = bool(arrays[field.name][0])
        else:
            text = arrays[field.name].tobytes().decode("utf-8")
            values[field.name] = text if kind == "str" else tuple(text.split("\n")) if text else ()
    task = Task(**values)
    _check(task)
    return task


def _check(task: Task) -> None:
    """Raise ValueError if the arrays are inconsistent: native code does not check them again."""
    operator_rows = (task.pre, task.add, task.delete)
    all_rows = (*operator_rows, task.mutex_groups, task.other_inits)
    flat = [task.costs, task.init, task.goal, task.complement_of]
    flat += [array for rows in all_rows for array in (rows.offsets, rows.values)]
    ok = all(array.dtype == np.int32 and array.ndim == 1 for array in flat)
    ok = ok and all(len(rows) == task.n_operators for rows in operator_rows) and len(task.costs) == task.n_operators
    ok = ok and len(task.complement_of) == task.n_atoms and bool((task.costs >= 0).all())
    for rows in all_rows:
        # Compare neighbours instead of subtracting them: differences of 32-bit integers may overflow.
        ok = (
            ok
            and len(rows.offsets) > 0
            and rows.offsets[0] == 0
            and bool((rows.offsets[:-1] <= rows.offsets[1:]).all())
        )
        ok = ok and rows.offsets[-1] == len(rows.values) and _ascending(rows)
    ok = ok and all(bool((atoms[:-1] < atoms[1:]).all()) for atoms in (task.init, task.goal))
    for lowest, array in [(0, task.init), (0, task.goal), (-1, task.complement_of), *((0, r.values) for r in all_rows)]:
        ok = ok and bool(((array >= lowest) & (array < task.n_atoms)).all())
    if not ok:
        raise ValueError("arrays do not fit together")
    if any(task.violated_group(state) is not None for state in task.inits):
        raise ValueError("two atoms of an initial state exclude each other")


def _ascending(rows: Rows) -> bool:
    """True if every row is strictly ascending, as binary search in native code requires."""
    same_row = np.ones(max(len(rows.values) - 1, 0), dtype=bool)
    starts = rows.offsets[1:-1]
    same_row[starts[(starts > 0) & (starts < len(rows.values))] - 1] = False
    return bool((rows.values[:-1] < rows.values[1:])[same_row].all())


def save_task(task: Task, path: str | Path) -> None:
    """Write the task to one file, atomically."""
    header = json.dumps({"format": FORMAT, "version": VERSION}, sort_keys=True)
    write_bytes_atomically(path, save(task_arrays(task), metadata={"goalward": header}))


def load_task(path: str | Path) -> Task:
    """Read a task written by :func:`save_task`."""
    _, arrays = read_safetensors(path, FORMAT, VERSION, "task")
    try:
        return task_from_arrays(arrays)
    except (KeyError, ValueError, IndexError) as error:
        raise StoredFileError(f"{path}: damaged task ({short_message(error)})") from None


def stored_format(path: str | Path) -> str | None:
    """The goalward format named in a file's header; None if the file is not in one."""
    try:
        with safe_open(str(path), framework="numpy") as file:
            name = _header(file).get("format")
            return name if isinstance(name, str) else None
    except (SafetensorError, ValueError, RecursionError, OSError):
        return None


def _header(file: Any) -> dict[str, Any]:
    """The JSON object in a file's header, with None for infinity and NaN; raises ValueError if it is not an object."""
    header = finite(json.loads((file.metadata() or {}).get("goalward", "{}")))
    if not isinstance(header, dict):
        raise ValueError("its header is not a table")
    return header


def _array(file: Any, name: str) -> npt.NDArray[Any]:
    """Read one array; raises ValueError for types that goalward does not write, some of which NumPy does not know."""
    described = file.get_slice(name)
    if described.get_dtype() not in DTYPES or any(length >= 2**31 for length in described.get_shape()):
        raise ValueError(f"the array {name} has a type or size that goalward does not write")
    array: npt.NDArray[Any] = file.get_tensor(name)
    return array


def read_safetensors(path: str | Path, format_name: str, version: int, what: str) -> tuple[dict[str, Any], Arrays]:
    """Read the header and arrays of a file in one of goalward's formats; ``what`` names the kind of file in errors."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: is a directory, not a file" if Path(path).is_dir() else f"{path}: no such file")
    try:
        with safe_open(str(path), framework="numpy") as file:
            header = _header(file)
            if header.get("format") != format_name:
                raise StoredFileError(f"{path}: not a {what} stored by goalward{_what_it_is(header, what)}")
            if header.get("version") != version:
                raise StoredFileError(
                    f"{path}: {what} format {str(header.get('version'))[:20]}, but this goalward reads {version}: "
                    f"install a newer version of goalward, or {REMEDIES.get(what, 'store it again')}"
                )
            return header, {name: _array(file, name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, OverflowError, RecursionError, OSError) as error:
        if _is_text(path):
            remedy = REMEDIES.get(what, "store one")
            raise StoredFileError(f"{path}: a text file, not a {what} stored by goalward: {remedy}") from None
        raise StoredFileError(
            f"{path}: damaged or not a {what} stored by goalward ({short_message(error)}): "
            f"copy it again, or {REMEDIES.get(what, 'store it again')}"
        ) from None


def _what_it_is(header: dict[str, Any], what: str) -> str:
    found = str(header.get("format"))
    if re.fullmatch(r"goalward-[a-z-]{1,30}", found):
        return f", but a {found.removeprefix('goalward-').replace('-', ' ')}"
    return f": {REMEDIES[what]}" if what in REMEDIES else ""


def _is_text(path: str | Path) -> bool:
    with Path(path).open("rb") as file:
        beginning = file.read(4096)
    return bool(beginning) and b"\0" not in beginning and beginning.lstrip()[:1] in (b"(", b";")


def require_int(value: Any) -> int:
    """Return a value of a header if it is a whole number; otherwise raise ValueError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{str(value)[:20]!r} is not a whole number")
    return value


def short_message(error: Exception) -> str:
    """The text of an error, cut to 200 characters: a hostile file can make it arbitrarily long."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:200]}…"
