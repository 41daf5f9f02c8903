"""Files when the disk fails: at every single open, write, sync and rename, the old file is whole or the new one is."""

from __future__ import annotations

import builtins
import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goalward.errors import GoalwardError, StoredFileError, WriteError
from goalward.experiments.exchange import export_csv
from goalward.experiments.store import Result, Store, Unit
from goalward.report import write_report
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.plan_file import check_writable, write_text_atomically

UNITS = [Unit("search", "d", "easy", f"p{i}", "ff", None, "problem") for i in range(20)]


def small_model(seed: int) -> Model:
    instance = generate("gripper", size=1)
    domain = parse_domain(instance.domain_text, "domain")
    task = ground(domain, parse_problem(instance.problem_text, "problem", domain))
    floats = lambda *shape: np.full(shape, seed, dtype=np.float32)  # noqa: E731
    return Model(task, NetworkWeights(floats(task.n_atoms, 2), floats(2), (Layer(floats(1, 2), floats(1)),)))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    with Store(path, create=True) as made:
        made.add_units(UNITS)
        made.add_many(Result(unit.id, "solved", solved=True, total_time=1.0) for unit in UNITS)
    return path


def save_model(path: Path, version: int, store: Path) -> None:
    small_model(version).save(path)


def save_plan(path: Path, version: int, store: Path) -> None:
    write_text_atomically(path, f"(move {version})\n" * 1000)


def save_table(path: Path, version: int, store: Path) -> None:
    with Store(store) as held:
        export_csv(held, path) if version else path.write_text("old")


def save_report(path: Path, version: int, store: Path) -> None:
    with Store(store) as held:
        write_report(held, path, None) if version else path.write_text("old")


WRITERS = {"model": save_model, "plan": save_plan, "table": save_table, "report": save_report}


class Disk:
    """Counts what is done to files below a folder and lets one of those calls fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.calls = 0
        self.fails_at: int | None = None
        self.folder = str(folder)
        for name in ("open", "replace", "fsync"):
            monkeypatch.setattr(os, name, self._watched(getattr(os, name), by_path=name != "fsync"))
        real = builtins.open

        def opened(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
            stream = real(file, mode, *rest, **named)
            if "w" in mode and isinstance(file, int):
                stream = _Stream(stream, self)
            return stream

        monkeypatch.setattr(builtins, "open", opened)

    def _watched(self, real: Callable[..., Any], *, by_path: bool) -> Callable[..., Any]:
        def call(first: Any, *rest: Any, **named: Any) -> Any:
            read_only = by_path and rest[:1] == (os.O_RDONLY,)
            if not read_only and (not by_path or str(first).startswith(self.folder)):
                self.step()
            return real(first, *rest, **named)

        return call

    def step(self) -> None:
        self.calls += 1
        if self.calls == self.fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Stream:
    def __init__(self, stream: Any, disk: Disk) -> None:
        self._stream, self._disk = stream, disk

    def write(self, data: bytes) -> int:
        self._stream.write(data[: len(data) // 2])  # a disk that fills up has taken part of it
        self._disk.step()
        return int(self._stream.write(data[len(data) // 2 :]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("there", [False, True], ids=["new", "replaced"])
def test_whatever_fails_the_file_is_the_old_one_or_the_new_one(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., None], there: bool
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    path = folder / "file"
    write(path, 1, store)
    new = path.read_bytes()
    path.unlink()
    old = None
    if there:
        write(path, 0, store)
        old = path.read_bytes()
    with monkeypatch.context() as patched:
        disk = Disk(patched, folder)
        write(path, 1, store)
        steps = disk.calls
    assert steps >= 4, "an open, a write, a sync and a rename at least"
    for failing in range(1, steps + 1):
        path.unlink()
        if old is not None:
            path.write_bytes(old)
        with monkeypatch.context() as patched:
            disk = Disk(patched, folder)
            disk.fails_at = failing
            try:
                write(path, 1, store)
                told = ""
            except WriteError as error:
                told = str(error)
        now = path.read_bytes() if path.exists() else None
        allowed = {old, new} if told else {new}
        assert not told or "No space left on device" in told
        if write is save_report and now is not None and now != old:
            now = new if now.endswith(b"</html>\n") else now  # a page says when it was made
        assert now in allowed, f"call {failing} left something else"
        assert os.listdir(folder) == ([] if now is None else ["file"]), "something is left behind"
        path.touch()


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="a library is built and preloaded")
def test_every_call_to_the_system_may_fail(tmp_path: Path) -> None:
    """The same below Python, where SQLite writes: half a write, then no space; no sync, no rename."""
    library, sources = tmp_path / "disk.so", Path(__file__).parent / "faults"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, sources / "disk.c", "-ldl"], check=True)
    (tmp_path / "files").mkdir()
    run = subprocess.run(
        [sys.executable, sources / "strikes.py", tmp_path / "files"],
        env=os.environ | {"LD_PRELOAD": str(library)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(run.stdout)
    assert {name: wrong for name, (_, wrong) in found.items() if wrong} == {}
    assert found["store"][0] > 20, "writes and syncs of the log and of the file"
    assert all(calls == 4 for name, (calls, _) in found.items() if name != "store"), "write, sync, rename, sync"


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Every file that grows beyond so many bytes meets an error, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_store_that_cannot_grow_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path, create=True) as store:
        store.add_units(UNITS)
        assert store.add(Result(UNITS[0].id, "solved", solved=True))
        long = {"h_along": [0.5] * 200_000}
        with files_end_at(150_000), pytest.raises(StoredFileError, match="cannot be used"):
            store.add(Result(UNITS[1].id, "solved", solved=True, extra=long))
        assert store.finished() == {UNITS[0].id}
        assert store.add(Result(UNITS[1].id, "solved", solved=True, extra=long)), "there is room again"
    with Store(path) as store:
        assert store.finished() == {UNITS[0].id, UNITS[1].id}


def test_a_real_write_that_fails_leaves_the_old_model(tmp_path: Path) -> None:
    path = tmp_path / "model.goalward"
    small_model(0).save(path)
    before = path.read_bytes()
    with files_end_at(len(before) // 2), pytest.raises(WriteError, match="File too large"):
        small_model(1).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.goalward"]


def test_what_cannot_be_written_is_known_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bad in (tmp_path, tmp_path / "none" / "file", tmp_path / ("x" * 300), "a\0b", "/proc/self/none/x"):
        with pytest.raises(WriteError):
            check_writable(bad)
    with pytest.raises(WriteError, match=r"cannot be written \(No such file or directory\)"):
        check_writable("/proc/file")  # the folder is there
    check_writable(tmp_path / "file")
    check_writable("/dev/stdout")
    assert os.listdir(tmp_path) == []
    real = os.open

    def read_only(path: Any, flags: int, *rest: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(GoalwardError, match="Read-only file system"):
        check_writable(tmp_path / "file")
