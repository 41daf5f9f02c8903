"""Applicable operators against trying every operator, on the shapes that a decision tree finds hard."""

from __future__ import annotations

import numpy as np
import pytest

from goalward.task.packing import native_problem
from goalward.task.states import random_walk_states
from goalward.task.strips import Rows, Task


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
