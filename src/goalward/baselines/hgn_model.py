"""The domain model file: a hypergraph network for every problem of one domain, and how it came to be.

One safetensors file, read without PyTorch; only :meth:`DomainModel.heuristic` needs it.
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
from goalward.search.planning import Solver
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
    "mean": "mean of the messages that reach an atom, carries over to larger problems",
    "sum": "their sum, as in the paper",
}

Weights = dict[str, npt.NDArray[np.float32]]


def _unit_costs(text: str) -> bool:
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
    """How a network for a domain is taught and trained.

    With ``unit_costs`` the network learns the number of steps to the goal, otherwise their cost by the PDDL.
    """

    n_steps: int = option(10, "M, message-passing steps while training", 1, MAX_STEPS, flag="--steps")
    latent: int = option(32, "numbers that stand for an atom or an operator inside the network", 1, 4096)
    aggregation: str = option(
        "mean", "; ".join(f"{name}: {text}" for name, text in AGGREGATIONS.items()), choices=AGGREGATIONS
    )
    states_per_problem: int = option(100, "states to learn from, along optimal plans from random walks", 1, 1_000_000)
    near_goal: int = option(
        0,
        "learn from the ends of regressions of up to so many steps, for problems too large to solve optimally; "
        "0: from initial states and walks from them",
        0,
        10_000,
    )
    teacher_limit: float = option(10.0, "time for the optimal plans of each problem", kind=DURATION)
    unit_costs: bool = option(True, "learn the number of steps or their cost by the PDDL", kind=COSTS, flag="--costs")
    learning_rate: float = option(1e-3, "learning rate of Adam", 1e-9, 10.0)
    weight_decay: float = option(2.5e-4, "weight decay of Adam", 0.0, 10.0)
    batch_size: int = option(32, "states of a step of gradient descent", 1, 1_000_000)
    max_epochs: int = option(200, "passes over the states at most; training stops early", 1, 1_000_000, flag="--epochs")
    patience: int = option(30, "epochs without a lower validation loss after which training stops", 1, 1_000_000)
    validation_share: float = option(
        0.2, "share of the states that is held out to stop training early", 0.001, 0.9, kind=SHARE
    )
    time_limit: float | None = option(
        None, "time for everything but grounding; half of it for the teacher", kind=DURATION
    )
    seed: int = option(0, "same seed, same machine, same model", 0, 2**32 - 1)
    threads: int = option(1, "threads for PyTorch", 1, 1024)


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
        """None: the model is for every problem of its domain, not for one task."""

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
        return DomainModel(str(header["domain"]), text, weights, options, checked_info(header["info"]))
    except (KeyError, ValueError, TypeError, GoalwardError) as error:
        raise StoredFileError(f"{path}: damaged domain model ({short_message(error)})") from None
