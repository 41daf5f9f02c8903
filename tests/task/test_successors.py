"""Applicable operators and successors against trying every operator, on bundled domains and on shapes that are hard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.errors import GoalwardError
from goalward.task.packing import native_problem
from goalward.task.states import format_problem, random_walk_states
from goalward.task.strips import Ints, Rows, Task
from helpers import Tiny, make_tiny
from oracle import reachable_states, strips_tasks


def task_of(n_atoms: int, rows: list[tuple[list[int], list[int], list[int]]], init: list[int], goal: list[int]) -> Task:
    """Operators as (pre, add, delete) over atoms without mutexes: every atom is a variable of its own."""
    return Task(
        domain_name="made",
        problem_name="up",
        atoms=tuple(f"(a{i})" for i in range(n_atoms)),
        operators=tuple(f"(o{i})" for i in range(len(rows))),
        pre=Rows.of([row[0] for row in rows]),
        add=Rows.of([row[1] for row in rows]),
        delete=Rows.of([row[2] for row in rows]),
        costs=np.ones(len(rows), dtype=np.int32),
        init=np.array(init, dtype=np.int32),
        goal=np.array(goal, dtype=np.int32),
        mutex_groups=Rows.of([]),
        complement_of=np.full(n_atoms, -1, dtype=np.int32),
        uses_costs=False,
        domain_text="",
        problem_text="",
    )


def test_thirty_thousand_independent_variables() -> None:
    n = 30_000
    rows = [([i], [n + i], [i]) for i in range(n)]
    task = task_of(2 * n, rows, list(range(n)), [2 * n - 1])
    native_problem(task, whole=True)  # neither the stack nor patience ends
    ends = random_walk_states(task, 1, 5, seed=1)
    assert len(ends[0]) == n
    assert (ends[0] >= n).sum() == 5


@pytest.mark.parametrize("n", [63, 64, 65, 66, 500, 5000])
def test_every_fact_of_a_long_precondition_is_tested(n: int) -> None:
    """The one operator needs n atoms; with any one of the last ones missing it must not be applied."""
    task = task_of(n + 1, [(list(range(n)), [n], [])], list(range(n)), [n])
    assert random_walk_states(task, 1, 1, seed=0)[0].tolist() == list(range(n + 1))
    for missing in {0, n // 2, n - 2, n - 1}:
        init = [atom for atom in range(n) if atom != missing]
        lacking = task_of(n + 1, [(list(range(n)), [n], [])], init, [n])
        assert random_walk_states(lacking, 1, 1, seed=0)[0].tolist() == init


def assert_successors_are_those_of_the_definition(task: Task, state: Ints) -> None:
    """Every operator is tried: applicable where Pre ⊆ s, and then (s \\ Del) ∪ Add."""
    truth = set(state.tolist())
    expected = {
        o: (truth - set(task.delete[o].tolist())) | set(task.add[o].tolist())
        for o in range(task.n_operators)
        if set(task.pre[o].tolist()) <= truth
    }
    found = task.successors(state)
    assert {operator: set(after.tolist()) for operator, after in found} == expected
    assert [operator for operator, _ in found] == sorted(expected) == task.applicable(state).tolist()
    assert all((np.diff(after) > 0).all() for _, after in found)


def test_successors_of_states_along_walks(tiny: Tiny) -> None:
    for state in random_walk_states(tiny.task, 20, 9, seed=1):
        assert_successors_are_those_of_the_definition(tiny.task, state)


@given(task=strips_tasks(), draw=st.data())
def test_successors_in_made_up_tasks(task: Task, draw: st.DataObject) -> None:
    states = [np.array(sorted(state), dtype=np.int32) for state in reachable_states(task)]
    assert_successors_are_those_of_the_definition(task, draw.draw(st.sampled_from(states)))


def test_a_state_may_be_any_list_of_atoms_or_a_problem_file(tmp_path: Path) -> None:
    task = make_tiny("blocks").task
    expected = task.applicable(task.init).tolist()
    (tmp_path / "p.pddl").write_text(format_problem(task, task.init, "p"))
    for state in [[*reversed(task.init.tolist())], task.init.astype(np.int64), tmp_path / "p.pddl"]:
        assert task.applicable(state).tolist() == expected
    assert len(expected) > 0


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ([-1], "has the atom -1"),
        ([0, 1_000_000], "has the atom 1000000"),
        ([0.5], "a state must be the ids or the names of its true atoms"),
        ([[0], [1]], "a state must be the ids or the names of its true atoms"),
        (["(handempty)"], r"\(handempty\) is not an atom of .*; did you mean"),
        (np.arange(20), "cannot hold together"),
        ("nowhere.pddl", r"nowhere\.pddl"),
    ],
)
def test_what_is_no_state_is_refused(state: object, message: str) -> None:
    with pytest.raises(GoalwardError, match=message):
        make_tiny("blocks").task.successors(state)  # type: ignore[arg-type]
