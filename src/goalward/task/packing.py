"""Choose finite-domain variables from the mutex groups and make the native problem from a task."""

from __future__ import annotations

import heapq
from functools import lru_cache

import numpy as np

from goalward import _core
from goalward.task.reduction import relevant
from goalward.task.strips import Bools, Ints, Rows, Task


def choose_variables(task: Task, keep: Bools) -> Rows:
    """Cover the kept atoms with disjoint parts of mutex groups, the largest remaining part first.

    One bit pattern then stands for a whole group; atoms outside all groups become variables of their own.
    """
    left = [{int(atom) for atom in group if keep[atom]} for group in task.mutex_groups]
    heap = [(-len(group), i) for i, group in enumerate(left)]
    heapq.heapify(heap)
    variables: list[list[int]] = []
    covered = ~keep
    while heap:
        size, i = heapq.heappop(heap)
        if len(left[i]) != -size:  # atoms went to another variable since: put it back at its true size
            heapq.heappush(heap, (-len(left[i]), i))
            continue
        if len(left[i]) < 2:
            break
        group = sorted(left[i])
        variables.append(group)
        covered[group] = True
        for atom in group:
            for other in task.groups_of[atom]:
                left[other].discard(atom)
    variables.extend([int(atom)] for atom in np.flatnonzero(~covered))
    return Rows.of(variables)


def fixed_atoms(task: Task) -> Bools:
    """Atoms that hold in all of the task's initial states and that no operator deletes: true wherever these lead."""
    fixed: Bools = np.bincount(np.concatenate(task.inits), minlength=task.n_atoms) == len(task.inits)
    fixed[task.delete.values] = False
    return fixed


@lru_cache(maxsize=8)
def core_atoms(task: Task) -> Bools:
    """Atoms that matter and vary: the goal can depend on them, and they are not :func:`fixed_atoms`."""
    atoms, _ = relevant(task.n_atoms, task.pre, task.add, task.goal)
    core = atoms & ~fixed_atoms(task)
    core.setflags(write=False)  # the cache hands the same array to every caller
    return core


@lru_cache(maxsize=8)
def native_problem(task: Task, *, whole: bool) -> _core.Problem:
    """The task as the native core walks through it.

    Unless ``whole`` is set, it stores only what search needs: the :func:`core_atoms`, and the operators that add one
    of them. It then serves states in which the fixed atoms hold.
    """
    atoms, operators = np.ones(task.n_atoms, dtype=bool), np.ones(task.n_operators, dtype=bool)
    if not whole:
        atoms = core_atoms(task)
        operators = np.bincount(task.add.owners[atoms[task.add.values]], minlength=task.n_operators) > 0
    variables = choose_variables(task, atoms)
    return _core.Problem(
        task.pre.offsets, task.pre.values, task.add.offsets, task.add.values, task.delete.offsets, task.delete.values,
        task.costs, task.goal, variables.offsets, variables.values, operators.astype(np.uint8), task.n_atoms,
    )  # fmt: skip


def problem_for(task: Task, state: Ints) -> _core.Problem:
    """The native problem for a state: the whole one where an atom that always holds in the task does not hold."""
    missing = fixed_atoms(task)
    missing[state] = False
    return native_problem(task, whole=bool(missing.any()))
