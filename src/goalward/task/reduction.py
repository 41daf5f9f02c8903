"""Shrink a grounded task to what can matter: mutex-free preconditions, relaxed reachability, relevance.

Removing operators whose precondition holds a mutex pair is not cosmetic. Regression would otherwise walk through
them into sets of states that do not exist, such as ``on(g, g)``.
"""

from __future__ import annotations

import numpy as np

from goalward.task.strips import Bools, Ints, Rows


def rows_with_mutex_pair(rows: Rows, groups_of: Rows, n_groups: int) -> Bools:
    """Which rows hold two atoms of one mutex group?"""
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
    """Atoms and operators reachable from ``init`` when deletes are ignored."""
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
    """Atoms that the goal's truth can depend on, and the operators that add one of them.

    A plan never needs any other operator, so search may leave out both the atoms and the operators.
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
