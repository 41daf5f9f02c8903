"""Analyses for reducing a grounded task: mutexes in preconditions, relaxed reachability and relevance.

Operators whose precondition contains a mutex pair must be removed. Otherwise regression would use them and reach sets
of states that do not exist, such as ``on(g, g)``.
"""

from __future__ import annotations

import numpy as np

from goalward.task.strips import Bools, Ints, Rows


def rows_with_mutex_pair(rows: Rows, groups_of: Rows, n_groups: int) -> Bools:
    """A mask of the rows that contain two atoms of the same mutex group."""
    lengths = groups_of.lengths[rows.values]
    owners = np.repeat(rows.owners, lengths).astype(np.int64)
    starts = np.repeat(groups_of.offsets[rows.values], lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    keys = owners * max(n_groups, 1) + groups_of.values[starts + within]
    unique, counts = np.unique(keys, return_counts=True)
    result = np.zeros(len(rows), dtype=bool)
    result[unique[counts > 1] // max(n_groups, 1)] = True
    return result


def relaxed_reachable(n_atoms: int, pre: Rows, add: Rows, init: Ints) -> tuple[Bools, Bools]:
    """Masks of the atoms and operators that are reachable from ``init`` if deletes are ignored."""
    reached = np.zeros(n_atoms, dtype=bool)
    reached[init] = True
    usable = np.zeros(len(pre), dtype=bool)
    while True:
        missing = np.bincount(pre.owners[~reached[pre.values]], minlength=len(pre))
        fresh = (missing == 0) & ~usable
        if not fresh.any():
            return reached, usable
        usable |= fresh
        reached[add.values[fresh[add.owners]]] = True


def relevant(n_atoms: int, pre: Rows, add: Rows, goal: Ints) -> tuple[Bools, Bools]:
    """Masks of the atoms that the goal can depend on, and of the operators that add one of them.

    No plan needs any other operator, so search may ignore all others.
    """
    atoms = np.zeros(n_atoms, dtype=bool)
    atoms[goal] = True
    while True:
        operators = np.zeros(len(pre), dtype=bool)
        operators[add.owners[atoms[add.values]]] = True
        before = int(atoms.sum())
        atoms[pre.values[operators[pre.owners]]] = True
        if int(atoms.sum()) == before:
            return atoms, operators
