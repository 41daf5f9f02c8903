"""FSM: regression by breadth-first search and random walks, and both improvements of labels, against brute force."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.baselines import fsm
from goalward.baselines.fsm import (
    FsmOptions,
    improve_by_successors,
    make_dataset,
    min_label_of_equal,
    regression_limit,
    sample_conditions,
)
from goalward.task.strips import Rows, Task
from helpers import TINY, make_tiny
from oracle import as_set, goal_distances, make_task, strips_tasks
from regression.preimages import Mask, Oracle, atoms_of, mask

from .learners import as_sets, complement_pairs, known, make_trial


@pytest.fixture(params=TINY)
def task(request: pytest.FixtureRequest) -> Task:
    return make_tiny(request.param).task


def masks(conditions: Rows) -> list[Mask]:
    return [mask(row) for row in conditions]


def all_conditions(oracle: Oracle, length: int) -> dict[Mask, int]:
    """Every condition that at most so many steps of regression lead to, with the fewest steps."""
    goal = oracle.goal & oracle.core
    found, layer = {goal: 0}, [goal]
    for depth in range(1, length + 1):
        following = {oracle.preimage(x, a) for x in layer for a in oracle.valid(x)}
        layer = [x for x in following if x not in found]
        found |= dict.fromkeys(layer, depth)
    return found


# --- regression ---


def test_each_condition_is_a_preimage_of_one_that_is_a_step_closer(task: Task) -> None:
    oracle = Oracle(task)
    conditions, depth = sample_conditions(task, 120, 0.3, 12, 4)
    found = masks(conditions)
    assert found[0] == oracle.goal & oracle.core
    assert depth[0] == 0
    for i, x in enumerate(found[1:], start=1):
        closer = [found[j] for j in range(i) if depth[j] == depth[i] - 1]
        assert any(oracle.preimage(y, a) == x for y in closer for a in oracle.valid(y))
    assert depth.max() <= 12


def test_breadth_first_search_finds_everything_layer_by_layer(task: Task) -> None:
    expected = all_conditions(Oracle(task), 4)
    conditions, depth = sample_conditions(task, 100_000, 1.0, 4, 0)
    assert dict(zip(masks(conditions), depth.tolist(), strict=True)) == expected
    assert len(depth) == len(expected), "no condition twice"
    assert depth.tolist() == sorted(depth.tolist())


@pytest.mark.parametrize("n", [1, 2, 7, 60, 400])
def test_there_are_as_many_conditions_as_asked_for(n: int) -> None:
    task = make_tiny("gripper").task
    conditions, depth = sample_conditions(task, n, 0.1, 20, 1)
    assert len(conditions) == len(depth) == n
    first = masks(conditions)[: round(0.1 * n)]
    assert len(set(first)) == len(first)


def test_walks_start_in_leaves_and_visit_nothing_twice() -> None:
    task = make_tiny("gripper").task
    oracle = Oracle(task)
    n, n_first, length = 600, 30, 9
    conditions, depth = sample_conditions(task, n, n_first / n, length, 2)
    found, steps = masks(conditions), depth.tolist()
    expanded = {x for x, d in zip(found[:n_first], steps, strict=False) if d < max(steps[:n_first]) - 1}
    walks: list[list[int]] = []
    for i in range(n_first, n):
        follows = walks and steps[i] == steps[i - 1] + 1 and steps[i - 1] < length
        if follows and any(oracle.preimage(found[i - 1], a) == found[i] for a in oracle.valid(found[i - 1])):
            walks[-1].append(i)
        else:
            walks.append([i])
    assert len(walks) > 20
    for walk in walks:
        visited = [found[i] for i in walk]
        assert len(set(visited)) == len(visited)
        starts = [x for x, d in zip(found[:n_first], steps, strict=False) if d == steps[walk[0]] - 1]
        leaves = [x for x in starts if any(oracle.preimage(x, a) == visited[0] for a in oracle.valid(x))]
        assert set(leaves) - expanded
    assert max(steps) == length


def test_regression_ends_if_there_is_nothing_left() -> None:
    chain = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2]])
    for share in (0.0, 0.1, 1.0):
        conditions, depth = sample_conditions(chain, 50, share, 10, 0)
        assert set(zip(masks(conditions), depth.tolist(), strict=True)) == {(4, 0), (2, 1), (1, 2)}


def test_samples_follow_the_seed(task: Task) -> None:
    def drawn(seed: int) -> list[list[int]]:
        conditions, _ = sample_conditions(task, 80, 0.2, 15, seed)
        return [row.tolist() for row in conditions]

    assert drawn(3) == drawn(3)


def test_regression_ends_when_it_is_told_to() -> None:
    task = make_tiny("gripper").task
    conditions, depth = sample_conditions(task, 10_000_000, 0.1, 50, 0, lambda: False)
    assert 1 <= len(conditions) == len(depth) < 10_000_000


@pytest.mark.parametrize(
    ("groups", "operators", "limit"),
    [
        ([[0, 1, 2]], [([0], [1], [0], 1), ([1], [2], [1], 1)], 3),  # one variable, one effect each
        ([], [([0], [1], [0], 1), ([1], [2], [1], 1)], 2),  # three atoms, two effects each, rounded up
        ([[0, 1]], [([0], [1], [0], 1), ([1], [2], [], 1)], 3),
    ],
)
def test_the_limit_is_atoms_over_effects(groups: Sequence[Sequence[int]], operators: list, limit: int) -> None:
    assert regression_limit(make_task(3, operators, [0], [2], groups)) == limit


# --- the least label of equal states ---


@given(st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c", b"dd"]), st.integers(0, 9)), min_size=1))
def test_equal_states_get_their_least_label(samples: list[tuple[bytes, int]]) -> None:
    keys, labels = zip(*samples, strict=True)
    found = min_label_of_equal(list(keys), np.array(labels, dtype=np.int32))
    assert found.tolist() == [min(label for other, label in samples if other == key) for key in keys]


# --- labels by successors ---


def improved_by_brute_force(task: Task, conditions: list[Mask], labels: Sequence[int]) -> list[int]:
    """h(x) = min(h(x), h(y) + 1) for all x, all actions and all y, again and again until nothing changes."""
    oracle = Oracle(task)
    pre, add, delete = ([row & oracle.core for row in rows] for rows in (oracle.pre, oracle.add, oracle.delete))
    h = list(labels)
    while True:
        before = list(h)
        for i, x in enumerate(conditions):
            for a in oracle.operators:
                if pre[a] & ~x == 0 and add[a] & ~x:
                    after = x & ~delete[a] | add[a]
                    h[i] = min([h[i], *(h[j] + 1 for j, y in enumerate(conditions) if y & ~after == 0)])
        if h == before:
            return h


def test_labels_improve_as_by_brute_force(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsm, "_CONDITIONS_AT_ONCE", 17)
    conditions, depth = sample_conditions(task, 90, 0.1, 25, 7)
    found = improve_by_successors(task, conditions, depth)
    assert found.tolist() == improved_by_brute_force(task, masks(conditions), depth.tolist())


@settings(max_examples=150, deadline=None)
@given(strips_tasks(), st.data())
def test_any_conditions_improve_as_by_brute_force(task: Task, data: st.DataObject) -> None:
    core = atoms_of(Oracle(task).core)
    if not core:
        return
    drawn = data.draw(st.lists(st.sets(st.sampled_from(core)), min_size=1, max_size=8))
    labels = data.draw(st.lists(st.integers(0, 20), min_size=len(drawn), max_size=len(drawn)))
    conditions = Rows.of([sorted(x) for x in drawn])
    found = improve_by_successors(task, conditions, np.array(labels, dtype=np.int32))
    assert found.tolist() == improved_by_brute_force(task, masks(conditions), labels)


def test_labels_that_nobody_waits_for_stay(task: Task) -> None:
    conditions, depth = sample_conditions(task, 50, 0.1, 25, 7)
    assert improve_by_successors(task, conditions, depth, lambda: False).tolist() == depth.tolist()


# --- the data set ---


def test_states_are_full_and_contain_their_conditions(task: Task) -> None:
    options = FsmOptions(samples=200, length=15)
    dataset = make_dataset(task, options, 5)
    conditions, _ = sample_conditions(task, 160, 0.1, 15, 5)
    states = as_sets(task, dataset.states)
    assert (dataset.origin == -1).sum() == 40
    for state, origin in zip(states, dataset.origin.tolist(), strict=True):
        assert state <= known(task)
        assert task.violated_group(np.array(sorted(state), dtype=np.int32)) is None
        assert all((p in state) != (n in state) for p, n in complement_pairs(task))
        if origin >= 0:
            assert as_set(conditions[origin]) <= state


@pytest.mark.parametrize("improved", [True, False])
def test_labels_are_upper_bounds_and_random_states_lie_above(task: Task, improved: bool) -> None:
    options = FsmOptions(samples=120, length=15, equal_states=improved, successors=improved)
    dataset = make_dataset(task, options, 6)
    states = as_sets(task, dataset.states)
    regressed = dataset.origin >= 0
    distances = goal_distances(task, [state for state, own in zip(states, regressed, strict=True) if own])
    for state, label, own in zip(states, dataset.labels.tolist(), regressed.tolist(), strict=True):
        if own:
            assert distances[state] <= label < dataset.beyond
        elif as_set(task.goal) <= state:
            assert label == 0
        elif not improved:
            assert label == dataset.beyond


def test_improvements_lower_labels_and_give_equal_states_equal_ones() -> None:
    task = make_tiny("gripper").task
    plain = make_dataset(task, FsmOptions(samples=400, length=20, equal_states=False, successors=False), 1)
    equal = make_dataset(task, FsmOptions(samples=400, length=20, successors=False), 1)
    both = make_dataset(task, FsmOptions(samples=400, length=20), 1)
    regressed = plain.origin >= 0
    assert (plain.states == both.states).all()
    sums = [int(dataset.labels[regressed].sum()) for dataset in (plain, equal, both)]
    assert sums[0] > sums[1] > sums[2]
    labels: dict[bytes, set[int]] = {}
    for row, label in zip(both.states, both.labels.tolist(), strict=True):
        labels.setdefault(row.tobytes(), set()).add(label)
    assert all(len(values) == 1 for values in labels.values())
    assert len(labels) < len(both), "the test needs states that are there twice"


def test_the_notes_say_how_long_regressions_may_be() -> None:
    task = make_tiny("blocks").task
    result = fsm.learn(make_trial(task, FsmOptions(samples=300)))
    dataset = make_dataset(task, FsmOptions(samples=300), 0)
    assert result.notes == {"samples": 300, "length": regression_limit(task), "longest": dataset.beyond - 1}
