"""Run with ``disk.c`` preloaded: lets each write, sync and rename of a store, a model, a plan and a report fail once.

Prints one JSON object: for each kind how many calls there were, and what was wrong after which of them.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from goalward.errors import GoalwardError
from goalward.experiments.store import Result, Store, Unit
from goalward.report import write_report
from goalward.task.plan_file import write_bytes_atomically, write_text_atomically

UNITS = [Unit("search", "d", "easy", f"p{i}", "ff", None, "problem") for i in range(3)]
LONG = {"h_along": [0.5] * 20_000}

disk = ctypes.CDLL(None)
disk.fault_at.argtypes = [ctypes.c_long, ctypes.c_char_p]
disk.fault_calls.restype = ctypes.c_long


def with_results(path: Path, n: int) -> None:
    with Store(path, create=True) as store:
        store.add_units(UNITS)
        for unit in UNITS[:n]:
            store.add(Result(unit.id, "solved", solved=True, extra=LONG))


def add_result(path: Path) -> None:
    with Store(path) as store:
        if not store.add(Result(UNITS[1].id, "solved", solved=True, extra=LONG)):
            raise AssertionError("it has a result already")


def finished(path: Path) -> object:
    with Store(path) as store:
        return sorted(store.finished()) if all(result.extra == LONG for _, result in store.results()) else "damaged"


def write_page(path: Path) -> None:
    with Store(path.parent.parent / "results.sqlite") as store:
        write_report(store, path, None)


def page(path: Path) -> object:
    return path.read_bytes() == b"old" or path.read_bytes().endswith(b"</html>\n")


def replace(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data)


# How the old file is made, what is done to it, and what there is to see of it afterwards.
Kind = tuple[Callable[[Path], None], Callable[[Path], None], Callable[[Path], object]]
KINDS: dict[str, Kind] = {
    "store": (lambda path: with_results(path, 1), add_result, finished),
    "model": (replace(b"old"), lambda path: write_bytes_atomically(path, b"x" * 100_000), Path.read_bytes),
    "plan": (replace(b"old"), lambda path: write_text_atomically(path, "(a)\n" * 500), Path.read_bytes),
    "report": (replace(b"old"), write_page, page),
}


def strikes(kind: Kind, root: Path) -> tuple[int, list[str]]:
    make, change, look = kind
    seen, wrong, n = [], [], 0
    while True:
        folder = root / "folder"
        folder.mkdir()
        path = folder / "file"
        make(path)
        if not seen:
            seen.append(look(path))
        disk.fault_at(n, str(folder).encode())  # the first time none fails
        told = ""
        try:
            change(path)
        except GoalwardError as error:
            told = str(error)
        calls = disk.fault_calls()
        disk.fault_at(0, b"")
        now = look(path)
        if n == 0:
            seen.append(now)
            total = calls
        if now not in seen:
            wrong.append(f"call {n} left something else")
        if not told and now != seen[1]:
            wrong.append(f"call {n} lost what was written, and nobody said so")
        if told and "\n" in told:
            wrong.append(f"call {n}: {told}")
        if left := [entry.name for entry in folder.iterdir() if entry.name.startswith(".goalward")]:
            wrong.append(f"call {n} left {left}")
        shutil.rmtree(folder)
        n += 1
        if n > total:
            return total, wrong


if __name__ == "__main__":
    root = Path(sys.argv[1])
    with_results(root / "results.sqlite", 2)
    print(json.dumps({name: strikes(kind, root) for name, kind in KINDS.items()}))
