"""The grounded STRIPS task ⟨F, O, I, G⟩ as arrays, with the names and the PDDL it came from.

Inside goalward, atoms and operators are integers. Names are used only for input and output. Lists of atoms per operator
are stored as compressed rows (:class:`Rows`), so that a whole task is passed to native code as a few arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from goalward.display import html_table

if TYPE_CHECKING:
    from goalward.task.states import StateLike

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """A list of integer lists: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Ints
    values: Ints

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Rows:
        """Build rows from Python sequences."""
        lengths: list[int] = [0]
        values: list[int] = []
        for row in rows:
            lengths.append(len(row))
            values.extend(row)
        return cls(np.cumsum(lengths, dtype=np.int32), np.asarray(values, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Ints:
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[Ints]:
        return (self[i] for i in range(len(self)))

    @property
    def lengths(self) -> Ints:
        """Length of every row."""
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> Ints:
        """The row that each value belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    def select(self, rows: Bools) -> Rows:
        """Return the rows for which the mask is true."""
        lengths = self.lengths[rows]
        return Rows(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32), self.values[np.repeat(rows, self.lengths)]
        )

    def keep_values(self, mask: Bools) -> Rows:
        """Return rows with only the values for which the mask is true; the number of rows does not change."""
        counts = np.bincount(self.owners[mask], minlength=len(self)) if len(self) else np.zeros(0, dtype=np.int64)
        return Rows(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), self.values[mask])

    def renumber(self, new_id: Ints) -> Rows:
        """Replace each value v by ``new_id[v]`` and drop those that map to −1."""
        mapped = new_id[self.values]
        kept = self.keep_values(mapped >= 0)
        return Rows(kept.offsets, mapped[mapped >= 0])

    def transpose(self, n_values: int) -> Rows:
        """The rows that each value occurs in, in ascending order."""
        order = np.argsort(self.values, kind="stable")
        counts = np.bincount(self.values, minlength=n_values)
        return Rows(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), self.owners[order])


@dataclass(frozen=True, eq=False)
class Task:
    """One grounded planning task.

    ``complement_of[i]`` is the atom that atom ``i`` negates, or −1 for an ordinary atom. Complement atoms exist only if
    a precondition or the goal is negative. ``mutex_groups`` are sets of atoms of which at most one holds in each
    initial state; operators preserve this. ``other_inits`` are further initial states that the task was grounded for:
    its atoms and operators are those that are reachable from any initial state.
    """

    domain_name: str
    problem_name: str
    atoms: tuple[str, ...]
    operators: tuple[str, ...]
    pre: Rows
    add: Rows
    delete: Rows
    costs: Ints
    init: Ints
    goal: Ints
    mutex_groups: Rows
    complement_of: Ints
    uses_costs: bool
    domain_text: str
    problem_text: str
    other_inits: Rows = field(default_factory=lambda: Rows.of([]))

    def __repr__(self) -> str:
        return (
            f"<Task {self.problem_name} of {self.domain_name}: {self.n_atoms} atoms, {self.n_operators} operators, "
            f"{len(self.goal)} in the goal>"
        )

    def _repr_html_(self) -> str:
        goal = [self.atoms[atom] for atom in self.goal]
        more = f" and {len(goal) - 8} more" if len(goal) > 8 else ""
        rows = [
            ("domain", self.domain_name),
            ("atoms", f"{self.n_atoms:,}"),
            ("operators", f"{self.n_operators:,}"),
            ("mutex groups", f"{len(self.mutex_groups):,}"),
            ("true initially", f"{len(self.init):,}"),
            ("goal", " ".join(goal[:8]) + more),
            ("costs", "by the PDDL" if self.uses_costs else "1 per step"),
        ]
        return html_table(f"Task {self.problem_name}", rows)

    @property
    def n_atoms(self) -> int:
        """The number of atoms, |F|."""
        return len(self.atoms)

    @property
    def inits(self) -> list[Ints]:
        """All initial states that the task was grounded for."""
        return [self.init, *self.other_inits]

    @property
    def n_operators(self) -> int:
        """The number of operators, |O|."""
        return len(self.operators)

    @cached_property
    def atom_id(self) -> dict[str, int]:
        """Atom ids by name, such as ``(on a b)``."""
        return {name: i for i, name in enumerate(self.atoms)}

    @cached_property
    def groups_of(self) -> Rows:
        """The mutex groups that each atom belongs to."""
        return self.mutex_groups.transpose(self.n_atoms)

    def is_goal(self, state: StateLike) -> bool:
        """True if the state satisfies the goal."""
        from goalward.task import states  # noqa: PLC0415 - states are made of tasks

        return bool(np.isin(self.goal, states.as_state(self, state)).all())

    def applicable(self, state: StateLike) -> Ints:
        """The operators that are applicable in a state, in ascending order."""
        return np.array([operator for operator, _ in self.successors(state)], dtype=np.int32)

    def successors(self, state: StateLike) -> list[tuple[int, Ints]]:
        """Each operator that is applicable in a state, with its successor state as sorted atom ids.

        >>> [(task.operators[o], after) for o, after in task.successors(task.init)]  # doctest: +SKIP
        """
        from goalward.task import states  # noqa: PLC0415 - states are made of tasks

        return states.successors(self, state)

    def cost_of(self, plan: Iterable[int]) -> int:
        """The cost of a plan in the PDDL, or its number of steps if the PDDL has no costs."""
        return sum(int(self.costs[operator]) for operator in plan)

    def state_names(self, state: StateLike) -> list[str]:
        """The names of the true atoms, without complement atoms: the state as PDDL writes it."""
        from goalward.task import states  # noqa: PLC0415 - states are made of tasks

        return [self.atoms[i] for i in states.as_state(self, state) if self.complement_of[i] < 0]

    def state_from_positive(self, positive: Iterable[int]) -> Ints:
        """The sorted true atoms of a state, given those that are not complement atoms."""
        true = set(positive)
        for i in np.flatnonzero(self.complement_of >= 0):
            if int(self.complement_of[i]) not in true:
                true.add(int(i))
        return np.array(sorted(true), dtype=np.int32)

    def violated_group(self, state: Ints) -> Ints | None:
        """Two true atoms that share a mutex group, or None if there are none."""
        truth = np.zeros(self.n_atoms, dtype=bool)
        truth[state] = True
        holds = truth[self.mutex_groups.values]
        counts = np.bincount(self.mutex_groups.owners[holds], minlength=len(self.mutex_groups))
        broken = np.flatnonzero(counts > 1)
        if not broken.size:
            return None
        group = self.mutex_groups[int(broken[0])]
        return group[truth[group]][:2]

    def equals(self, other: Task) -> bool:
        """True if all names, arrays and texts of the two tasks are the same."""
        for name in self.__dataclass_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, Rows):
                same = np.array_equal(mine.offsets, theirs.offsets) and np.array_equal(mine.values, theirs.values)
            elif isinstance(mine, np.ndarray):
                same = np.array_equal(mine, theirs)
            else:
                same = mine == theirs
            if not same:
                return False
        return True
