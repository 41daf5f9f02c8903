"""Labels: d(s) is the depth of the nearest pre-image that holds, and never less than the way to the goal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalward.regression import METHODS, RolloutOptions, Rollouts, costs_to_goal, join_rollouts, regress
from goalward.sampling import LABELS, SAMPLERS, SamplingOptions, label, make_dataset
from goalward.search import bind_heuristic
from goalward.task.packing import fixed_atoms
from goalward.task.states import BitRows, from_bits, to_bits
from goalward.task.strips import Bools, Rows, Task
from helpers import TINY, make_tiny
from oracle import make_task
from regression.preimages import Oracle, atoms_of, grouped_tasks

SIZES = [0, 1, 63, 64, 65, 511, 512, 513, 1024, 1500]


def as_bits(truth: Bools) -> BitRows:
    return to_bits([np.flatnonzero(row).astype(np.int32) for row in truth], truth.shape[1])


def rollouts_of(preimages: list[list[int]], depth: list[int]) -> Rollouts:
    """Pre-images of any depth in any order: labels look at nothing else."""
    column = np.zeros(len(depth), dtype=np.int32)
    return Rollouts(Rows.of(preimages), np.array(depth, dtype=np.int32), column, column)


def slow_labels(rollouts: Rollouts, truth: Bools) -> list[int]:
    labels = np.full(len(truth), rollouts.beyond)
    for x, depth in zip(rollouts.preimages, rollouts.depth, strict=True):
        holds = truth[:, x].all(axis=1)
        labels[holds] = np.minimum(labels[holds], depth)
    return labels.tolist()


def task_of(n_atoms: int) -> Task:
    return make_task(n_atoms, [], [], [])


@pytest.mark.parametrize("n_states", SIZES)
@pytest.mark.parametrize("n_atoms", [1, 40, 64, 130])
def test_labels_are_the_least_depth_of_a_pre_image_that_holds(n_states: int, n_atoms: int) -> None:
    random = np.random.default_rng([n_states, n_atoms])
    truth = random.random((n_states, n_atoms)) < random.random((n_states, 1))
    preimages = [random.choice(n_atoms, size=min(n_atoms, int(k))).tolist() for k in random.integers(1, 9, size=60)]
    rollouts = rollouts_of([sorted(set(x)) for x in preimages], random.integers(0, 30, size=60).tolist())
    found = label(task_of(n_atoms), rollouts, as_bits(truth))
    assert found.tolist() == slow_labels(rollouts, truth)
    if n_states > 60 and n_atoms > 1:
        assert len(set(found.tolist())) > 3, "the data tells labels apart"


@given(data=st.data(), n_atoms=st.integers(1, 70), n_states=st.integers(1, 5))
def test_labels_of_any_pre_images(data: st.DataObject, n_atoms: int, n_states: int) -> None:
    atoms = st.sets(st.integers(0, n_atoms - 1), max_size=4).map(sorted)
    preimages = data.draw(st.lists(atoms, min_size=1, max_size=6))
    depth = data.draw(st.lists(st.integers(0, 9), min_size=len(preimages), max_size=len(preimages)))
    states = data.draw(st.lists(st.integers(0, 2**n_atoms - 1), min_size=n_states, max_size=n_states))
    truth = np.array([[state >> atom & 1 for atom in range(n_atoms)] for state in states], dtype=bool)
    rollouts = rollouts_of(preimages, depth)
    assert label(task_of(n_atoms), rollouts, as_bits(truth)).tolist() == slow_labels(rollouts, truth)


def test_an_empty_pre_image_holds_everywhere() -> None:
    truth = np.zeros((600, 3), dtype=bool)
    truth[::2, 1] = True
    rollouts = rollouts_of([[1], [], [0]], [2, 5, 9])
    assert label(task_of(3), rollouts, as_bits(truth)).tolist() == [2, 5] * 300


def test_a_state_in_no_pre_image_is_beyond_the_longest_rollout() -> None:
    rollouts = rollouts_of([[0], [1], [2]], [0, 1, 7])
    truth = np.zeros((513, 3), dtype=bool)
    assert set(label(task_of(3), rollouts, as_bits(truth)).tolist()) == {8}


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", ["blocks", "lights", "visitall"])
def test_a_data_set_is_labelled_so_random_states_too(name: str, sampler: str) -> None:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=3, length=30))
    dataset = make_dataset(task, rollouts, SamplingOptions(700, 0.5, sampler))
    truth = from_bits(dataset.states, task.n_atoms)
    assert dataset.labels.tolist() == slow_labels(rollouts, truth)
    assert dataset.beyond == rollouts.beyond
    drawn = dataset.origin >= 0
    assert (dataset.labels[drawn] <= rollouts.depth[dataset.origin[drawn]]).all()


# --- against the true distance ---


def check_bounds(task: Task, rollouts: Rollouts) -> int:
    """Compare labels of all reachable states with their distance to the goal; how many have a label below L+1."""
    oracle = Oracle(task)
    states = sorted(oracle.reachable)
    bits = to_bits([np.array(atoms_of(state), dtype=np.int32) for state in states], task.n_atoms)
    labels = label(task, rollouts, bits).tolist()
    for state, d in zip(states, labels, strict=True):
        assert (d == 0) == (oracle.goal & ~state == 0)
        if d <= rollouts.longest:
            assert oracle.goal_distance[state] <= d
    return sum(d <= rollouts.longest for d in labels)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TINY)
def test_labels_of_reachable_states_are_upper_bounds_of_the_distance(name: str, method: str) -> None:
    task = make_tiny(name).task
    within = check_bounds(task, regress(task, RolloutOptions(method, n_rollouts=5, length=50)))
    goals = sum(d == 0 for d in Oracle(task).goal_distance.values())
    assert within > goals, "some labels are neither 0 nor beyond"


@given(task=grouped_tasks(), method=st.sampled_from(sorted(METHODS)))
@example(task=make_task(2, [([0], [1], [0], 1)], [0], [1], [[0, 1]]), method="rsl")
def test_labels_are_upper_bounds_on_random_tasks(task: Task, method: str) -> None:
    check_bounds(task, regress(task, RolloutOptions(method, n_rollouts=3, length=8)))  # type: ignore[arg-type]


# --- never above the length of a relaxed plan ---


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", ["blocks", "lights", "storage", "visitall"])
def test_min_ff_is_the_lesser_of_the_pre_image_and_the_relaxed_plan(name: str, sampler: str) -> None:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=3, length=30))
    dataset = make_dataset(task, rollouts, SamplingOptions(300, 0.5, sampler, labels="min-ff"))
    truth = from_bits(dataset.states, task.n_atoms)
    relaxed = bind_heuristic(task, "ff")
    for row, bound, found in zip(truth, slow_labels(rollouts, truth), dataset.labels.tolist(), strict=True):
        guess = relaxed.value(np.flatnonzero(row | fixed_atoms(task)).astype(np.int32))
        assert found == min(bound, guess)
    same = make_dataset(task, rollouts, SamplingOptions(300, 0.5, sampler))
    assert np.array_equal(same.states, dataset.states), "labels do not change what is drawn"
    assert (dataset.labels < same.labels).any()


def test_min_ff_counts_atoms_that_always_hold() -> None:
    # Atom 2 is needed and always there; sampled states lack it, and without it there would be no relaxed plan.
    task = make_task(4, [([0, 2], [3], [0], 1), ([3, 2], [1], [], 1)], [0, 2], [1])
    rollouts = rollouts_of([[1]], [0])
    state = as_bits(np.array([[True, False, False, False]]))
    assert LABELS["min-ff"].make(task, rollouts)(state).tolist() == [1], "beyond the only pre-image"
    far = rollouts_of([[1], [1, 3]], [0, 9])
    assert LABELS["min-ff"].make(task, far)(state).tolist() == [2]


def test_a_state_without_a_relaxed_plan_is_beyond_all_pre_images() -> None:
    task = make_task(3, [([0], [1], [0], 1)], [0], [1])
    rollouts = rollouts_of([[1], [0]], [0, 1])
    nothing = as_bits(np.array([[False, False, True]]))
    assert LABELS["min-ff"].make(task, rollouts)(nothing).tolist() == [2]


def test_costs_to_the_goal_add_up_along_each_rollout() -> None:
    task = make_tiny("courier").task
    rollouts = join_rollouts([regress(task, RolloutOptions(n_rollouts=3, length=8, seed=seed)) for seed in (1, 2)])
    costs = costs_to_goal(task, rollouts).tolist()
    paid = 0
    for cost, depth, operator in zip(costs, rollouts.depth, rollouts.operators, strict=True):
        paid = 0 if depth == 0 else paid + int(task.costs[operator])
        assert cost == paid
    assert max(costs) > rollouts.longest, "steps and costs differ"


def test_labels_by_cost_are_the_least_cost_of_a_pre_image_that_holds() -> None:
    task = make_tiny("courier").task
    rollouts = regress(task, RolloutOptions(n_rollouts=5, length=10))
    costs = costs_to_goal(task, rollouts)
    dataset = make_dataset(task, rollouts, SamplingOptions(200, 0.3, "reachable", unit_costs=False))
    for truth, found in zip(from_bits(dataset.states, task.n_atoms), dataset.labels, strict=True):
        held = [cost for x, cost in zip(rollouts.preimages, costs, strict=True) if truth[x].all()]
        assert found == min(held, default=costs.max() + 1)
    assert dataset.beyond == costs.max() + 1
    assert len(set(dataset.labels.tolist())) > 5
