"""The model file ``NAME.goalward``: a network, the task it was trained for, and how it came to be.

One safetensors file. It holds the grounded task and the PDDL texts, so that solving needs neither the translator nor
PyTorch, and a fingerprint of the task, so that it is not used for another one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from goalward.errors import StateMismatchError, TaskFileError
from goalward.search.heuristics import BoundHeuristic
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task import sexpr
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.store import read_safetensors, task_arrays, task_from_arrays
from goalward.task.strips import Task

FORMAT = "goalward-model"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Model:
    """A trained heuristic. ``info`` says how it was made: method, options, seed, versions, training curve."""

    task: Task
    weights: NetworkWeights
    info: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the grounded task."""
        return task_fingerprint(self.task)

    def heuristic(self) -> BoundHeuristic:
        """The network, bound to the model's task."""
        return bind_network(self.task, self.weights, str(self.info.get("method", "network")))


def task_fingerprint(task: Task) -> str:
    """A digest of everything in a task but its initial state and the spelling of its PDDL."""
    digest = hashlib.sha256()
    for name, array in sorted(task_arrays(task).items()):
        if name not in {"init", "domain_text", "problem_text", "problem_name"}:
            digest.update(name.encode() + str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def training_notes(info: dict[str, Any]) -> dict[str, Any]:
    """What a method said of its data, of a model or of one trial; the first models knew the sampler alone."""
    return dict(info.get("notes") or {"sampler": info.get("sampler")})


def check_domain(model: Model, text: str, source: str) -> None:
    """Refuse a domain file that is not the one the model was trained with, comments and layout aside."""
    require_domain(model.task.domain_name, model.task.domain_text, text, source)


def require_domain(name: str, trained: str, text: str, source: str) -> None:
    """Refuse a domain whose text says something else than the one that a model was trained with."""
    if sexpr.parse(text, source) != sexpr.parse(trained, "the model's domain"):
        raise StateMismatchError(f"this is not the domain that the model was trained for ({name})", source)


def save_model(model: Model, path: str | Path) -> None:
    """Write a model to one file, all or nothing."""
    arrays = {f"task.{name}": array for name, array in task_arrays(model.task).items()}
    arrays |= {"network.table": model.weights.table, "network.bias": model.weights.bias}
    for i, layer in enumerate(model.weights.layers):
        arrays |= {f"network.layers.{i}.weights": layer.weights, f"network.layers.{i}.bias": layer.bias}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "skips": [layer.skip for layer in model.weights.layers],
        "fingerprint": model.fingerprint,
        "info": model.info,
    }
    write_bytes_atomically(path, save(arrays, metadata={"goalward": json.dumps(header, sort_keys=True)}))


def load_model(path: str | Path) -> Model:
    """Read a model file; a damaged, foreign or newer one is an error that says so."""
    header, arrays = read_safetensors(path, FORMAT, VERSION, "model")
    try:
        task = task_from_arrays({name[5:]: array for name, array in arrays.items() if name.startswith("task.")})
        layers = [
            Layer(arrays[f"network.layers.{i}.weights"], arrays[f"network.layers.{i}.bias"], int(skip))
            for i, skip in enumerate(header["skips"])
        ]
        weights = NetworkWeights(arrays["network.table"], arrays["network.bias"], tuple(layers))
        model = Model(task, weights, dict(header["info"]))
        everything = [weights.table, weights.bias, *(a for layer in layers for a in (layer.weights, layer.bias))]
        stored = sum(name.startswith("network.layers.") for name in arrays)
        if (
            weights.table.shape[0] != task.n_atoms
            or stored != 2 * len(layers)
            or any(a.dtype != np.float32 for a in everything)
        ):
            raise ValueError("the network does not fit the task")
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise TaskFileError(f"{path}: damaged model ({error})") from None
    if header.get("fingerprint") != model.fingerprint:
        raise TaskFileError(f"{path}: damaged model (its task does not fit its fingerprint)")
    return model
