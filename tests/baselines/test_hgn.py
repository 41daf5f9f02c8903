"""Hypergraph networks: the network against a recomputation by loops, its symmetries, and what it learns from."""

from __future__ import annotations

from collections import deque
from itertools import islice

import numpy as np
import numpy.typing as npt
import pytest
import torch

from goalward.baselines import hgn
from goalward.baselines.hgn import Hypergraph, HypergraphHeuristic, HypergraphNetwork
from goalward.baselines.hgn_data import states_on_optimal_plans
from goalward.baselines.hgn_model import DomainOptions, parameter_shapes
from goalward.search import Status
from goalward.task.strips import Task
from helpers import Tiny, make_tiny
from oracle import State, as_set, make_task, reachable_states, successors

Array = npt.NDArray[np.float64]


# From atom 0 to atom 2 in two ways.
THREE = make_task(3, [([0], [1, 2], [], 4), ([0, 1], [2], [0], 7)], init=[0], goal=[2])


def chain(length: int) -> Task:
    """Atom 0, and operators that lead from each atom to the next."""
    return make_task(length + 1, [([i], [i + 1], [], 1) for i in range(length)], init=[0], goal=[length])


def renamed(task: Task, atoms: npt.NDArray[np.int64], operators: npt.NDArray[np.int64]) -> Task:
    """The same task with atom i called ``atoms[i]``, and with the operators in this order."""
    rows = [(atoms[task.pre[o]], atoms[task.add[o]], atoms[task.delete[o]], int(task.costs[o])) for o in operators]
    return make_task(task.n_atoms, rows, atoms[task.init], atoms[task.goal])  # type: ignore[arg-type]


def network(latent: int = 32, seed: int = 0) -> HypergraphNetwork:
    """Larger weights than those that training starts from, so that values differ clearly."""
    made = HypergraphNetwork(latent, torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(1.5)
    return made


def random_states(n: int, n_atoms: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy((np.random.default_rng(seed).random((n, n_atoms)) < 0.3).astype(np.float32))


# --- the network, recomputed ---


def slow_latents(
    net: HypergraphNetwork, task: Task, true: set[int], n_steps: int, aggregation: str
) -> tuple[list[Array], list[Array], float]:
    """Latents of atoms and operators and the value of one state, atom by atom and operator by operator."""
    weights = {name: tensor.detach().numpy().astype(float) for name, tensor in net.state_dict().items()}

    def leaky(x: Array) -> Array:
        return np.where(x > 0, x, 0.01 * x)

    def mlp(name: str, *inputs: Array) -> Array:
        x = np.concatenate(inputs)
        for layer in ("first", "second"):
            x = leaky(weights[f"{name}.{layer}.weight"] @ x + weights[f"{name}.{layer}.bias"])
        return x

    def total(vectors: list[Array]) -> Array:
        return np.sum(vectors, axis=0) if vectors else np.zeros(net.latent)

    goal = set(task.goal.tolist())
    v0 = [mlp("encode_vertex", np.array([float(a in true), float(a in goal)])) for a in range(task.n_atoms)]
    e0 = [
        mlp("encode_edge", np.array([task.costs[o], len(task.add[o]), len(task.pre[o])], dtype=float))
        for o in range(task.n_operators)
    ]
    v, e = v0, e0
    for _ in range(n_steps):
        e = [
            mlp(
                "update_edge",
                e0[o],
                e[o],
                total([v0[a] for a in task.pre[o]]),
                total([v[a] for a in task.pre[o]]),
                total([v0[a] for a in task.add[o]]),
                total([v[a] for a in task.add[o]]),
            )
            for o in range(task.n_operators)
        ]
        entering = [[e[o] for o in range(task.n_operators) if a in task.add[o]] for a in range(task.n_atoms)]
        divisors = [max(len(edges), 1) if aggregation == "mean" else 1 for edges in entering]
        v = [mlp("update_vertex", v0[a], v[a], total(entering[a]) / divisors[a]) for a in range(task.n_atoms)]
    u = mlp("decode", mlp("update_global", total(v), total(e)))
    return v, e, float((weights["output.weight"] @ u + weights["output.bias"])[0])


@pytest.mark.parametrize("aggregation", ["mean", "sum"])
@pytest.mark.parametrize("n_steps", [1, 2, 5])
def test_latents_and_values_are_those_of_a_recomputation_by_loops(n_steps: int, aggregation: str) -> None:
    graph = Hypergraph(THREE, unit_costs=False, aggregation=aggregation)  # type: ignore[arg-type]
    net = network(latent=5)
    states = [{0}, {0, 1}, {2}, set()]
    rows = torch.tensor([[float(a in true) for a in range(3)] for true in states])
    with torch.no_grad():
        v, e = next(islice(net.steps(graph, rows), n_steps - 1, None))
        values = net(graph, rows, n_steps)
    assert values.shape == (n_steps, len(states))
    for i, true in enumerate(states):
        slow_v, slow_e, value = slow_latents(net, THREE, true, n_steps, aggregation)
        np.testing.assert_allclose(v[:, i].numpy(), slow_v, atol=1e-5)
        np.testing.assert_allclose(e[:, i].numpy(), slow_e, atol=1e-5)
        assert float(values[-1, i]) == pytest.approx(value, abs=1e-5)
        assert float(net.values(graph, rows, n_steps)[i]) == pytest.approx(value, abs=1e-5)


def test_a_message_goes_one_hyperedge_a_step() -> None:
    length = 5
    graph, net = Hypergraph(chain(length)), network()
    rows = torch.zeros(2, length + 1)
    rows[1, 0] = 1  # the states differ in the first atom of the chain
    with torch.no_grad():
        for step, (v, _) in enumerate(islice(net.steps(graph, rows), length + 2), start=1):
            differs = [bool((v[atom, 0] != v[atom, 1]).any()) for atom in range(length + 1)]
            assert differs == [atom <= step for atom in range(length + 1)]


def test_messages_do_not_go_from_head_to_tail() -> None:
    rows = torch.tensor([[0.0, 0, 0], [0, 0, 1]])  # the states differ in the last atom of the chain
    with torch.no_grad():
        v, _ = next(islice(network().steps(Hypergraph(chain(2)), rows), 8, None))
    assert torch.equal(v[:2, 0], v[:2, 1])
    assert not torch.equal(v[2, 0], v[2, 1])


def test_features_are_truth_goal_cost_and_sizes() -> None:
    assert Hypergraph(THREE, unit_costs=False).edge_features.tolist() == [[4, 2, 1], [7, 1, 2]]
    assert Hypergraph(THREE).edge_features.tolist() == [[1, 2, 1], [1, 1, 2]]
    features = Hypergraph(THREE).vertex_features(torch.tensor([[1.0, 0, 0], [0, 1, 1]]))
    assert features[:, 0].tolist() == [[1, 0], [0, 0], [0, 1]]
    assert features[:, 1].tolist() == [[0, 0], [1, 0], [1, 1]]


def test_goal_and_costs_matter() -> None:
    rows = torch.tensor([[1.0, 0, 0]])
    tasks = [
        make_task(3, [([0], [1], [], 1), ([1], [2], [], cost)], init=[0], goal=[goal])
        for goal, cost in ((2, 1), (1, 1), (2, 9))
    ]
    values = {float(network().values(Hypergraph(task, unit_costs=False), rows, 3)) for task in tasks}
    assert len(values) == 3


# --- symmetries ---


@pytest.mark.parametrize("aggregation", ["mean", "sum"])
def test_names_and_order_of_atoms_and_operators_do_not_matter(tiny: Tiny, aggregation: str) -> None:
    random = np.random.default_rng(1)
    task, net = tiny.task, network()
    states = random_states(6, task.n_atoms)
    expected = net.values(Hypergraph(task, aggregation=aggregation), states, 4)  # type: ignore[arg-type]
    assert float(expected.std()) > 0
    for _ in range(3):
        atoms = random.permutation(task.n_atoms)
        other = renamed(task, atoms, random.permutation(task.n_operators))
        moved = torch.empty_like(states)
        moved[:, torch.from_numpy(atoms)] = states
        values = net.values(Hypergraph(other, aggregation=aggregation), moved, 4)  # type: ignore[arg-type]
        torch.testing.assert_close(values, expected, rtol=1e-5, atol=1e-5)


def test_a_state_has_the_same_value_in_a_batch_and_alone(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, net = Hypergraph(tiny.task), network()
    states = random_states(9, tiny.task.n_atoms)
    together = net.values(graph, states, 3)
    alone = torch.cat([net.values(graph, state[None], 3) for state in states])
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-5)
    monkeypatch.setattr(hgn, "PIECE_FLOATS", 2 * net.latent * max(graph.n_edges, graph.n_vertices))
    torch.testing.assert_close(net.values(graph, states, 3), together, rtol=1e-5, atol=1e-5)


# --- edges ---


def test_a_task_without_operators_has_values() -> None:
    task = make_task(2, [], init=[0], goal=[0])
    values = network().values(Hypergraph(task), random_states(3, 2), 4)
    assert values.shape == (3,)
    assert values.isfinite().all()


def test_no_states_have_no_values() -> None:
    function = HypergraphHeuristic(network(), Hypergraph(chain(1)), 3)
    assert function(np.zeros((0, 2), dtype=np.uint8)).shape == (0,)


def test_values_that_are_no_numbers_come_last() -> None:
    net = network()
    with torch.no_grad():
        net.output.bias.fill_(float("nan"))
    values = HypergraphHeuristic(net, Hypergraph(chain(1)), 3)(np.ones((2, 2), dtype=np.uint8))
    assert values == pytest.approx([hgn.WORST_VALUE, hgn.WORST_VALUE])


def test_the_number_of_threads_is_given_back() -> None:
    before = torch.get_num_threads()
    with hgn.torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_the_model_file_knows_the_parameters() -> None:
    for latent in (3, 32):
        shapes = {name: tuple(t.shape) for name, t in HypergraphNetwork(latent).state_dict().items()}
        assert shapes == parameter_shapes(latent)


# --- what it learns from ---


def distances(task: Task) -> dict[State, int]:
    """Steps to the nearest goal from every state that has a plan, by breadth-first search back from the goals."""
    parents: dict[State, list[State]] = {}
    states = reachable_states(task)
    for state in states:
        for _, child in successors(task, state):
            parents.setdefault(child, []).append(state)
    found = {state: 0 for state in states if as_set(task.goal) <= state}
    queue = deque(found)
    while queue:
        state = queue.popleft()
        for parent in parents.get(state, []):
            if parent not in found:
                found[parent] = found[state] + 1
                queue.append(parent)
    return found


def test_labels_are_optimal_distances(tiny: Tiny) -> None:
    task = tiny.task
    lessons = states_on_optimal_plans(task, DomainOptions(states_per_problem=60), 30.0, seed=3)
    assert lessons.status is Status.SOLVED
    assert lessons.plans >= 1
    true = distances(task)
    states = [as_set(np.flatnonzero(row)) for row in lessons.states]
    assert [true[state] for state in states] == lessons.labels.tolist()
    assert len(set(states)) == len(states)
    assert as_set(task.init) in states
    assert 0 in lessons.labels


def test_labels_count_costs_where_costs_are_asked_for() -> None:
    task = make_task(3, [([0], [2], [0], 9), ([0], [1], [0], 2), ([1], [2], [1], 3)], init=[0], goal=[2])
    steps = states_on_optimal_plans(task, DomainOptions(), 10.0, seed=0)
    costs = states_on_optimal_plans(task, DomainOptions(unit_costs=False), 10.0, seed=0)
    assert steps.labels.tolist() == [1, 0]
    assert costs.labels.tolist() == [5, 3, 0]


def test_random_walks_give_more_plans() -> None:
    task = make_tiny("blocks").task
    one = states_on_optimal_plans(task, DomainOptions(states_per_problem=1), 10.0, seed=0)
    many = states_on_optimal_plans(task, DomainOptions(states_per_problem=50), 10.0, seed=0)
    assert one.plans == 1
    assert many.plans > 1
    assert len(many.labels) >= 50
    assert (
        states_on_optimal_plans(task, DomainOptions(states_per_problem=50), 10.0, seed=0).labels.tolist()
        == many.labels.tolist()
    )


def test_dead_ends_are_no_lessons() -> None:
    task = make_task(
        3, [([0], [1], [0], 1), ([0], [2], [0], 1)], init=[0], goal=[1]
    )  # walks end in the goal or in a dead end
    lessons = states_on_optimal_plans(task, DomainOptions(states_per_problem=20), 10.0, seed=0)
    assert sorted(lessons.labels.tolist()) == [0, 1]


def test_an_unsolved_problem_gives_no_lessons() -> None:
    task = make_task(3, [([0], [1], [0], 1)], init=[0], goal=[1, 2])
    lessons = states_on_optimal_plans(task, DomainOptions(), 10.0, seed=0)
    assert (lessons.status, lessons.plans, lessons.states.shape) == (Status.UNSOLVABLE, 0, (0, 3))
    assert lessons.summary()["longest"] is None


def test_the_teacher_can_be_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt):
        states_on_optimal_plans(make_tiny("blocks").task, DomainOptions(), 10.0, seed=0, go_on=lambda: False)
