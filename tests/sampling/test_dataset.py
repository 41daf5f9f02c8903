"""A data set: its figures, its file, and what happens to damaged files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from goalward.errors import StoredFileError
from goalward.regression import RolloutOptions, regress
from goalward.sampling import Dataset, SamplingOptions, load_dataset, make_dataset, save_dataset
from goalward.task.states import from_bits
from helpers import make_tiny

Change = Callable[[dict[str, Any], dict[str, Any]], None]


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    task = make_tiny("lights").task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=15))
    return make_dataset(task, rollouts, SamplingOptions(2500, 0.4, "mixed", 3))


@pytest.fixture
def stored(dataset: Dataset, tmp_path: Path) -> Path:
    save_dataset(dataset, tmp_path / "data")
    return tmp_path / "data"


def changed(path: Path, change: Change) -> Path:
    """A copy of a file with its header or arrays changed."""
    arrays = load_file(path)
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(json.loads(file.read(length))["__metadata__"]["goalward"])
    change(header, arrays)
    copy = path.with_name("changed")
    save_file(arrays, copy, metadata={"goalward": json.dumps(header)})
    return copy


# --- figures ---


def test_the_summary_counts_what_is_there(dataset: Dataset) -> None:
    summary = dataset.summary()
    counted = from_bits(dataset.states, dataset.task.n_atoms)[:2000].sum(axis=1)
    assert summary == {
        "samples": 2500,
        "sampler": "mixed",
        "random share": 0.4,
        "labels": [0, float(np.median(dataset.labels)), int(dataset.labels.max())],
        "share beyond": np.count_nonzero(dataset.labels == 16) / 2500,
        "label histogram": np.bincount(np.minimum(dataset.labels * 20 // 16, 19), minlength=20).tolist(),
        "beyond": 16,
        "true atoms per state": float(counted.mean()),
        "true atoms initially": len(dataset.task.init),
    }
    json.dumps(summary)


@pytest.mark.parametrize("bins", [1, 4, 20])
def test_the_histogram_counts_every_label_once(dataset: Dataset, bins: int) -> None:
    rows = dataset.histogram(bins)
    assert len(rows) == bins
    assert sum(count for *_, count in rows) == len(dataset)
    assert (rows[0][0], rows[-1][1]) == (0, dataset.beyond)
    low, high, count = rows[0]
    last = dataset.labels <= high if bins == 1 else dataset.labels < high
    assert count == int((last & (dataset.labels >= low)).sum())


# --- files ---


def test_what_is_saved_is_loaded(dataset: Dataset, stored: Path) -> None:
    again = load_dataset(stored)
    assert again.task.equals(dataset.task)
    for name in ("states", "labels", "origin"):
        ours, theirs = getattr(dataset, name), getattr(again, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    assert (again.beyond, again.sampler) == (dataset.beyond, dataset.sampler)
    assert again.summary() == dataset.summary()


def test_the_same_data_gives_the_same_bytes(dataset: Dataset, stored: Path) -> None:
    save_dataset(load_dataset(stored), stored.with_name("again"))
    assert stored.with_name("again").read_bytes() == stored.read_bytes()


def refuse(path: Path) -> str:
    with pytest.raises(StoredFileError) as caught:
        load_dataset(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


def drop(name: str) -> Change:
    return lambda header, arrays: (header if name in header else arrays).pop(name)


def say(name: str, value: Any) -> Change:
    return lambda header, arrays: header.update({name: value})


def put(name: str, make: Callable[[Any], Any]) -> Change:
    return lambda header, arrays: arrays.update({name: make(arrays[name])})


MISFITS: dict[str, Change] = {
    "no labels": drop("labels"),
    "no states": drop("states"),
    "no origin": drop("origin"),
    "no label for states beyond": drop("beyond"),
    "no sampler": drop("sampler"),
    "a task without preconditions": drop("task.pre.values"),
    "atoms that are not there": put("task.pre.values", lambda a: a + 1000),
    "no offsets": put("task.pre.offsets", lambda a: a[:0]),
    "atoms that are not whole numbers": put("task.init", lambda a: a.astype(np.float32)),
    "complements that are not there": put("task.complement_of", lambda a: a + 1000),
    "a label too few": put("labels", lambda a: a[:-1]),
    "labels that are not whole numbers": put("labels", lambda a: a.astype(np.float64)),
    "a state too few": put("states", lambda a: a[:-1]),
    "states that are too wide": put("states", lambda a: np.concatenate([a, a], axis=1)),
    "states of another type": put("states", lambda a: a.astype(np.int32)),
    "an origin too few": put("origin", lambda a: a[:-1]),
    "a negative label for states beyond": say("beyond", -1),
    "a huge label for states beyond": say("beyond", 2**63),
    "a text for states beyond": say("beyond", "7"),
    "half a label for states beyond": say("beyond", 0.5),
    "a sampler without a name": say("sampler", ["uniform"]),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_arrays_that_do_not_fit_are_refused(stored: Path, misfit: str) -> None:
    assert "damaged data set" in refuse(changed(stored, MISFITS[misfit]))
