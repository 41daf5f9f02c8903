"""The network as a heuristic: native values against NumPy and PyTorch, on every instruction set this machine has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from goalward import _core
from goalward.errors import UsageError
from goalward.learning.options import NetworkShape
from goalward.learning.state_network import StateNetwork
from goalward.search import BoundHeuristic, SearchOptions, SearchResult, search
from goalward.search.model import Model, save_model
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task.domains import generate
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, from_bits, random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import make_task, strips_tasks

Floats = npt.NDArray[np.float32]

SHAPES = [
    NetworkShape(),
    NetworkShape(width=1, plain_layers=1, residual_blocks=0),
    NetworkShape(width=1, plain_layers=2, residual_blocks=1),
    NetworkShape(width=7, plain_layers=1, residual_blocks=2),
    NetworkShape(width=7, plain_layers=3, residual_blocks=0),
    NetworkShape(width=64, plain_layers=1, residual_blocks=1),
    NetworkShape(width=64, plain_layers=3, residual_blocks=2),
    NetworkShape(width=300, plain_layers=2, residual_blocks=0),
    NetworkShape(width=300, plain_layers=1, residual_blocks=1),
]

KERNELS = {"generic": set(), "avx2": {"avx2", "fma"}, "avx512": {"avx512f"}}


def shape_name(shape: NetworkShape) -> str:
    return f"{shape.width}x{shape.plain_layers}+{shape.residual_blocks}"


@cache
def walked(name: str, n: int) -> tuple[Task, BitRows]:
    task = make_tiny(name).task
    return task, to_bits(random_walk_states(task, n, 60, 1), task.n_atoms)


def torch_network(task: Task, shape: NetworkShape, seed: int = 0) -> StateNetwork:
    """A network with random weights, indifferent to what search leaves out."""
    network = StateNetwork(task.n_atoms, shape, torch.Generator().manual_seed(seed))
    network.silence(torch.from_numpy(np.flatnonzero(~core_atoms(task))))
    return network


def integer_weights(task: Task, width: int = 12, seed: int = 0) -> NetworkWeights:
    """Small whole numbers throughout: sums are exact in any order, so values can be compared for equality."""
    random = np.random.default_rng(seed)

    def whole(*shape: int) -> Floats:
        return random.integers(-2, 3, size=shape).astype(np.float32)

    table = whole(task.n_atoms, width)
    table[~core_atoms(task)] = 0
    layers = (
        Layer(whole(width, width), whole(width)),
        Layer(whole(width, width), whole(width)),
        Layer(whole(width, width), whole(width), skip=1),
        Layer(whole(1, width), whole(1)),
    )
    return NetworkWeights(table, whole(width), layers)


def agree(found: Floats, expected: Floats) -> bool:
    """True if values differ by no more than rounding explains."""
    return bool(np.abs(found - expected).max() <= 1e-4 * max(1.0, float(np.abs(expected).max())))


# --- values ---


@pytest.mark.parametrize("shape", SHAPES, ids=shape_name)
def test_native_numpy_and_pytorch_give_the_same_values(shape: NetworkShape) -> None:
    task, bits = walked("blocks", 10_000)
    truth = from_bits(bits, task.n_atoms)
    for seed in range(5):  # a narrow network may be dead from birth, but not every one
        network = torch_network(task, shape, seed)
        weights = network.export(mean=20.0, scale=3.0)
        native = bind_network(task, weights).evaluate(bits)
        with torch.no_grad():
            expected = network(torch.from_numpy(truth.astype(np.float32))).numpy() * 3 + 20
        assert native.shape == (10_000,)
        assert agree(native, expected)
        assert agree(weights.forward(truth), expected)
        if native.std() > 1e-3:
            break
    else:
        pytest.fail("no network tells states apart")


@pytest.mark.parametrize("name", TINY)
def test_values_agree_on_every_bundled_domain(name: str) -> None:
    task, bits = walked(name, 300)
    weights = torch_network(task, NetworkShape(width=40)).export()
    assert agree(bind_network(task, weights).evaluate(bits), weights.forward(from_bits(bits, task.n_atoms)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 300])
def test_a_value_does_not_depend_on_the_batch_it_is_in(n: int) -> None:
    task, bits = walked("blocks", 10_000)
    heuristic = bind_network(task, integer_weights(task))
    alone = [heuristic.evaluate(bits[i : i + 1])[0] for i in range(n)]
    assert heuristic.evaluate(bits[:n]).tolist() == alone
    assert len(set(alone)) > 1 or n < 4


def test_no_states_have_no_values() -> None:
    task, bits = walked("blocks", 10_000)
    assert bind_network(task, integer_weights(task)).evaluate(bits[:0]).shape == (0,)


def test_the_residual_block_is_what_the_paper_draws() -> None:
    # Two atoms, width 2, written out by hand: x → ReLU(x + W₂ ReLU(W₁ x + b₁) + b₂).
    table = np.array([[1, -2], [3, 4]], dtype=np.float32)
    block = (
        Layer(np.array([[1, 1], [0, -1]], dtype=np.float32), np.array([-1, 5], dtype=np.float32)),
        Layer(np.array([[2, 0], [-1, -3]], dtype=np.float32), np.array([0, 1], dtype=np.float32), skip=0),
    )
    weights = NetworkWeights(
        table,
        np.array([0.5, 0], dtype=np.float32),
        (*block, Layer(np.array([[1, 10]], dtype=np.float32), np.zeros(1, dtype=np.float32))),
    )
    # Both atoms: x = (4.5, 2); W₁x + b₁ = (5.5, 3); W₂· + b₂ = (11, -13.5); ReLU(x + ·) = (15.5, 0).
    # The first alone: x = (1.5, 0); (0.5, 5); (1, -14.5); (2.5, 0).
    states = np.array([[True, True], [True, False]])
    assert weights.forward(states).tolist() == [15.5, 2.5]
    assert weights.shape == "2 → 2 → 2 → 2 + skip → 1"
    assert weights.n_parameters == 4 + 2 + 6 + 6 + 3


def test_the_output_is_linear_and_may_be_negative() -> None:
    task, bits = walked("blocks", 10_000)
    weights = torch_network(task, NetworkShape(width=8)).export(mean=-100.0)
    values = bind_network(task, weights).evaluate(bits[:100])
    assert values.max() < -50
    assert len(set(values.tolist())) > 10


@pytest.mark.parametrize("bias", [np.nan, np.inf, 1e38])
def test_what_is_no_usable_number_comes_last_but_stays_finite(bias: float) -> None:
    task, bits = walked("blocks", 10_000)
    weights = integer_weights(task)
    last = replace(weights.layers[-1], bias=np.array([bias], dtype=np.float32))
    heuristic = bind_network(task, replace(weights, layers=(*weights.layers[:-1], last)))
    assert set(heuristic.evaluate(bits[:10]).tolist()) == {float(np.float32(1e30))}
    assert search(task, heuristic).solved, "such states are still searched"


# --- instruction sets ---

SCRIPT = """\
import sys
import numpy as np
from goalward import _core
from goalward.search.learned import load_model
from goalward.search import search
folder = sys.argv[1]
states = np.load(f"{folder}/states.npy")
for i in range(int(sys.argv[2])):
    model = load_model(f"{folder}/{i}.goalward")
    np.save(f"{folder}/{i}.npy", model.heuristic().evaluate(states))
    print(search(model.task, model.heuristic()).statistics.expanded)
layers = [(layer.weights, layer.bias, layer.skip) for layer in model.weights.layers]
print(_core.Network(model.weights.table, model.weights.bias, layers).simd)
"""


def run_with(kernel: str, folder: Path, models: int) -> list[str]:
    command = [sys.executable, "-c", SCRIPT, str(folder), str(models)]
    environment = {**os.environ, "GOALWARD_SIMD": kernel}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def cpu_flags() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_instruction_set_gives_the_same_values(kernel: str, tmp_path: Path) -> None:
    if not KERNELS[kernel] <= cpu_flags():
        pytest.skip(f"this machine has no {kernel}")
    task, bits = walked("blocks", 10_000)
    np.save(tmp_path / "states.npy", bits)
    exported = [torch_network(task, shape, seed=4).export(10.0, 2.0) for shape in SHAPES]
    exported.append(integer_weights(task, width=37))
    for i, weights in enumerate(exported):
        save_model(Model(task, weights), tmp_path / f"{i}.goalward")
    *expanded, simd = run_with(kernel, tmp_path, len(exported))
    assert simd == kernel
    truth = from_bits(bits, task.n_atoms)
    for i, weights in enumerate(exported):
        assert agree(np.load(tmp_path / f"{i}.npy"), weights.forward(truth)), shape_name(SHAPES[i])
    assert np.array_equal(np.load(tmp_path / f"{len(SHAPES)}.npy"), exported[-1].forward(truth))
    assert int(expanded[-1]) == search(task, bind_network(task, exported[-1])).statistics.expanded


def test_an_unknown_instruction_set_is_no_reason_to_fail(tmp_path: Path) -> None:
    task, bits = walked("blocks", 10_000)
    np.save(tmp_path / "states.npy", bits[:5])
    weights = integer_weights(task)
    save_model(Model(task, weights), tmp_path / "0.goalward")
    assert run_with("abacus", tmp_path, 1)[-1] in KERNELS
    assert np.array_equal(np.load(tmp_path / "0.npy"), weights.forward(from_bits(bits[:5], task.n_atoms)))


# --- inside a search ---


def in_numpy(weights: NetworkWeights) -> Callable[[npt.NDArray[np.uint8]], Floats]:
    """The same network as a Python function: every state from scratch."""
    return lambda states: weights.forward(states.astype(bool))


def same_search(first: SearchResult, second: SearchResult) -> bool:
    """True if two searches did exactly the same."""
    counts = [(s.expanded, s.evaluated, s.initial_h, s.best_h) for s in (first.statistics, second.statistics)]
    return (first.status, first.plan, counts[0]) == (second.status, second.plan, counts[1])


def whole(task: Task, weights: NetworkWeights) -> BoundHeuristic:
    """The network on all atoms and operators, as a Python function sees them."""
    layers = [(layer.weights, layer.bias, layer.skip) for layer in weights.layers]
    packed = _core.Network(weights.table, weights.bias, layers)
    return BoundHeuristic(task, "network", lambda problem: _core.network_heuristic(problem, packed), whole=True)


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("name", TINY)
def test_updating_the_first_layer_gives_the_values_from_scratch(name: str, batch: int) -> None:
    task = make_tiny(name).task
    options = SearchOptions(batch=batch)
    expanded = 0
    for seed in range(3):
        weights = integer_weights(task, seed=seed)
        for init in random_walk_states(task, 3, 4, seed):
            slow = search(task, in_numpy(weights), options, init=init)
            assert same_search(search(task, whole(task, weights), options, init=init), slow)
            reduced = search(task, bind_network(task, weights), options, init=init)
            assert reduced.status == slow.status
            assert reduced.statistics.initial_h == slow.statistics.initial_h
            assert same_search(reduced, slow) or not core_atoms(task).all()
            expanded += slow.statistics.expanded
    assert expanded > 50


@given(task=strips_tasks(), seed=st.integers(0, 2**32))
@example(task=make_task(3, [([], [0], [1], 1), ([0], [2], [0, 1], 1)], [], [2]), seed=0)
def test_operators_may_add_what_holds_and_delete_what_does_not(task: Task, seed: int) -> None:
    weights = integer_weights(task, width=4, seed=seed)
    assert same_search(search(task, whole(task, weights)), search(task, in_numpy(weights)))


def test_searches_that_take_turns_share_a_network_without_mixing_up_their_parents() -> None:
    task = generate("tiles", rows=3, cols=3, seed=1).ground()
    weights = integer_weights(task, width=6, seed=2)
    alone = [search(task, in_numpy(weights), SearchOptions(batch=batch)) for batch in (1, 3)]
    together = search(task, bind_network(task, weights), SearchOptions(batch=(1, 3)))
    assert together.statistics.expanded > min(result.statistics.expanded for result in alone), "both had their turns"
    assert together.plan in [result.plan for result in alone]


def test_one_network_serves_search_after_search() -> None:
    # What it remembers of one search must not leak into the next, whose states may lie where the old ones did.
    task = make_tiny("blocks").task
    weights = integer_weights(task, seed=5)
    kept = bind_network(task, weights)
    for init in random_walk_states(task, 30, 40, 2):
        again, fresh = search(task, kept, init=init), search(task, bind_network(task, weights), init=init)
        assert again.plan == fresh.plan
        assert again.statistics.expanded == fresh.statistics.expanded
        kept.evaluate(to_bits([task.init], task.n_atoms))


def test_a_search_that_begins_where_another_one_expanded_its_last_state() -> None:
    # Each search expands its first state and evaluates one child. The first states may lie at the same address.
    task = make_task(5, [([0], [1], [0], 1), ([2], [3], [2], 1)], [0], [1, 3, 4])
    table = np.array([[10], [1], [20], [2], [0]], dtype=np.float32)  # h of a state is the sum over its atoms
    zero, one = np.zeros(1, dtype=np.float32), np.ones((1, 1), dtype=np.float32)
    kept = bind_network(task, NetworkWeights(table, zero, (Layer(one, zero),)))
    for atom in (0, 2) * 10:
        statistics = search(task, kept, init=np.array([atom], dtype=np.int32)).statistics
        assert statistics.evaluated == 2
        assert (statistics.initial_h, statistics.best_h) == (table[atom, 0], table[atom + 1, 0])


def test_a_good_network_makes_search_walk_straight_to_the_goal() -> None:
    # h = number of open goals, written as a network: first layer -1 per goal atom, bias |G|.
    task = make_tiny("visitall").task
    table = np.zeros((task.n_atoms, 1), dtype=np.float32)
    core = core_atoms(task)
    goal = [atom for atom in task.goal if core[atom]]
    table[goal] = -1
    one = np.ones((1, 1), dtype=np.float32)
    bias = np.array([len(goal)], dtype=np.float32)
    weights = NetworkWeights(table, bias, (Layer(one, np.zeros(1, dtype=np.float32)),))
    with_network, by_name = search(task, bind_network(task, weights)), search(task, "goalcount")
    assert with_network.plan == by_name.plan
    assert with_network.statistics.expanded == by_name.statistics.expanded


# --- wrong shapes ---


def square(width: int, inputs: int | None = None, skip: int = -1) -> Layer:
    return Layer(np.ones((width, inputs or width), dtype=np.float32), np.ones(width, dtype=np.float32), skip)


def weights_of(
    task: Task, *layers: Layer, width: int = 4, atoms: int | None = None, bias: int | None = None
) -> NetworkWeights:
    table = np.ones((task.n_atoms if atoms is None else atoms, width), dtype=np.float32)
    return NetworkWeights(table, np.ones(width if bias is None else bias, dtype=np.float32), layers)


def test_networks_that_fit_are_taken() -> None:
    task, bits = walked("blocks", 10_000)
    for layers in ([square(1, 4)], [square(9, 4), square(9), square(9, skip=1), square(1, 9)]):
        assert np.isfinite(bind_network(task, weights_of(task, *layers)).evaluate(bits[:3])).all()


def test_networks_of_the_wrong_shape_are_refused() -> None:
    task, bits = walked("blocks", 10_000)
    wrong = {
        "no layers": lambda: weights_of(task),
        "two outputs": lambda: weights_of(task, square(2, 4)),
        "short bias": lambda: weights_of(task, square(1, 4), bias=3),
        "inputs that do not meet the outputs before": lambda: weights_of(task, square(5, 4), square(1, 4)),
        "a skip from a later layer": lambda: weights_of(task, square(4, skip=1), square(1, 4)),
        "a skip of another width": lambda: weights_of(task, square(5, 4, skip=0), square(1, 5)),
        "a skip around the output": lambda: weights_of(task, square(1, 1, skip=0), width=1),
        "a layer with a short bias": lambda: weights_of(
            task, replace(square(4), bias=np.ones(3, dtype=np.float32)), square(1, 4)
        ),
        "too few atoms": lambda: weights_of(task, square(1, 4), atoms=task.n_atoms - 1),
    }
    for what, make in wrong.items():
        with pytest.raises(UsageError, match=r"do not match|the network is for \d+ atoms, but .* has \d+"):
            print(what, bind_network(task, make()).evaluate(bits[:1]))


def test_the_core_says_which_layer_is_wrong() -> None:
    layers = [(layer.weights, layer.bias, layer.skip) for layer in (square(4), square(3, 9), square(1, 3))]
    with pytest.raises(ValueError, match="layer 2 of the network"):
        _core.Network(np.ones((5, 4), dtype=np.float32), np.ones(4, dtype=np.float32), layers)
