"""SING: backward depth-first searches through full states, against predecessors found by brute force."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from goalward.baselines import sing
from goalward.baselines.regressed import PLAIN_SAMPLERS
from goalward.baselines.sing import BackwardStates, SingOptions, random_goal_states, search_backwards
from goalward.task.strips import Task
from helpers import TINY, ground_texts, make_tiny
from oracle import State, as_set, goal_distances, make_task, reachable_states

from .learners import LAMPS_DOMAIN, LAMPS_PROBLEM, as_sets, complement_pairs, known, make_trial

NAMES = [*TINY, "lamps"]


def task_of(name: str) -> Task:
    return ground_texts(LAMPS_DOMAIN, LAMPS_PROBLEM) if name == "lamps" else make_tiny(name).task


@pytest.fixture(params=NAMES)
def task(request: pytest.FixtureRequest) -> Task:
    return task_of(request.param)


def has_mutex_pair(task: Task, state: State) -> bool:
    return task.violated_group(np.array(sorted(state), dtype=np.int32)) is not None


def predecessors(task: Task, state: State) -> Iterator[tuple[int, State]]:
    """States s' = (s \\ (Add \\ Pre)) ∪ Pre, with the complements of what this takes, where a leads from s' to s."""
    seen, other = known(task), dict(complement_pairs(task))
    other |= {negative: positive for positive, negative in other.items()}
    for a in range(task.n_operators):
        pre, add, delete = (as_set(rows[a]) & seen for rows in (task.pre, task.add, task.delete))
        fixed = seen - as_set(np.flatnonzero(sing.core_atoms(task)))
        added = add - pre - fixed
        if not (add - fixed):  # changes nothing that matters
            continue
        before = (state - added) | pre | {other[atom] for atom in added if atom in other}
        if (before - delete) | add == state and not has_mutex_pair(task, before):
            yield a, before


def behind(task: Task, goal: State) -> set[State]:
    """All states from which steps back from a goal state can come."""
    found, stack = {goal}, [goal]
    while stack:
        for _, state in predecessors(task, stack.pop()):
            if state not in found:
                found.add(state)
                stack.append(state)
    return found


def by_search(task: Task, found: BackwardStates) -> list[list[int]]:
    """The rows of each search."""
    return [np.flatnonzero(found.search == i).tolist() for i in range(int(found.search.max()) + 1)]


# --- goal states ---


@pytest.mark.parametrize("sampler", PLAIN_SAMPLERS)
def test_goal_states_are_full_states_with_the_goal_and_without_mutex_pairs(task: Task, sampler: str) -> None:
    goals = as_sets(task, random_goal_states(task, 60, sampler, 3))
    assert len(goals) == 60
    for state in goals:
        assert as_set(task.goal) <= state <= known(task)
        assert not has_mutex_pair(task, state)
        assert all((p in state) != (n in state) for p, n in complement_pairs(task))


def test_goal_states_differ_where_the_goal_leaves_room_and_follow_the_seed() -> None:
    task = make_tiny("courier").task

    def drawn(seed: int) -> list[State]:
        return as_sets(task, random_goal_states(task, 40, "uniform", seed))

    assert len(set(drawn(0))) > 3
    assert drawn(0) == drawn(0) != drawn(1)


# --- one search ---


def test_every_state_leads_to_its_parent_by_its_operator(task: Task) -> None:
    found = search_backwards(task, random_goal_states(task, 8, "uniform", 0), 60, 1)
    states, seen, deeper = as_sets(task, found.states), known(task), 0
    for row, state in enumerate(states):
        parent, operator = int(found.parent[row]), int(found.operators[row])
        if parent < 0:
            assert (found.depth[row], operator) == (0, -1)
            assert as_set(task.goal) <= state
            continue
        assert as_set(task.pre[operator]) <= state
        assert ((state - as_set(task.delete[operator])) | as_set(task.add[operator])) & seen == states[parent]
        assert found.depth[row] == found.depth[parent] + 1
        assert found.search[row] == found.search[parent]
        assert not has_mutex_pair(task, state)
        assert all((p in state) != (n in state) for p, n in complement_pairs(task))
        deeper += 1
    assert deeper > 0


def test_depths_are_upper_bounds_of_true_distances(task: Task) -> None:
    found = search_backwards(task, random_goal_states(task, 4, "reachable", 0), 40, 1)
    states = as_sets(task, found.states)
    distances = goal_distances(task, states)
    assert all(distances[state] <= depth for state, depth in zip(states, found.depth.tolist(), strict=True))


def test_states_that_can_occur_are_among_those_found() -> None:
    task = make_tiny("gripper").task
    found = search_backwards(task, random_goal_states(task, 5, "reachable", 0), 100, 1)
    assert reachable_states(task) & set(as_sets(task, found.states))


@pytest.mark.parametrize("samples", [1, 2, 30, 5000])
def test_a_search_visits_so_many_states_at_most_and_none_twice(samples: int) -> None:
    for name in ("blocks", "lights", "visitall", "lamps"):
        task = task_of(name)
        found = search_backwards(task, random_goal_states(task, 6, "uniform", 5), samples, 2)
        states = as_sets(task, found.states)
        searches = by_search(task, found)
        assert found.search.tolist() == sorted(found.search.tolist())
        assert len(searches) == 6
        for rows in searches:
            assert 1 <= len(rows) <= samples
            assert len({states[row] for row in rows}) == len(rows)


def test_a_search_ends_early_only_where_nothing_is_left_behind_it(task: Task) -> None:
    found = search_backwards(task, random_goal_states(task, 5, "uniform", 7), 150, 0)
    states = as_sets(task, found.states)
    for rows in by_search(task, found):
        visited = {states[row] for row in rows}
        if len(rows) < 150:
            assert visited == behind(task, states[rows[0]])


def test_searches_are_depth_first(task: Task) -> None:
    found = search_backwards(task, random_goal_states(task, 5, "uniform", 7), 80, 0)
    states = as_sets(task, found.states)
    for rows in by_search(task, found):
        path, visited = [rows[0]], {states[rows[0]]}
        for row in rows[1:]:
            # The parent is on the path; what lies deeper is left only when everything behind it has been visited.
            while path[-1] != found.parent[row]:
                assert {state for _, state in predecessors(task, states[path.pop()])} <= visited
                assert path, "the parent is not on the path"
            assert found.depth[row] == len(path)
            path.append(row)
            visited.add(states[row])


def test_any_predecessor_may_come_first() -> None:
    task = make_tiny("gripper").task
    goals = np.repeat(random_goal_states(task, 1, "uniform", 0), 400, axis=0)
    found = search_backwards(task, goals, 2, 9)
    first = as_sets(task, found.states)[0]
    chosen = found.operators[found.depth == 1].tolist()
    possible = [operator for operator, _ in predecessors(task, first)]
    assert len(possible) > 1
    assert set(chosen) == set(possible)
    expected = 400 / len(possible)
    assert all(expected / 2 < chosen.count(operator) < 2 * expected for operator in possible)


def test_a_search_follows_the_seed_and_its_number_alone() -> None:
    task = make_tiny("gripper").task
    goals = random_goal_states(task, 6, "uniform", 0)

    def operators(n: int, seed: int) -> list[int]:
        found = search_backwards(task, goals[:n], 40, seed)
        return found.operators[found.search < 3].tolist()

    assert operators(6, 1) == operators(6, 1) == operators(3, 1)
    assert operators(6, 1) != operators(6, 2)


# --- the data set ---


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The states that each round of searches found."""
    sizes: list[int] = []
    real: Callable[..., BackwardStates] = search_backwards

    def counted(*arguments: object) -> BackwardStates:
        found = real(*arguments)
        sizes.append(len(found.depth))
        return found

    monkeypatch.setattr(sing, "search_backwards", counted)
    return sizes


def test_the_data_set_has_all_the_states_asked_for_where_there_are_as_many(rounds: list[int]) -> None:
    for name in ("tiles", "gripper", "visitall"):
        rounds.clear()
        dataset, searches = sing.make_dataset(task_of(name), SingOptions(searches=10, samples=40), 0)
        assert len(dataset) == 400
        assert searches == 10 * len(rounds)
        assert sum(rounds[:-1]) < 400 <= sum(rounds)


def test_searches_that_stand_in_for_short_ones_are_bounded(rounds: list[int]) -> None:
    # Two states lie behind the goal: no number of searches gives the fifty that each may visit.
    chain = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2]])
    dataset, searches = sing.make_dataset(chain, SingOptions(searches=4, samples=50), 0)
    assert searches == 40
    assert rounds == [12] * 10
    assert len(dataset) == 120
    labelled = zip(as_sets(chain, dataset.states), dataset.labels.tolist(), strict=True)
    assert set(labelled) == {(frozenset({2}), 0), (frozenset({1}), 1), (frozenset({0}), 2)}


def test_labels_are_depths(task: Task) -> None:
    options = SingOptions(searches=5, samples=30)
    dataset, _ = sing.make_dataset(task, options, 6)
    first = search_backwards(task, random_goal_states(task, 5, "uniform", 6), 30, 6)
    n = len(first.depth)
    assert dataset.labels[:n].tolist() == first.depth.tolist()
    assert (dataset.states[:n] == first.states).all()
    assert dataset.beyond == dataset.labels.max() + 1


def test_the_notes_say_how_many_searches_it_took() -> None:
    task = make_tiny("blocks").task
    result = sing.learn(make_trial(task, SingOptions(searches=5, samples=30)))
    dataset, searches = sing.make_dataset(task, SingOptions(searches=5, samples=30), 0)
    deepest = int(dataset.labels.max())
    assert result.notes == {"samples": len(dataset), "searches": searches, "deepest": deepest}
