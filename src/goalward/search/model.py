"""The model of one problem: a network, the task it was trained for, and a record of its training.

It is stored in one safetensors file with the grounded task and its PDDL, so that solving needs neither the translator
nor PyTorch. A fingerprint of the task prevents its use for another one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from safetensors.numpy import save

from goalward.display import falling_line, html_table
from goalward.errors import StoredFileError, UsageError
from goalward.extras import require_torch
from goalward.search.heuristics import BoundHeuristic
from goalward.search.learned import checked_info, require_domain
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.search.planning import Solver
from goalward.search.portfolio import LEADS, Lead, current_lead
from goalward.search.starts import Start
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.states import StateReader
from goalward.task.store import read_safetensors, require_int, short_message, task_arrays, task_from_arrays
from goalward.task.strips import Task

if TYPE_CHECKING:
    from torch import nn

FORMAT = "goalward-model"
VERSION = 1
DEFAULT_NETWORK_SHARE = 0.5
"""Share of the network in the effort of improving a plan, if the network was never validated. Not tuned."""


@dataclass(frozen=True, eq=False)
class Model(Solver):
    """A trained heuristic. ``info`` records its training: method, options, seed, versions, training curve."""

    task: Task
    weights: NetworkWeights
    info: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Model for {self.task.problem_name} by {self.info.get('method', 'hand')}: {self.weights.shape}>"

    def _repr_html_(self) -> str:
        facts = self.summary()
        hidden = ("options", "versions", "fingerprint")
        rows = [(name.replace("_", " "), value) for name, value in facts.items() if name not in hidden]
        losses = [row[2] for row in self.info.get("curve") or [] if len(row) > 2 and row[2] is not None]
        curve = falling_line(losses, "validation loss by epoch, logarithmic")
        return html_table(f"Model for {self.task.problem_name}", rows, curve)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the grounded task."""
        return task_fingerprint(self.task)

    @cached_property
    def _reader(self) -> StateReader:
        return StateReader(self.task)

    def check_domain(self, text: str, source: str) -> None:
        """Raise an error if a domain differs from that of the model in more than comments and layout."""
        require_domain(self.task.domain_name, self.task.domain_text, text, source)

    def start(self, text: str, source: str) -> Start:
        """The initial state of a PDDL problem, which must be a state of the model's task."""
        return Start(self.task, self._reader.parse(text, source), text, source, stored=True)

    def heuristic(self, task: Task | None = None) -> BoundHeuristic:
        """The network as a heuristic, bound to the model's task or to an equal one."""
        if task is not None and task is not self.task and task_fingerprint(task) != self.fingerprint:
            raise UsageError(f"the model was trained for another problem than {task.problem_name}")
        method, lead = str(self.info.get("method", "network")), cast(Lead, self.info.get("lead") or "landmarks")
        share = float(self.info.get("network_share", DEFAULT_NETWORK_SHARE))
        unit_costs = False if training_notes(self.info).get("costs") == "pddl" else None
        return bind_network(
            task or self.task, self.weights, method, lead, self.info.get("head_start"), share, unit_costs
        )

    def save(self, path: str | Path) -> None:
        """Write the model to one file, atomically; :func:`goalward.load_model` reads it."""
        save_model(self, path)

    @classmethod
    def from_torch(
        cls, task: Task, module: nn.Module, *, relevant_only: bool = False, info: dict[str, Any] | None = None
    ) -> Model:
        """Make a model from a PyTorch module, so that native search can use it.

        The module takes a float tensor of shape (states, |F|) of zeros and ones and returns one number per state. It
        may consist of linear layers, ReLUs, sums, concatenations, batch normalisation and the like. An error names any
        part that cannot be converted. The result is compared with the module on random states.

        With ``relevant_only``, atoms that the goal cannot depend on are always false in the network's input, as they
        are in the states of a :class:`~goalward.sampling.Dataset`. Search then need not store them.
        """
        require_torch("Model.from_torch")
        from goalward.search.torch_networks import weights_of  # noqa: PLC0415 - loads PyTorch

        notes = {"method": type(module).__name__, "notes": {"network": "made in PyTorch"}}
        fixed = fixed_atoms(task)
        ignored = ~(core_atoms(task) | fixed) if relevant_only else np.zeros(task.n_atoms, dtype=bool)
        weights = weights_of(module, task.n_atoms).without(true=fixed, false=ignored)
        return cls(task, weights, notes if info is None else info)

    def to_torch(self) -> nn.Module:
        """Convert the network to a PyTorch module that maps a float tensor of shape (states, |F|) to one value each."""
        require_torch("Model.to_torch")
        from goalward.search.torch_networks import ExportedNetwork  # noqa: PLC0415 - loads PyTorch

        return ExportedNetwork(self.weights)

    def with_settings(self, **settings: int) -> Model:
        """Raise an error if there are any settings: a model of one problem has none."""
        if settings:
            raise UsageError(f"a model of one problem has no setting {min(settings)}")
        return self

    def summary(self, *, details: bool = False) -> dict[str, Any]:
        """The main facts about the network and its training; with ``details`` also the training curve and trials."""
        info = self.info
        facts = {
            "method": info.get("method"),
            "preset": info.get("preset"),
            "network": self.weights.shape,
            "parameters": self.weights.n_parameters,
            **training_notes(info),
            "seed": info.get("seed"),
            **({"trained_from": info["starts"]} if "starts" in info else {}),
            "training_seconds": info.get("seconds"),
            "training_ended_by": info.get("end"),
            **({"search_begins_with": LEADS[current_lead(info["lead"])]} if info.get("lead") else {}),
            **({"head_start_seconds": round(info["head_start"], 3)} if info.get("head_start") else {}),
            "best_epoch": info.get("best_epoch"),
            "validation_loss": info.get("validation_loss"),
            "trials": len(info.get("trials") or []),
            "options": info.get("method_options") or info.get("options"),
            "versions": info.get("versions"),
            "fingerprint": self.fingerprint,
        }
        return facts | ({"curve": info.get("curve"), "all_trials": info.get("trials")} if details else {})


def task_fingerprint(task: Task) -> str:
    """A digest of the arrays and names of a task, without its initial states and its PDDL."""
    digest = hashlib.sha256()
    for name, array in sorted(task_arrays(task).items()):
        if name.partition(".")[0] not in {"init", "other_inits", "domain_text", "problem_text", "problem_name"}:
            digest.update(name.encode() + str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def training_notes(info: dict[str, Any]) -> dict[str, Any]:
    """The notes of a method about its data, from the record of a model or trial; the oldest models have no notes."""
    notes = info.get("notes")
    return dict({"sampler": info.get("sampler")} if notes is None else notes)


def describe_cost_ratio(info: dict[str, Any]) -> str | None:
    """What the network saved on validation states when training ended; None if plans were not compared."""
    if info.get("cost_ratio") is None or not info.get("quality_states"):
        return None
    if not info.get("network_share") and info.get("network_use") != "search":
        return "the network did not make plans cheaper in the same time"
    if f"{info['cost_ratio']:.2f}" == "1.00":
        return "plans cost as much as those found without the network in the same time"
    return f"plans cost {info['cost_ratio']:.2f} of those found without the network in the same time"


def save_model(model: Model, path: str | Path) -> None:
    """Write a model to one file, atomically."""
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


def load_problem_model(path: str | Path) -> Model:
    """Read a model of one problem; raises :class:`StoredFileError` for a file that is damaged or of another format."""
    header, arrays = read_safetensors(path, FORMAT, VERSION, "model")
    try:
        task = task_from_arrays({name[5:]: array for name, array in arrays.items() if name.startswith("task.")})
        layers = [
            Layer(arrays[f"network.layers.{i}.weights"], arrays[f"network.layers.{i}.bias"], require_int(skip))
            for i, skip in enumerate(header["skips"])
        ]
        weights = NetworkWeights(arrays["network.table"], arrays["network.bias"], tuple(layers))
        model = Model(task, weights, checked_info(header["info"]))
        all_weights = [weights.table, weights.bias, *(a for layer in layers for a in (layer.weights, layer.bias))]
        n_stored = sum(name.startswith("network.layers.") for name in arrays)
        if (
            weights.table.shape[0] != task.n_atoms
            or n_stored != 2 * len(layers)
            or any(a.dtype != np.float32 for a in all_weights)
        ):
            raise ValueError("the network does not fit the task")
    except (KeyError, ValueError, IndexError, TypeError, UsageError) as error:
        raise StoredFileError(f"{path}: damaged model ({short_message(error)})") from None
    if header.get("fingerprint") != model.fingerprint:
        raise StoredFileError(f"{path}: damaged model (the fingerprint does not match its task)")
    return model
