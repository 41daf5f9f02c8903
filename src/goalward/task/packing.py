"""Chooses finite-domain variables from the mutex groups and makes the native problem of a task."""

from __future__ import annotations

import heapq
from functools import lru_cache

import numpy as np

from goalward import _core
from goalward.task.reduction import relevant
from goalward.task.strips import Bools, Ints, Rows, Task


def choose_variables(task: Task, keep: Bools) -> Rows:
    """Cover the kept atoms with disjoint subsets of mutex groups, greedily by size.

    Each subset becomes one finite-domain variable. Atoms outside all groups become variables of their own.
    """
    left = [{int(atom) for atom in group if keep[atom]} for group in task.mutex_groups]
    heap = [(-len(group), i) for i, group in enumerate(left)]
    heapq.heapify(heap)
    variables: list[list[int]] = []
    covered = ~keep
    while heap:
        size, i = heapq.heappop(heap)
        if len(left[i]) != -size:  # stale entry: other variables have taken atoms since
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
    """Atoms that are true in every reachable state: they hold in all initial states and no operator deletes them."""
    fixed: Bools = np.bincount(np.concatenate(task.inits), minlength=task.n_atoms) == len(task.inits)
    fixed[task.delete.values] = False
    return fixed


@lru_cache(maxsize=8)
def core_atoms(task: Task) -> Bools:
    """Atoms that the goal can depend on and that are not :func:`fixed_atoms`."""
    atoms, _ = relevant(task.n_atoms, task.pre, task.add, task.goal)
    core = atoms & ~fixed_atoms(task)
    core.setflags(write=False)  # the cached array is shared by all callers
    return core


@lru_cache(maxsize=8)
def native_problem(task: Task, *, whole: bool) -> _core.Problem:
    """The task in the form that native search works on.

    Unless ``whole`` is true, it has only what search needs: the :func:`core_atoms`, and the operators that add one of
    them. It is then valid only for states in which all :func:`fixed_atoms` hold.
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
    """The native problem to use for a state: the whole one if a fixed atom does not hold in it."""
    missing = fixed_atoms(task)
    missing[state] = False
    return native_problem(task, whole=bool(missing.any()))
