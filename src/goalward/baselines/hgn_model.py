"""The domain model file: a hypergraph network for every problem of one domain, and how it came to be.

One safetensors file, read without PyTorch; only :meth:`DomainModel.heuristic` needs it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from goalward.errors import GoalwardError, StoredFileError, UsageError
from goalward.measures import parse_duration
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.search.learned import require_domain
from goalward.search.planning import Solver
from goalward.search.solving import Start
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.store import read_safetensors
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.baselines.hgn import HypergraphNetwork

DOMAIN_FORMAT = "goalward-domain-model"
VERSION = 1
MAX_STEPS = 1000

Aggregation = Literal["mean", "sum"]
AGGREGATIONS: dict[str, str] = {
    "mean": "mean of the messages that reach an atom, carries over to larger problems",
    "sum": "their sum, as in the paper",
}

Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class DomainOptions:
    """How a network for a domain is taught and trained.

    ``n_steps`` is M, the message-passing steps while training. ``teacher_limit`` is for all optimal plans of one
    problem, in seconds; ``time_limit`` is for teaching and training. With ``unit_costs`` the network learns the number
    of steps to the goal, otherwise their cost by the PDDL.
    """

    n_steps: int = 10
    latent: int = 32
    aggregation: Aggregation = "mean"
    states_per_problem: int = 100
    teacher_limit: float = 10.0
    unit_costs: bool = True
    learning_rate: float = 1e-3
    weight_decay: float = 2.5e-4
    batch_size: int = 32
    max_epochs: int = 200
    patience: int = 30
    validation_share: float = 0.2
    time_limit: float | None = None
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("teacher_limit", "time_limit"):
            if isinstance(getattr(self, name), str):  # as people write them: "2m"
                object.__setattr__(self, name, parse_duration(getattr(self, name)))
        check_steps(self.n_steps)
        if self.aggregation not in AGGREGATIONS:
            raise UsageError(f"unknown aggregation {self.aggregation!r} (known: {', '.join(AGGREGATIONS)})")
        for name, value, highest in (
            ("latent size", self.latent, 4096),
            ("number of states per problem", self.states_per_problem, 1_000_000),
            ("batch size", self.batch_size, 1_000_000),
            ("number of epochs", self.max_epochs, 1_000_000),
            ("patience", self.patience, 1_000_000),
            ("number of threads", self.threads, 1024),
        ):
            if not 1 <= value <= highest:
                raise UsageError(f"the {name} is {value}; it goes from 1 to {highest}")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"the seed is {self.seed}; it goes from 0 to 2^32 - 1")
        if not (0 < self.learning_rate < math.inf and 0 <= self.weight_decay < math.inf):
            raise UsageError("the learning rate is above 0, the weight decay at least 0")
        if not 0 < self.validation_share < 1:
            raise UsageError(f"the validation share is {self.validation_share}; it lies between 0 and 1")
        for limit in (self.teacher_limit, self.time_limit):
            if limit is not None and not limit > 0:
                raise UsageError(f"a time limit is {limit} s; it must be above 0")


def check_steps(n_steps: int) -> int:
    """The number of message-passing steps, if there can be so many."""
    if not 1 <= n_steps <= MAX_STEPS:
        raise UsageError(f"the number of message-passing steps is {n_steps}; it goes from 1 to {MAX_STEPS}")
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
class DomainModel(Solver):
    """A trained heuristic for a domain. ``info`` says how it was made: problems, seed, versions, training curve."""

    domain_name: str
    domain_text: str
    weights: Weights
    options: DomainOptions
    info: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<DomainModel for {self.domain_name} by {self.info.get('method', 'hand')}: {self.n_parameters:,} numbers>"
        )

    @property
    def n_parameters(self) -> int:
        """Numbers that were learned."""
        return sum(array.size for array in self.weights.values())

    @property
    def task(self) -> None:
        """It is for every problem of the domain."""

    def check_domain(self, text: str, source: str) -> None:
        """Refuse a domain that is not the one the model was trained for, comments and layout aside."""
        require_domain(self.domain_name, self.domain_text, text, source)

    def start(self, text: str, source: str) -> Start:
        """The initial state of any problem of the domain, which is grounded for it."""
        from goalward.task.grounding import ground  # noqa: PLC0415 - loads the translator

        domain = parse_domain(self.domain_text, f"the domain of {source}")
        task = ground(domain, parse_problem(text, source, domain))
        return Start(task, task.init, text, source)

    def save(self, path: str | Path) -> None:
        """Write it to one file, all or nothing; :func:`goalward.load_model` reads it."""
        save_domain_model(self, path)

    def with_settings(self, *, message_steps: int | None = None, **unknown: int) -> DomainModel:
        """With another number of message-passing steps than in training."""
        if unknown:
            raise UsageError(f"a model of a domain has no setting {min(unknown)}; it has message_steps")
        if message_steps is None:
            return self
        return replace(self, options=replace(self.options, n_steps=check_steps(message_steps)))

    def summary(self, *, details: bool = False) -> dict[str, Any]:
        """What a person wants to know of the network and its training."""
        info, options = self.info, self.options
        problems = info.get("problems", [])
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
    """Write a domain model to one file, all or nothing."""
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
    """Read a domain model; a damaged, foreign or newer file is an error that says so."""
    header, arrays = read_safetensors(path, DOMAIN_FORMAT, VERSION, "domain model")
    try:
        options = DomainOptions(**header["options"])
        text = arrays["domain_text"].tobytes().decode()
        weights = {name[8:]: array for name, array in arrays.items() if name.startswith("network.")}
        if {name: array.shape for name, array in weights.items()} != parameter_shapes(options.latent):
            raise ValueError("the weights are not those of a hypergraph network")
        if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values()):
            raise ValueError("the weights are not finite numbers of 32 bits")
        return DomainModel(str(header["domain"]), text, weights, options, dict(header["info"]))
    except (KeyError, ValueError, TypeError, GoalwardError) as error:
        raise StoredFileError(f"{path}: damaged domain model ({error})") from None
