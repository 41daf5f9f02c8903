"""Validation: which states are searched from, and what a score says."""

from __future__ import annotations

from goalward.experiments.scores import score
from goalward.learning.validation import WALK_SEED, validation_states
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.states import random_walk_states
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import make_task


def test_validation_states_are_open_and_follow_the_seed(roomy: Task) -> None:
    states = validation_states(roomy, 10, 0)
    assert len(states) == 10
    assert not any(roomy.is_goal(state) for state in states)
    again, other = validation_states(roomy, 10, 0), validation_states(roomy, 10, 1)
    assert [s.tolist() for s in again] == [s.tolist() for s in states]
    assert [s.tolist() for s in other] != [s.tolist() for s in states]


def test_validation_states_are_not_those_of_any_walk_that_people_make(roomy: Task) -> None:
    # `goalward walk` makes test states from a seed; the same seed, or a near one, must not give validation states.
    validation = {state.tobytes() for seed in range(20) for state in validation_states(roomy, 10, seed)}
    assert len(validation) == 200
    tests = {state.tobytes() for seed in range(20) for state in random_walk_states(roomy, 50, 200, seed)}
    assert not validation & tests
    # No seed that training takes leads to a walk seed that is itself a likely choice.
    assert WALK_SEED > 2**32
    assert WALK_SEED + 2**32 < 2**63


def test_validation_states_are_no_dead_ends_where_steps_cannot_be_undone() -> None:
    # A corridor: each step forward closes the door behind, and half of the doors lead nowhere.
    n = 30
    forward = [([i], [i + 1], [i], 1) for i in range(n)]
    astray = [([i], [n + 1], [i], 1) for i in range(n)]
    task = make_task(n + 2, forward + astray, [0], [n], [list(range(n + 2))])
    states = [state.tolist() for state in validation_states(task, 5, 0)]
    assert len(states) == 5
    assert [n + 1] not in states


def test_where_every_walk_ends_in_the_goal_those_states_must_do() -> None:
    task = make_task(2, [([0], [1], [0], 1)], [0], [1], [[0, 1]])
    assert [state.tolist() for state in validation_states(task, 3, 0)] == [[1]] * 3


def test_a_score_counts_solved_states_and_evaluations() -> None:
    task = make_tiny("blocks").task
    states = validation_states(task, 5, 0)
    blind = bind_heuristic(task, "blind")
    found = score(blind, states, SearchOptions(time_limit=5.0))
    assert (found.solved, found.states) == (5, 5)
    assert found.evaluations == sum(search(task, blind, init=s).statistics.evaluated for s in states)
    assert str(found) == "5/5"


def test_a_state_that_takes_too_long_is_not_solved(roomy: Task) -> None:
    found = score(bind_heuristic(roomy, "blind"), validation_states(roomy, 2, 0), SearchOptions(time_limit=0.05))
    assert (found.solved, found.states, found.evaluations) == (0, 2, 0)
