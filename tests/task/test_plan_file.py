"""Plan files: read, written, and never half written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import PddlError, UsageError
from goalward.task.plan_file import (
    check_writable,
    format_plan,
    read_plan,
    write_bytes_atomically,
    write_text_atomically,
)

words = st.from_regex(r"[a-z0-9_-]{1,8}", fullmatch=True)


def test_steps_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_bytes(b"; a plan\n(Pick-Up A)\r\n\n  ( stack a  b ) ; on top\n(noop )\n; cost = 3 (unit cost)\xff")
    assert read_plan(path) == [(2, ("pick-up", "a")), (4, ("stack", "a", "b")), (5, ("noop",))]


def test_a_plan_without_steps_is_a_plan_and_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("; cost = 0 (unit cost)\n")
    assert read_plan(tmp_path / "plan") == []
    with pytest.raises(UsageError, match="none: no such file"):
        read_plan(tmp_path / "none")


@pytest.mark.parametrize(
    "line", ["pick-up a", "(pick-up a", "pick-up a)", "()", "( )", "(a) (b)", "(a (b))", "(", ")", "(ä)"]
)
def test_a_line_that_is_no_step_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "plan").write_text(f"(a b)\n{line}\n", encoding="utf-8")
    with pytest.raises(PddlError, match=r"plan:2: expected one step such as '\(move a b\)' but found"):
        read_plan(tmp_path / "plan")


def test_the_last_line_names_the_cost() -> None:
    assert format_plan(["(A b)", "(c)"], 2, unit_cost=True) == "(a b)\n(c)\n; cost = 2 (unit cost)\n"
    assert format_plan([], 7, unit_cost=False) == "; cost = 7 (general cost)\n"


@settings(derandomize=True, database=None, deadline=None, max_examples=50)
@given(st.lists(st.lists(words, min_size=1, max_size=4), max_size=6))
def test_a_written_plan_is_read_back(tmp_path_factory: pytest.TempPathFactory, steps: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("plans") / "plan"
    write_text_atomically(path, format_plan([f"({' '.join(step)})" for step in steps], len(steps), unit_cost=True))
    assert [step for _, step in read_plan(path)] == [tuple(step) for step in steps]


def test_writing_replaces_the_content_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    write_text_atomically(path, "old, and longer than the new one")
    write_text_atomically(str(path), "nü")
    assert path.read_bytes() == "nü".encode()
    write_bytes_atomically(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["plan"]


def test_permissions_are_those_of_an_ordinary_new_file(tmp_path: Path) -> None:
    write_text_atomically(tmp_path / "plan", "x")
    (tmp_path / "other").write_text("x")
    assert stat.S_IMODE((tmp_path / "plan").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_links_are_followed_and_devices_written_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "plan")
    write_text_atomically(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "plan").read_text() == "x"
    reader, writer = os.pipe()
    write_text_atomically(f"/dev/fd/{writer}", "through a pipe")
    os.close(writer)
    with open(reader) as pipe:
        assert pipe.read() == "through a pipe"


def test_places_that_cannot_be_written_to_are_a_matter_of_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place, words in (
        (tmp_path, "is a directory"),
        (tmp_path / "none" / "plan", r"there is no directory .*none"),
        (tmp_path / "file" / "plan", "plan: cannot be written"),
        ("a\0b", "cannot be written"),
        (tmp_path / ("x" * 300), "cannot be written"),
    ):
        with pytest.raises(UsageError, match=words):
            write_text_atomically(place, "x")


def test_a_forbidden_directory_is_a_matter_of_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(13, "whatever the system calls it")

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(UsageError, match=r"plan: cannot be written \(Permission denied\)"):
        write_text_atomically(tmp_path / "plan", "x")


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no writable /dev/shm")
def test_a_file_in_memory_is_replaced_like_any_other() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for text in ("old, and longer than the new one", "new"):
            write_text_atomically(Path(folder) / "plan", text)
        assert (Path(folder) / "plan").read_text() == "new"


@pytest.mark.skipif(not os.path.exists("/proc/self/cwd"), reason="there is no /proc")
def test_a_file_reached_through_the_working_directory_of_a_process_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("old, and longer than the new one", "new"):
        check_writable("/proc/self/cwd/plan")
        write_text_atomically("/proc/self/cwd/plan", text)
    assert (tmp_path / "plan").read_text() == "new"


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"])
def test_an_open_file_is_added_to_under_all_its_names(folder: str, tmp_path: Path) -> None:
    if not os.path.exists(folder):
        pytest.skip(f"there is no {folder}")
    with open(tmp_path / "out", "ab") as out:
        name = f"{folder}/{out.fileno()}"
        (tmp_path / "link").symlink_to(name)
        for path in (name, tmp_path / "link"):
            check_writable(path)
            write_text_atomically(path, "x")
    assert (tmp_path / "out").read_text() == "xx"
    with pytest.raises(UsageError, match="cannot be written"):
        write_text_atomically(name, "x")


def test_links_in_a_circle_are_not_followed_for_ever(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    check_writable(tmp_path / "a")


def test_standard_output_is_added_to_even_where_it_is_an_ordinary_file(tmp_path: Path) -> None:
    code = (
        "from goalward.task.plan_file import write_text_atomically as w; w('/dev/stdout', 'a'); w('/dev/stdout', 'b')"
    )
    with open(tmp_path / "out", "ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "ab"


def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def recording(*arguments: Any, name: str = name, real: Any = real) -> Any:
            calls.append(name)
            return real(*arguments)

        monkeypatch.setattr(os, name, recording)
    write_text_atomically(tmp_path / "plan", "x")
    assert calls == ["fsync", "replace", "fsync"]  # the file, its name, and the folder that holds the name


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_content_and_no_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, call: str
) -> None:
    path = tmp_path / "plan"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, call, fail)
    expected = UsageError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_text_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["plan"]
