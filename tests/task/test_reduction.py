"""Mutex pairs, relaxed reachability and relevance, against definitions spelled out with sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.task.reduction import relaxed_reachable, relevant, rows_with_mutex_pair
from goalward.task.strips import Rows, Task
from helpers import Tiny
from oracle import as_set, cheapest_cost, make_task, strips_tasks

ATOMS = 8
some_atoms = st.sets(st.integers(0, ATOMS - 1), max_size=4).map(sorted)


@given(rows=st.lists(some_atoms, max_size=6), groups=st.lists(some_atoms, max_size=5))
def test_a_row_has_a_mutex_pair_when_it_shares_two_atoms_with_a_group(
    rows: list[list[int]], groups: list[list[int]]
) -> None:
    found = rows_with_mutex_pair(Rows.of(rows), Rows.of(groups).transpose(ATOMS), len(groups))
    assert found.tolist() == [any(len(set(row) & set(group)) > 1 for group in groups) for row in rows]


@given(task=strips_tasks())
def test_reachability_is_the_least_fixpoint(task: Task) -> None:
    atoms, operators = relaxed_reachable(task.n_atoms, task.pre, task.add, task.init)
    reached = as_set(task.init)
    for _ in range(task.n_operators):
        usable = [o for o in range(task.n_operators) if as_set(task.pre[o]) <= reached]
        reached = reached.union(*(as_set(task.add[o]) for o in usable))
    assert set(np.flatnonzero(atoms).tolist()) == reached
    assert operators.tolist() == [as_set(task.pre[o]) <= reached for o in range(task.n_operators)]


@given(task=strips_tasks())
def test_relevance_is_the_least_fixpoint_from_the_goal(task: Task) -> None:
    atoms, operators = relevant(task.n_atoms, task.pre, task.add, task.goal)
    needed = as_set(task.goal)
    for _ in range(task.n_operators):
        useful = [o for o in range(task.n_operators) if as_set(task.add[o]) & needed]
        needed = needed.union(*(as_set(task.pre[o]) for o in useful))
    assert set(np.flatnonzero(atoms).tolist()) == needed
    assert operators.tolist() == [bool(as_set(task.add[o]) & needed) for o in range(task.n_operators)]


@given(task=strips_tasks())
def test_irrelevant_operators_are_never_needed(task: Task) -> None:
    _, operators = relevant(task.n_atoms, task.pre, task.add, task.goal)
    kept = [(task.pre[o], task.add[o], task.delete[o], int(task.costs[o])) for o in np.flatnonzero(operators)]
    smaller = make_task(task.n_atoms, kept, task.init, task.goal)
    assert cheapest_cost(smaller, unit_costs=False) == cheapest_cost(task, unit_costs=False)


def test_no_atoms_no_operators_no_groups() -> None:
    empty = Rows.of([])
    nothing = np.zeros(0, dtype=np.int32)
    assert rows_with_mutex_pair(empty, empty, 0).tolist() == []
    assert [part.tolist() for part in relaxed_reachable(0, empty, empty, nothing)] == [[], []]
    assert [part.tolist() for part in relevant(0, empty, empty, nothing)] == [[], []]


@pytest.mark.parametrize("rows", [[], [[]], [[], [1, 2], []], [[3], [0, 1, 2], []]])
def test_rows_select_keep_renumber_and_transpose(rows: list[list[int]]) -> None:
    made = Rows.of(rows)
    assert [row.tolist() for row in made] == rows
    mask = np.array([len(row) != 1 for row in rows], dtype=bool)
    assert [row.tolist() for row in made.select(mask)] == [row for row in rows if len(row) != 1]
    new_id = np.array([-1, 7, 5, -1], dtype=np.int32)
    assert [row.tolist() for row in made.renumber(new_id)] == [
        [int(new_id[v]) for v in row if new_id[v] >= 0] for row in rows
    ]
    assert [row.tolist() for row in made.transpose(4)] == [
        [i for i, row in enumerate(rows) if value in row] for value in range(4)
    ]


def test_bundled_tasks_hold_nothing_that_reduction_would_still_remove(tiny: Tiny) -> None:
    task = tiny.task
    assert not rows_with_mutex_pair(task.pre, task.groups_of, len(task.mutex_groups)).any()
    atoms, operators = relaxed_reachable(task.n_atoms, task.pre, task.add, task.init)
    assert operators.all()
    # A complement atom stays beside its atom, reachable or not.
    assert (atoms | (task.complement_of >= 0) | np.isin(np.arange(task.n_atoms), task.complement_of)).all()
