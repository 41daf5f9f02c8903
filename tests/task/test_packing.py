"""States packed by mutex groups: few bits, nothing lost, nothing stored that search does not need."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward import _core
from goalward.search import search
from goalward.task.packing import choose_variables, fixed_atoms, native_problem
from goalward.task.reduction import relevant
from goalward.task.states import random_walk_states
from goalward.task.strips import Bools, Task
from helpers import Tiny
from oracle import as_set, make_task, reachable_states, strips_tasks, with_init


def everything(task: Task) -> Bools:
    return np.ones(task.n_atoms, dtype=bool)


def bits(k: int) -> int:
    return ceil(log2(k + 1))


def test_variables_cover_every_atom_once_with_parts_of_mutex_groups(tiny: Tiny) -> None:
    task = tiny.task
    variables = [as_set(variable) for variable in choose_variables(task, everything(task))]
    assert sorted(atom for variable in variables for atom in variable) == list(range(task.n_atoms))
    groups = [as_set(group) for group in task.mutex_groups]
    assert all(len(variable) == 1 or any(variable <= group for group in groups) for variable in variables)
    # No group is left with two atoms in variables of their own: they could have shared one.
    alone = {atom for variable in variables if len(variable) == 1 for atom in variable}
    assert all(len(alone & group) < 2 for group in groups)


def test_a_variable_of_k_atoms_takes_the_bits_for_k_plus_one_values(tiny: Tiny) -> None:
    task = tiny.task
    variables = choose_variables(task, everything(task))
    problem = native_problem(task, whole=True)
    assert problem.n_variables == len(variables)
    assert problem.state_bits == sum(bits(len(variable)) for variable in variables)
    assert problem.state_bytes * 8 >= problem.state_bits
    assert problem.state_bytes % 4 == 0


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 8, 15, 16, 31, 255, 256])
def test_a_single_group_of_k_atoms(k: int) -> None:
    step = [([i], [(i + 1) % k], [i], 1) for i in range(k)] if k > 1 else []
    task = make_task(k, step, [0], [k - 1], [list(range(k))] if k > 1 else [])
    problem = native_problem(task, whole=True)
    assert problem.n_variables == 1
    assert problem.state_bits == bits(k)
    assert problem.state_bytes == 4


def test_packing_and_unpacking_is_lossless_along_random_walks(tiny: Tiny) -> None:
    for state in random_walk_states(tiny.task, 40, 25, seed=3):
        (same,) = random_walk_states(tiny.task, 1, 0, seed=0, start=state)
        assert same.tolist() == state.tolist()


@given(task=strips_tasks(), data=st.data())
def test_packing_and_unpacking_is_lossless_for_any_state(task: Task, data: st.DataObject) -> None:
    state = data.draw(st.sets(st.integers(0, task.n_atoms - 1)))
    start = np.array(sorted(state), dtype=np.int32)
    (same,) = random_walk_states(task, 1, 0, seed=0, start=start)
    assert as_set(same) == state


def test_two_atoms_of_one_variable_do_not_pack() -> None:
    task = make_task(3, [([0], [1], [0], 1)], [0, 1], [2], [[0, 1]])
    with pytest.raises(ValueError, match="exclude each other"):
        random_walk_states(task, 1, 1, seed=0)


def test_a_delete_that_is_no_precondition_acts_only_where_its_atom_holds() -> None:
    # Atoms 0, 1, 2 share a variable; the operator deletes 1 without asking for it, so 0 and 2 must survive.
    task = make_task(4, [([], [3], [1], 1)], [], [3], [[0, 1, 2]])
    for start, end in [({0}, {0, 3}), ({1}, {3}), ({2}, {2, 3}), (set(), {3})]:
        (state,) = random_walk_states(with_init(task, start), 1, 1, seed=0)
        assert as_set(state) == end


# --- what search stores ---


def test_search_stores_what_the_goal_depends_on_and_what_can_change(tiny: Tiny) -> None:
    task = tiny.task
    atoms, _ = relevant(task.n_atoms, task.pre, task.add, task.goal)
    stored = atoms & ~fixed_atoms(task)
    problem = native_problem(task, whole=False)
    assert problem.n_variables == len(choose_variables(task, stored))
    assert problem.state_bits <= native_problem(task, whole=True).state_bits


def test_fixed_atoms_hold_in_every_reachable_state(tiny: Tiny) -> None:
    fixed = set(np.flatnonzero(fixed_atoms(tiny.task)).tolist())
    assert all(fixed <= state for state in reachable_states(tiny.task))


def test_a_state_without_a_fixed_atom_is_searched_in_the_whole_problem() -> None:
    # Atom 0 holds from the start and nothing deletes it, but a start without it has to make it first.
    task = make_task(3, [([2], [0], [], 1), ([0], [1], [], 1)], [0, 2], [1])
    assert fixed_atoms(task).tolist() == [True, False, True]
    assert search(task, "ff").steps == ["(o1)"]
    assert search(task, "ff", init=np.array([2], dtype=np.int32)).steps == ["(o0)", "(o1)"]


def test_a_problem_without_atoms_packs_into_one_word() -> None:
    problem = native_problem(make_task(0, [], [], []), whole=True)
    assert (problem.n_variables, problem.state_bits, problem.state_bytes) == (0, 0, 4)
    assert isinstance(problem, _core.Problem)
