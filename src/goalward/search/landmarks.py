"""Landmarks of a task: what every plan makes true at some time, and in which order.

>>> graph = find_landmarks(task)  # doctest: +SKIP
>>> graph.names[:2], graph.orders("greedy-necessary")[:1]  # doctest: +SKIP
(['(ontable a)', '(clear a)'], [(0, 2)])

Fact landmarks are all atoms that every plan makes use of even when deletes are ignored. Some sets of atoms of one
predicate, of which every plan makes use of one, are looked for as well. ``docs/architecture.md`` says how; search finds
the landmarks of its initial state itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from goalward import _core
from goalward.errors import UsageError
from goalward.task.packing import problem_for
from goalward.task.states import BitRows, from_bits
from goalward.task.strips import Bools, Ints, Rows, Task

OrderKind = Literal["natural", "greedy-necessary", "necessary", "reasonable"]


@dataclass(frozen=True)
class LandmarkOptions:
    """Whether to look for sets of up to ``most_disjuncts`` atoms (below 2: none), and for orders that are guesses."""

    most_disjuncts: int = 4
    reasonable: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.most_disjuncts <= 1000:
            raise UsageError(f"most_disjuncts is {self.most_disjuncts}; it goes from 0 to 1000")


@dataclass(frozen=True, eq=False)
class LandmarkGraph:
    """The landmarks of one state, and orders between them.

    ``atoms`` has a row per landmark: one atom, or several of which one must hold at some time. ``before[kind][p, q]``
    says whether landmark q is ordered before landmark p:

    - natural: q holds at some time before p first does;
    - greedy-necessary: q holds in the very step before p first does;
    - necessary: q holds in the step before each time that p becomes true;
    - reasonable: whoever reaches p before q is likely to have to give p up again for q. A guess, unlike the others.

    Atoms that hold now and that no operator deletes are left out. ``solvable`` is False, and there are no
    landmarks, where there is no plan even when deletes are ignored.
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
        """Each landmark in words, ``(in p t1) or (in p t2)``."""
        return [" or ".join(self.task.atoms[atom] for atom in row) for row in self.atoms]

    def orders(self, kind: OrderKind) -> list[tuple[int, int]]:
        """Pairs of landmarks, the first ordered before the second."""
        after, before = np.nonzero(self.before[kind])
        return list(zip(before.tolist(), after.tolist(), strict=True))


def find_landmarks(task: Task, init: Ints | None = None, options: LandmarkOptions | None = None) -> LandmarkGraph:
    """The landmarks on the way from ``init`` (default: the task's own initial state) to the goal."""
    state = task.init if init is None else init
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
    """What finds landmarks natively, on the problem that serves this state."""
    options = options or LandmarkOptions()
    return _core.LandmarkKnowledge(
        problem_for(task, state),
        task.mutex_groups.offsets,
        task.mutex_groups.values,
        atom_kinds(task),
        most_disjuncts=options.most_disjuncts,
        reasonable=options.reasonable,
    )


def atom_kinds(task: Task) -> Ints:
    """A number per atom, equal for atoms of one predicate; negated atoms count as a predicate of their own."""
    numbers: dict[tuple[str, bool], int] = {}
    kinds = []
    for name, positive in zip(task.atoms, task.complement_of, strict=True):
        negated = bool(positive >= 0)
        predicate = (task.atoms[positive] if negated else name).strip("()").partition(" ")[0]
        kinds.append(numbers.setdefault((predicate, negated), len(numbers)))
    return np.array(kinds, dtype=np.int32)
