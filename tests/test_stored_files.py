"""Stored tasks, data sets and models: a file that is cut short, of another kind or too new is one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save, save_file

from goalward.baselines.hgn_model import DomainModel, DomainOptions, load_domain_model, parameter_shapes
from goalward.errors import StoredFileError, UsageError
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, load_dataset, make_dataset, save_dataset
from goalward.search.learned import load_model
from goalward.search.model import Model
from goalward.task.store import load_task, save_task
from helpers import make_tiny, whole_number_network

LOADERS: dict[str, Callable[[Path], Any]] = {
    "task": load_task,
    "data set": load_dataset,
    "model": load_model,
    "domain model": load_domain_model,
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A good file of each kind."""
    task = make_tiny("lights").task
    paths = {kind: tmp_path / kind for kind in LOADERS}
    save_task(task, paths["task"])
    save_dataset(make_dataset(task, regress(task, RolloutOptions()), SamplingOptions(20)), paths["data set"])
    Model(task, whole_number_network(task), {}).save(paths["model"])
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in parameter_shapes(2).items()}
    DomainModel("lights", task.domain_text, weights, DomainOptions(latent=2), {}).save(paths["domain model"])
    return paths


def refused(kind: str, path: Path, error: type[Exception] = StoredFileError) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(error) as caught:
        LOADERS[kind](path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", LOADERS)
def test_a_file_that_is_cut_short_overwritten_or_foreign_is_refused(kind: str, files: dict[str, Path]) -> None:
    path = files[kind]
    whole = path.read_bytes()
    cuts = [whole[:cut] for cut in (0, 1, 7, 8, 9, 200, len(whole) // 2, len(whole) - 1)]
    others = [whole + b"x", b"\xff" * 8 + whole[8:], bytes(len(whole)), b"PK\x03\x04" + whole, b"(define (domain x))"]
    weight = {"weights": np.ones(2, dtype=np.float32)}
    foreign = [save(weight), *(save(weight, metadata={"goalward": text}) for text in ("{", "[1]", '"x"'))]
    for content in [*cuts, *others, *foreign]:
        path.write_bytes(content)
        refused(kind, path)


@pytest.mark.parametrize("kind", LOADERS)
def test_a_file_of_another_kind_is_named(kind: str, files: dict[str, Path], tmp_path: Path) -> None:
    other = files["data set" if kind == "task" else "task"]
    assert f"not a {kind}" in refused(kind, other)
    assert "no such file" in refused(kind, tmp_path / "none", UsageError)
    refused(kind, tmp_path, UsageError)


@pytest.mark.parametrize("kind", LOADERS)
def test_a_newer_format_says_what_to_do(kind: str, files: dict[str, Path]) -> None:
    path = files[kind]
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(json.loads(file.read(length))["__metadata__"]["goalward"])
    save_file(load_file(path), path, metadata={"goalward": json.dumps(header | {"version": 2})})
    assert f"{kind} format 2" in refused(kind, path)
    assert "newer" in refused(kind, path)
