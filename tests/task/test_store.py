"""Stored tasks: the same task back, the same bytes again, and one clear sentence for every file that is none."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from goalward import _core
from goalward.errors import ExitCode, GoalwardError, StoredFileError
from goalward.task.store import FORMAT, VERSION, load_task, save_task, task_arrays, task_from_arrays
from goalward.task.strips import Task
from helpers import Tiny, make_tiny
from oracle import make_task, strips_tasks


def test_a_task_comes_back_equal(tiny: Tiny, tmp_path: Path) -> None:
    path = tmp_path / "tiny.task"
    save_task(make_task(0, [], [], []), path)
    assert load_task(path).equals(make_task(0, [], [], []))
    save_task(tiny.task, path)
    loaded = load_task(path)
    assert loaded.equals(tiny.task)
    assert tiny.task.equals(loaded)
    assert isinstance(loaded.uses_costs, bool)


@given(task=strips_tasks())
def test_arrays_and_back_is_the_same_task(task: Task) -> None:
    assert task_from_arrays(task_arrays(task)).equals(task)


def test_equality_sees_every_field() -> None:
    task, other = make_tiny("blocks").task, make_tiny("blocks", seed=1).task
    assert not task.equals(other)
    for field in ("costs", "init", "goal", "complement_of"):
        arrays = task_arrays(task) | {field: task_arrays(task)[field].copy()}
        if field == "init":
            arrays[field] = arrays[field][1:]  # another atom might exclude one that is there
        else:
            arrays[field][0] += 1
        assert not task_from_arrays(arrays).equals(task), field


def test_saving_twice_gives_the_same_bytes(tiny: Tiny, tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    save_task(tiny.task, first)
    save_task(tiny.task, second)
    save_task(load_task(first), third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


# --- files that are no stored tasks ---


def refused(path: Path, kind: type[GoalwardError] = StoredFileError) -> str:
    with pytest.raises(kind) as caught:
        load_task(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert caught.value.exit_code == ExitCode.DRIVER_INPUT_ERROR
    return message


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.task"
    save_task(make_tiny("lights").task, path)
    return path


WEIGHT = {"weight": np.zeros((2, 2), dtype=np.float32)}


@pytest.mark.parametrize(
    "data",
    [
        *(b"(define (domain d))", b"\0" * 100, b"\xff" * 100, b"PK\x03\x04", b"{}", save(WEIGHT)),
        *(save(WEIGHT, metadata={key: text}) for key, text in (("format", "pt"), ("goalward", "[1]"))),
        *(save(WEIGHT, metadata={"goalward": text}) for text in ("{", '"x"')),
    ],
)
def test_files_of_another_kind(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(data)
    assert "not a task" in refused(path)


def header(version: object) -> dict[str, str]:
    return {"goalward": json.dumps({"format": FORMAT, "version": version})}


def test_arrays_that_are_missing_are_named(tmp_path: Path) -> None:
    path = tmp_path / "poor.task"
    arrays = task_arrays(make_tiny("blocks").task)
    del arrays["goal"]
    path.write_bytes(save(arrays, metadata=header(VERSION)))
    assert "goal" in refused(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("goal", np.array([10**6], dtype=np.int32)),
        ("init", np.array([-1], dtype=np.int32)),
        ("init", np.array([0.5], dtype=np.float32)),
        ("pre.values", np.array([0], dtype=np.int32)),
        ("add.offsets", np.array([0], dtype=np.int32)),
        ("add.offsets", np.zeros(0, dtype=np.int32)),
        ("delete.offsets", np.array([5], dtype=np.int32)),
        ("mutex_groups.values", np.array([10**6], dtype=np.int32)),
        ("mutex_groups.offsets", np.zeros(0, dtype=np.int32)),
        ("costs", np.zeros(1, dtype=np.int32)),
        ("costs", np.zeros(32, dtype=np.float64)),
        ("complement_of", np.zeros(1, dtype=np.int32)),
        ("complement_of", np.full(25, 10**6, dtype=np.int32)),
        ("uses_costs", np.zeros(0, dtype=np.uint8)),
        ("atoms", np.array([255, 254], dtype=np.uint8)),
        ("atoms", np.array([65], dtype=np.uint8)),
        ("init", np.zeros((2, 2), dtype=np.int32)),
        ("costs", np.zeros((32, 2), dtype=np.int32)),
        # Differences of neighbours wrap around in 32 bits: 2^31 - 1 after 0 and -2^31 after that look like steps up.
        ("pre.offsets", np.array([0, 2**31 - 1, -(2**31), -1, *[84] * 29], dtype=np.int32)),
        ("add.offsets", np.array([0, 2**31 - 1, *[-2] * 30, 96], dtype=np.int32)),
        ("goal", np.array([3, 1], dtype=np.int32)),
        ("init", np.array([1, 1], dtype=np.int32)),
    ],
)
def test_arrays_that_do_not_fit_together_never_reach_native_code(
    tmp_path: Path, name: str, value: np.ndarray[tuple[int, ...], np.dtype[np.generic]]
) -> None:
    path = tmp_path / "odd.task"
    task = make_tiny("blocks").task
    assert (task.n_operators, task.n_atoms) == (32, 25)
    path.write_bytes(save(task_arrays(task) | {name: value}, metadata=header(VERSION)))
    assert "damaged" in refused(path)


@pytest.mark.parametrize("rows", ["pre", "add", "delete", "mutex_groups"])
@pytest.mark.parametrize("change", ["repeat", "swap"])
def test_rows_that_are_not_sorted_are_refused(tmp_path: Path, rows: str, change: str) -> None:
    path = tmp_path / "odd.task"
    arrays = task_arrays(make_tiny("blocks").task)
    offsets, values = arrays[f"{rows}.offsets"], arrays[f"{rows}.values"].copy()
    first = int(offsets[int(np.flatnonzero(np.diff(offsets) > 1)[0])])
    values[first : first + 2] = values[[first, first]] if change == "repeat" else values[[first + 1, first]]
    path.write_bytes(save(arrays | {f"{rows}.values": values}, metadata=header(VERSION)))
    assert "damaged" in refused(path)


def test_native_code_checks_arrays_once_more() -> None:
    """Whoever comes to the native core by another way than a file meets the same checks."""
    good = {
        "pre_offsets": [0, 1], "pre": [0], "add_offsets": [0, 1], "add": [1], "delete_offsets": [0, 1], "delete": [0],
        "costs": [1], "goal": [1], "variable_offsets": [0, 2], "variables": [0, 1], "operators": [1],
    }  # fmt: skip

    def make(**changed: list[int]) -> None:
        arrays = {name: np.array(values, dtype=np.int32) for name, values in (good | changed).items()}
        _core.Problem(**{**arrays, "operators": arrays["operators"].astype(np.uint8)}, n_atoms=2)

    make()
    for changed in (
        {"pre": [2]}, {"pre": [-1]}, {"add_offsets": [0, 2]}, {"add_offsets": [1, 1]}, {"add_offsets": [0, 5, 1]},
        {"goal": [7]}, {"costs": [-1]}, {"costs": [1, 1]}, {"operators": [1, 1]}, {"variables": [0, 0]},
        {"variable_offsets": [0, 1, 2], "variables": [1, 1]}, {"delete_offsets": [0, 2], "delete": [1, 0]},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="damaged arrays"):
            make(**changed)


@given(position=st.integers(0, 10**6), value=st.integers(0, 255))
def test_any_changed_byte_is_a_task_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, position: int, value: int
) -> None:
    path = tmp_path_factory.mktemp("flipped") / "task"
    save_task(make_task(3, [([0], [1], [0], 1), ([1], [2], [], 2)], [0], [2], [[0, 1]]), path)
    data = bytearray(path.read_bytes())
    data[position % len(data)] = value
    path.write_bytes(bytes(data))
    with contextlib.suppress(StoredFileError):
        load_task(path)


# --- writing ---
