"""Networks that people write in PyTorch say the same in native search, or are refused by the name of what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from goalward.errors import UsageError
from goalward.search.model import Model, load_problem_model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import make_tiny

DOMAINS = ["blocks", "delivery", "lights", "storage", "visitall"]  # some have atoms that search leaves out


class Residual(nn.Module):
    """The paper's: two layers, a block, one output; and a flattened output."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(n, 20), nn.Linear(20, 20)
        self.inner, self.outer = nn.Linear(20, 20), nn.Linear(20, 20)
        self.output = nn.Linear(20, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.second(functional.relu(self.first(x))))
        x = functional.relu(x + self.outer(functional.relu(self.inner(x))))
        return self.output(x).squeeze(-1)


class PreActivation(nn.Module):
    """Blocks that normalise and activate first: what is added was never cut off at 0."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.embed = nn.Linear(n, 12)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm1d(12), nn.ReLU(inplace=True), nn.Linear(12, 12), nn.ReLU(), nn.Dropout(), nn.Linear(12, 12)
            )
            for _ in range(3)
        )
        self.output = nn.Linear(12, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x.float())
        for block in self.blocks:
            x = x + block(x)
        return self.output(x)[:, 0]


class Connected(nn.Module):
    """Every layer sees everything before it, the state too."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(n + 6 * i, 6) for i in range(4))
        self.output = nn.Linear(n + 24, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.cat([x, layer(x).relu()], dim=1)
        return self.output(x)


class Ensemble(nn.Module):
    """The mean of several, none of which says less than 0."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.members = nn.ModuleList(
            nn.Sequential(nn.Linear(n, 7 + i), nn.ReLU(), nn.Linear(7 + i, 1), nn.ReLU()) for i in range(3)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return sum(member(x) for member in self.members) / len(self.members)


class ByHand(nn.Module):
    """Parameters of one's own, Python control flow, and work in place."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(n, 9))
        self.offset, self.scale = nn.Parameter(torch.randn(9)), nn.Parameter(torch.randn(9))
        self.value = nn.Linear(9, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.dim() != 2 or x.shape[1] != len(self.table):
            raise ValueError("states have one number per atom")
        h = x @ self.table + self.offset
        h = (1 - self.scale * h).clamp(min=-0.5, max=2.0)
        kept = h
        h += 0.25
        functional.relu_(h)
        return 3 - self.value(kept - h / 2).view(-1)


MODULES: dict[str, Callable[[int], nn.Module]] = {
    "a plain one": lambda n: nn.Sequential(
        nn.Linear(n, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0)
    ),
    "residual": Residual,
    "pre-activation": PreActivation,
    "densely connected": Connected,
    "an ensemble": Ensemble,
    "by hand": ByHand,
    "leaky": lambda n: nn.Sequential(nn.Linear(n, 8), nn.LeakyReLU(0.1), nn.Linear(8, 8), nn.ReLU6(), nn.Linear(8, 1)),
    "linear": lambda n: nn.Linear(n, 1),
    "two linear layers": lambda n: nn.Sequential(nn.Linear(n, 5, bias=False), nn.Identity(), nn.Linear(5, 1)),
    "constant": lambda n: nn.Sequential(nn.Linear(n, 3), Zero(), nn.Linear(3, 1)),
}


class Zero(nn.Module):
    """Forgets what it is given."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 0


def made(name: str, task: Task, seed: int = 0) -> nn.Module:
    """A module in which nothing is as it was initialised, batch statistics least of all."""
    torch.manual_seed(seed)
    module = MODULES[name](task.n_atoms)
    module.train()
    with torch.no_grad():
        for _ in range(3):
            module(torch.rand(16, task.n_atoms))
    return module


def said_by(module: nn.Module, states: np.ndarray) -> np.ndarray:
    module.eval()
    with torch.no_grad():
        return module(torch.from_numpy(states.astype(np.float32))).reshape(-1).numpy()


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", MODULES)
def test_native_search_says_what_the_module_says(name: str, domain: str) -> None:
    task = make_tiny(domain).task
    module = made(name, task)
    states = random_walk_states(task, 50, 12, seed=3)
    truth = np.zeros((50, task.n_atoms), dtype=bool)
    for row, state in zip(truth, states, strict=True):
        row[state] = True
    model = Model.from_torch(task, module)
    found = model.heuristic().evaluate(to_bits(states, task.n_atoms))
    np.testing.assert_allclose(found, said_by(module, truth), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(said_by(model.to_torch(), truth), said_by(module, truth), rtol=1e-4, atol=1e-4)


def test_the_module_is_left_as_it_was() -> None:
    task = make_tiny("blocks").task
    module = made("pre-activation", task).double()
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    module.train()
    Model.from_torch(task, module)
    assert module.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())
    assert module.embed.weight.dtype == torch.float64


@pytest.mark.parametrize("domain", ["lights", "storage"])
def test_atoms_that_the_goal_cannot_depend_on_may_be_left_out(domain: str) -> None:
    task = make_tiny(domain).task
    module = made("residual", task)
    states = random_walk_states(task, 50, 12, seed=3)
    truth = np.zeros((50, task.n_atoms), dtype=bool)
    for row, state in zip(truth, states, strict=True):
        row[state] = True
    held_fast = [a for a in task.init if a not in task.delete.values]
    ignored = [a for a in range(task.n_atoms) if a not in relevant_atoms(task) and a not in held_fast]
    assert truth[:, ignored].any(), "the states show nothing otherwise"
    truth[:, ignored] = False
    found = Model.from_torch(task, module, relevant_only=True).heuristic().evaluate(to_bits(states, task.n_atoms))
    np.testing.assert_allclose(found, said_by(module, truth), rtol=1e-4, atol=1e-4)


def relevant_atoms(task: Task) -> set[int]:
    """By the definition: in the goal, or in the precondition of an operator that adds a relevant atom."""
    found = set(task.goal.tolist())
    while True:
        more = {
            atom for o in range(task.n_operators) if found & set(task.add[o].tolist()) for atom in task.pre[o].tolist()
        }
        if more <= found:
            return found
        found |= more


def test_a_residual_network_keeps_its_skips_and_its_width() -> None:
    task = make_tiny("blocks").task
    weights = Model.from_torch(task, made("residual", task)).weights
    assert weights.shape == f"{task.n_atoms} → 20 → 20 → 20 → 20 + skip → 1"


def test_back_and_forth_gives_the_same_weights() -> None:
    task = make_tiny("delivery").task
    random = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32)

    layers = (Layer(draw(6, 6), draw(6)), Layer(draw(6, 6), draw(6), 0), Layer(draw(1, 6), draw(1)))
    weights = NetworkWeights(draw(task.n_atoms, 6), draw(6), layers)
    again = Model.from_torch(task, Model(task, weights).to_torch()).weights
    assert np.array_equal(again.table, weights.table)
    assert np.array_equal(again.bias, weights.bias)
    for mine, theirs in zip(again.layers, weights.layers, strict=True):
        assert np.array_equal(mine.weights, theirs.weights)
        assert np.array_equal(mine.bias, theirs.bias)
        assert mine.skip == theirs.skip


def test_it_can_be_saved_and_says_what_it_is(tmp_path: object) -> None:
    task = make_tiny("blocks").task
    model = Model.from_torch(task, made("residual", task))
    model.save(f"{tmp_path}/own.goalward")
    again = load_problem_model(f"{tmp_path}/own.goalward")
    assert again.summary()["method"] == "Residual"
    assert again.heuristic().value(task.init) == model.heuristic().value(task.init)


class Attention(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.key, self.value = nn.Linear(n, 4), nn.Linear(n, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.key(x) * self.value(x)).sum(1)


class Counting(nn.Module):
    """What it says depends on the batch: no function of a state."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 0] * 1.0 + (0.0 if x.shape[0] > 1000 else 5.0)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            lambda n: nn.Sequential(nn.Linear(n, 4), nn.GELU(), nn.Linear(4, 1)),
            r"1 \(GELU\): gelu is not supported in native search",
        ),
        (lambda n: nn.Sequential(nn.Linear(n, 4), nn.LayerNorm(4)), r"1 \(LayerNorm\).* layer_norm is not"),
        (lambda n: nn.Sequential(nn.Linear(n, 4), nn.Linear(4, 2)), "the output of Sequential: .* but is 2"),
        (lambda n: nn.Linear(n + 1, 1), r"Linear: it expects \d+ numbers, but gets \d+ .a state of this task has \d+"),
        (lambda n: nn.Sequential(nn.Linear(n, 4), nn.BatchNorm1d(4, track_running_stats=False)), "running statistics"),
        (Attention, "a product of two values that depend on the state"),
        (lambda n: nn.Embedding(n, 1), "embedding is not supported in native search"),
        (lambda n: nn.LSTM(n, 1), "cannot convert LSTM"),
        (lambda n: Counting(), "the converted network gives other values"),
    ],
    ids=["GELU", "LayerNorm", "two outputs", "inputs", "batch norm", "product", "embedding", "LSTM", "no function"],
)
def test_what_cannot_be_converted_is_named(module: Callable[[int], nn.Module], message: str) -> None:
    task = make_tiny("blocks").task
    with pytest.raises(UsageError, match=message):
        Model.from_torch(task, module(task.n_atoms))
