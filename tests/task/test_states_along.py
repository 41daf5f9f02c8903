"""States along plans: those of a replay with sets of atoms, and no step that cannot be taken."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.search import search
from goalward.task.states import BitRows, from_bits, states_along
from goalward.task.strips import Task
from helpers import Tiny, make_tiny
from oracle import State, as_set, make_task, strips_tasks, successors


def replay(task: Task, start: State, plan: list[int]) -> list[State]:
    states = [start]
    for operator in plan:
        states.append(dict(successors(task, states[-1]))[operator])
    return states


def as_sets(task: Task, rows: BitRows) -> list[State]:
    return [as_set(np.flatnonzero(truth)) for truth in from_bits(rows, task.n_atoms)]


def test_the_states_along_a_plan_are_those_of_a_replay(tiny: Tiny) -> None:
    plan = search(tiny.task, "ff").plan
    assert plan
    states = as_sets(tiny.task, states_along(tiny.task, tiny.task.init, plan))
    assert states == replay(tiny.task, as_set(tiny.task.init), list(plan))
    assert tiny.task.is_goal(np.array(sorted(states[-1]), dtype=np.int32))


@given(task=strips_tasks(), data=st.data(), seed=st.integers(0, 999))
def test_any_walk_from_any_state_is_replayed(task: Task, data: st.DataObject, seed: int) -> None:
    start = as_set(data.draw(st.sets(st.integers(0, task.n_atoms - 1))))
    draw, state, plan = random.Random(seed), start, []
    for _ in range(5):
        steps = list(successors(task, state))
        if not steps:
            break
        operator, state = draw.choice(steps)
        plan.append(operator)
    rows = states_along(task, np.array(sorted(start), dtype=np.int32), plan)
    assert as_sets(task, rows) == replay(task, start, plan)


def test_an_empty_plan_passes_one_state(tiny: Tiny) -> None:
    assert as_sets(tiny.task, states_along(tiny.task, tiny.task.init, [])) == [as_set(tiny.task.init)]


def test_a_step_that_is_not_applicable_is_named() -> None:
    task = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2]])
    assert len(states_along(task, task.init, [0, 1])) == 3
    with pytest.raises(ValueError, match="step 1 is not applicable"):
        states_along(task, task.init, [1])
    with pytest.raises(ValueError, match="step 3 is not applicable"):
        states_along(task, task.init, [0, 1, 0])


@pytest.mark.parametrize("beyond", [0, 1, 10**6])
def test_a_step_that_is_no_operator_is_named(beyond: int) -> None:
    task = make_tiny("blocks").task
    with pytest.raises(ValueError, match="step 1 is not an operator"):
        states_along(task, task.init, [task.n_operators + beyond])
    with pytest.raises(ValueError, match="step 1 is not an operator"):
        states_along(task, task.init, [-1 - beyond])
