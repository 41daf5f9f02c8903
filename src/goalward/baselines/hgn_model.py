"""Domain models: a hypergraph network for all problems of one domain, with a record of its training.

A model is stored in one safetensors file. Only :meth:`DomainModel.heuristic` needs PyTorch.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from goalward.declared import DURATION, FLAG, SHARE, Kind, Options, option
from goalward.errors import GoalwardError, StoredFileError, UsageError
from goalward.extras import require_torch
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.search.learned import checked_info, require_domain
from goalward.search.planning import LearnedModel
from goalward.search.starts import Start
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.store import read_safetensors, short_message
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.baselines.hgn import HypergraphNetwork

DOMAIN_FORMAT = "goalward-domain-model"
VERSION = 1
MAX_STEPS = 1000

AGGREGATIONS: dict[str, str] = {
    "mean": "mean of the messages that reach an atom, which generalises better to larger problems",
    "sum": "their sum, as in the paper",
}

Weights = dict[str, npt.NDArray[np.float32]]


def _unit_costs(text: str) -> bool:
    """True for "unit" and False for "pddl", the values of the option ``costs``; KeyError for others."""
    return {"unit": True, "pddl": False}[text.lower()]


COSTS = Kind(
    "unit (steps to the goal) or pddl (their cost)",
    "unit|pddl",
    FLAG.read,
    _unit_costs,
    lambda unit: "unit" if unit else "pddl",
)


@dataclass(frozen=True)
class DomainOptions(Options):
    """The options of training a domain model.

    With ``unit_costs`` the network learns the number of steps to the goal, otherwise their cost by the PDDL.
    """

    n_steps: int = option(10, "M, message-passing steps in training", 1, MAX_STEPS, flag="--steps")
    latent: int = option(32, "size of the latent vector of an atom or an operator", 1, 4096)
    aggregation: str = option(
        "mean", "; ".join(f"{name}: {text}" for name, text in AGGREGATIONS.items()), choices=AGGREGATIONS
    )
    states_per_problem: int = option(100, "states to learn from per problem, along optimal plans", 1, 1_000_000)
    near_goal: int = option(
        0,
        "learn from states at the ends of regressions of up to this many steps, for problems too large to solve "
        "optimally; 0: from initial states and random walks from them",
        0,
        10_000,
    )
    teacher_limit: float = option(10.0, "time limit for finding optimal plans, per problem", kind=DURATION)
    unit_costs: bool = option(True, "learn the number of steps, or their cost by the PDDL", kind=COSTS, flag="--costs")
    learning_rate: float = option(1e-3, "learning rate of Adam", 1e-9, 10.0)
    weight_decay: float = option(2.5e-4, "weight decay of Adam", 0.0, 10.0)
    batch_size: int = option(32, "batch size of gradient descent", 1, 1_000_000)
    max_epochs: int = option(200, "maximum number of epochs; training may stop early", 1, 1_000_000, flag="--epochs")
    patience: int = option(30, "epochs without a lower validation loss after which training stops", 1, 1_000_000)
    validation_share: float = option(
        0.2, "share of the states that is held out for early stopping", 0.001, 0.9, kind=SHARE
    )
    time_limit: float | None = option(
        None, "time limit, without grounding; at most half of it is for finding optimal plans", kind=DURATION
    )
    seed: int = option(0, "random seed; the same seed gives the same model on the same machine", 0, 2**32 - 1)
    threads: int = option(1, "threads for PyTorch", 1, 1024)


def check_steps(n_steps: int) -> int:
    """Return the number of message-passing steps; UsageError if it is out of bounds."""
    if not 1 <= n_steps <= MAX_STEPS:
        raise UsageError(f"message_steps must be between 1 and {MAX_STEPS}, but is {n_steps}")
    return n_steps


def parameter_shapes(latent: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a network's parameters."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, inputs in (
        ("encode_vertex", 2),
        ("encode_edge", 3),
        ("update_edge", 6 * latent),
        ("update_vertex", 3 * latent),
        ("update_global", 2 * latent),
        ("decode", latent),
    ):
        shapes |= {f"{name}.first.weight": (latent, inputs), f"{name}.first.bias": (latent,)}
        shapes |= {f"{name}.second.weight": (latent, latent), f"{name}.second.bias": (latent,)}
    return shapes | {"output.weight": (1, latent), "output.bias": (1,)}


@dataclass(frozen=True, eq=False)
class DomainModel(LearnedModel):
    """A trained heuristic for a domain. ``info`` records its training: problems, seed, versions, training curve."""

    domain_name: str
    domain_text: str
    weights: Weights
    options: DomainOptions
    info: dict[str, Any] = field(default_factory=dict)
    task: None = field(default=None, init=False)  # the model is for all problems of its domain

    def __repr__(self) -> str:
        return (
            f"<DomainModel for {self.domain_name} by {self.info.get('method', 'hand')}: "
            f"{self.n_parameters:,} parameters>"
        )

    @property
    def n_parameters(self) -> int:
        """Number of parameters of the network."""
        return sum(array.size for array in self.weights.values())

    def check_domain(self, text: str, source: str) -> None:
        """Raise StateMismatchError unless the domain is the model's, up to comments and layout."""
        require_domain(self.domain_name, self.domain_text, text, source)

    def start(self, text: str, source: str) -> Start:
        """Ground a problem of the domain, and return its initial state."""
        from goalward.task.grounding import ground  # noqa: PLC0415 - loads the translator

        domain = parse_domain(self.domain_text, f"the domain of {source}")
        task = ground(domain, parse_problem(text, source, domain))
        return Start(task, task.init, text, source)

    def save(self, path: str | Path) -> None:
        """Write the model to a file atomically; :func:`goalward.load_model` reads it."""
        save_domain_model(self, path)

    def with_settings(self, *, message_steps: int | None = None, **unknown: int) -> DomainModel:
        """The same model with another number of message-passing steps."""
        if unknown:
            raise UsageError(f"a domain model has no setting {min(unknown)!r} (its settings: message_steps)")
        if message_steps is None:
            return self
        return replace(self, options=replace(self.options, n_steps=check_steps(message_steps)))

    def summary(self, *, details: bool = False) -> dict[str, Any]:
        """Facts about the network and its training; with ``details`` also the curve and the list of problems."""
        info, options = self.info, self.options
        problems = info.get("problems") or []
        facts = {
            "domain": self.domain_name,
            "method": info.get("method"),
            "network": f"latent size {options.latent}, {options.n_steps} message-passing steps, {options.aggregation}",
            "parameters": self.n_parameters,
            "problems": len(problems),
            "problems_left_out": sum(not problem["states"] for problem in problems),
            "states": sum(problem["states"] for problem in problems),
            "seed": info.get("seed"),
            "training_seconds": info.get("seconds"),
            "training_ended_by": info.get("end"),
            "best_epoch": info.get("best_epoch"),
            "validation_loss": info.get("validation_loss"),
            "options": asdict(options),
            "versions": info.get("versions"),
        }
        return facts | ({"curve": info.get("curve"), "all_problems": problems} if details else {})

    def network(self) -> HypergraphNetwork:
        """The network in PyTorch."""
        require_torch("a model of a domain")
        import torch  # noqa: PLC0415  # slow to load, and needed only here

        from goalward.baselines.hgn import HypergraphNetwork  # noqa: PLC0415

        network = HypergraphNetwork(self.options.latent)
        network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in self.weights.items()})
        return network

    def heuristic(self, task: Task, *, threads: int = 1) -> BoundHeuristic:
        """The network, bound to a task of the domain."""
        self.check_domain(task.domain_text, f"the domain of {task.problem_name}")
        network = self.network()
        from goalward.baselines.hgn import Hypergraph, HypergraphHeuristic  # noqa: PLC0415

        graph = Hypergraph(task, unit_costs=self.options.unit_costs, aggregation=self.options.aggregation)
        return bind_heuristic(task, HypergraphHeuristic(network, graph, self.options.n_steps, threads))


def save_domain_model(model: DomainModel, path: str | Path) -> None:
    """Write a domain model to a file atomically."""
    arrays: dict[str, npt.NDArray[Any]] = {f"network.{name}": array for name, array in model.weights.items()}
    arrays["domain_text"] = np.frombuffer(model.domain_text.encode(), dtype=np.uint8)
    header = {
        "format": DOMAIN_FORMAT,
        "version": VERSION,
        "domain": model.domain_name,
        "options": asdict(model.options),
        "info": model.info,
    }
    write_bytes_atomically(path, save(arrays, metadata={"goalward": json.dumps(header, sort_keys=True)}))


def load_domain_model(path: str | Path) -> DomainModel:
    """Read a domain model; StoredFileError if the file is damaged, of another kind or of a newer format."""
    header, arrays = read_safetensors(path, DOMAIN_FORMAT, VERSION, "domain model")
    try:
        options = DomainOptions(**header["options"])
        text = arrays["domain_text"].tobytes().decode()
        weights = {name[8:]: array for name, array in arrays.items() if name.startswith("network.")}
        if {name: array.shape for name, array in weights.items()} != parameter_shapes(options.latent):
            raise ValueError("the weights do not have the shapes of a hypergraph network")
        if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
            raise ValueError("the weights are not finite 32-bit numbers")
        return DomainModel(str(header["domain"]), text, weights, options, checked_info(header["info"]))
    except (KeyError, ValueError, TypeError, GoalwardError) as error:
        raise StoredFileError(f"{path}: damaged domain model ({short_message(error)})") from None
