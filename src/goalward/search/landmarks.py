"""Landmarks of a task: atoms that every plan makes true at some time, and orders between them.

>>> graph = find_landmarks(task)  # doctest: +SKIP
>>> graph.names[:2], graph.orders("greedy-necessary")[:1]  # doctest: +SKIP
(['(ontable a)', '(clear a)'], [(0, 2)])

Fact landmarks are all atoms that every plan of the delete relaxation makes true. Disjunctive landmarks are sets of
atoms of one predicate of which every plan makes one true; some of them are found as well. Searches that use landmarks
find them themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from goalward import _core
from goalward.errors import UsageError
from goalward.former_names import renamed_fields
from goalward.task.packing import problem_for
from goalward.task.states import BitRows, StateLike, as_state, from_bits
from goalward.task.strips import Bools, Ints, Rows, Task

OrderKind = Literal["natural", "greedy-necessary", "necessary", "reasonable"]


@renamed_fields(most_disjuncts="max_disjuncts")
@dataclass(frozen=True)
class LandmarkOptions:
    """Options of :func:`find_landmarks`.

    ``max_disjuncts`` is the maximum number of atoms in a disjunctive landmark; below 2, there are none. ``reasonable``
    turns on reasonable orders.
    """

    max_disjuncts: int = 4
    reasonable: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.max_disjuncts <= 1000:
            raise UsageError(f"max_disjuncts must be between 0 and 1000, but is {self.max_disjuncts}")


@dataclass(frozen=True, eq=False)
class LandmarkGraph:
    """The landmarks of one state, and orders between them.

    ``atoms`` has a row per landmark: one atom, or several of which one must hold at some time. ``before[kind][p, q]``
    is true if landmark q is ordered before landmark p:

    - natural: q holds at some time before p first becomes true;
    - greedy-necessary: q holds immediately before p first becomes true;
    - necessary: q holds immediately before each time that p becomes true;
    - reasonable: a plan that makes p true before q probably has to make p false again for q. Unlike the other orders,
      this one is heuristic.

    Atoms that hold in the state and that no operator deletes are left out. If the delete relaxation has no plan,
    ``solvable`` is False and there are no landmarks.
    """

    task: Task
    solvable: bool
    atoms: Rows
    is_goal: Bools
    holds_now: Bools
    before: dict[OrderKind, Bools]

    def __len__(self) -> int:
        return len(self.atoms)

    @cached_property
    def names(self) -> list[str]:
        """A text for each landmark, such as ``(in p t1) or (in p t2)``."""
        return [" or ".join(self.task.atoms[atom] for atom in row) for row in self.atoms]

    def orders(self, kind: OrderKind) -> list[tuple[int, int]]:
        """The orders of one kind, as pairs of landmarks with the first ordered before the second."""
        after, before = np.nonzero(self.before[kind])
        return list(zip(before.tolist(), after.tolist(), strict=True))


def find_landmarks(task: Task, init: StateLike | None = None, options: LandmarkOptions | None = None) -> LandmarkGraph:
    """Find the landmarks of the plans from the state ``init`` (default: the task's own initial state)."""
    state = task.init if init is None else as_state(task, init)
    found = landmark_finder(task, state, options).find(state)
    kinds: Sequence[OrderKind] = get_args(OrderKind)
    if found is None:
        none, no_orders = np.zeros(0, dtype=bool), np.zeros((0, 0), dtype=bool)
        return LandmarkGraph(task, False, Rows.of([]), none, none, dict.fromkeys(kinds, no_orders))
    offsets, atoms, is_goal, holds_now, *orders = found
    before = {kind: _square(rows, len(is_goal)) for kind, rows in zip(kinds, orders, strict=True)}
    return LandmarkGraph(task, True, Rows(offsets, atoms), is_goal.astype(bool), holds_now.astype(bool), before)


def _square(rows: BitRows, n: int) -> Bools:
    return from_bits(rows, n) if n else np.zeros((0, 0), dtype=bool)


def landmark_finder(task: Task, state: Ints, options: LandmarkOptions | None = None) -> _core.LandmarkKnowledge:
    """The native landmark finder, on the native problem that this state needs."""
    options = options or LandmarkOptions()
    return _core.LandmarkKnowledge(
        problem_for(task, state),
        task.mutex_groups.offsets,
        task.mutex_groups.values,
        atom_kinds(task),
        max_disjuncts=options.max_disjuncts,
        reasonable=options.reasonable,
    )


def atom_kinds(task: Task) -> Ints:
    """A number for each atom that identifies its predicate; negated atoms count as another predicate."""
    numbers: dict[tuple[str, bool], int] = {}
    kinds = []
    for name, positive in zip(task.atoms, task.complement_of, strict=True):
        negated = bool(positive >= 0)
        predicate = (task.atoms[positive] if negated else name).strip("()").partition(" ")[0]
        kinds.append(numbers.setdefault((predicate, negated), len(numbers)))
    return np.array(kinds, dtype=np.int32)
