"""Regression written out as the paper defines it, random tasks with mutex groups, and a test for uniform choice.

Sets of atoms are bit masks here: bit ``a`` stands for atom ``a``. Nothing uses packed states or native code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import sqrt

import numpy as np
from hypothesis import strategies as st

from goalward.regression import Rollouts
from goalward.task.strips import Task
from oracle import Operator, make_task

Mask = int


def mask(atoms: Iterable[int]) -> Mask:
    return sum(1 << atom for atom in {int(atom) for atom in atoms})


def atoms_of(x: Mask) -> list[int]:
    return [atom for atom in range(x.bit_length()) if x >> atom & 1]


class Oracle:
    """A task as bit masks."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.operators = range(task.n_operators)
        self.pre, self.add, self.delete = ([mask(row) for row in rows] for rows in (task.pre, task.add, task.delete))
        self.groups = [mask(group) for group in task.mutex_groups]
        self.init, self.goal = mask(task.init), mask(task.goal)

    @cached_property
    def fixed(self) -> Mask:
        """Atoms that hold initially and that nothing deletes."""
        deleted = 0
        for delete in self.delete:
            deleted |= delete
        return self.init & ~deleted

    @cached_property
    def core(self) -> Mask:
        """Atoms that the goal can depend on, without the fixed ones."""
        needed, before = self.goal, -1
        while needed != before:
            before = needed
            for a in self.operators:
                if self.add[a] & needed:
                    needed |= self.pre[a]
        return needed & ~self.fixed

    @cached_property
    def excluded_by(self) -> list[Mask]:
        """Per atom, the atoms that are mutex with it."""
        excluded = [0] * self.task.n_atoms
        for group in self.groups:
            for atom in atoms_of(group):
                excluded[atom] |= group & ~(1 << atom)
        return excluded

    @cached_property
    def extra_delete(self) -> list[Mask]:
        """e-Del(a) = {q ∉ Add(a) : some p ∈ Pre(a) is mutex with q}."""
        rows = []
        for a in self.operators:
            excluded = 0
            for p in atoms_of(self.pre[a]):
                excluded |= self.excluded_by[p]
            rows.append(excluded & ~self.add[a])
        return rows

    def has_mutex_pair(self, x: Mask) -> bool:
        return any((x & group).bit_count() > 1 for group in self.groups)

    def valid(self, x: Mask) -> list[int]:
        """ν(x)."""
        return [
            a for a in self.operators if x & self.add[a] and not x & self.delete[a] and not x & self.extra_delete[a]
        ]

    def preimage(self, x: Mask, a: int) -> Mask:
        """(x \\ Add(a)) ∪ Pre(a), without atoms that always hold."""
        return ((x & ~self.add[a]) | self.pre[a]) & self.core

    def mu_plus(self, a: int, seen: Mask) -> int:
        """μ⁺(a, τ) = |Pre(a) \\ ∪τ|."""
        return (self.pre[a] & self.core & ~seen).bit_count()

    def replay(self, state: Mask, plan: Iterable[int]) -> Mask:
        """The state that a plan leads to; every step must be applicable."""
        for a in plan:
            assert self.pre[a] & ~state == 0, f"{self.task.operators[a]} is not applicable"
            state = state & ~self.delete[a] | self.add[a]
        return state

    @cached_property
    def reachable(self) -> dict[Mask, list[Mask]]:
        """Every reachable state with its successors."""
        found: dict[Mask, list[Mask]] = {}
        stack = [self.init]
        while stack:
            state = stack.pop()
            if state in found:
                continue
            found[state] = [state & ~self.delete[a] | self.add[a] for a in self.operators if self.pre[a] & ~state == 0]
            stack += [child for child in found[state] if child not in found]
        return found

    @cached_property
    def goal_distance(self) -> dict[Mask, int]:
        """Steps to the goal from every reachable state that can get there, by breadth-first search backwards."""
        parents: dict[Mask, list[Mask]] = {state: [] for state in self.reachable}
        for state, children in self.reachable.items():
            for child in children:
                parents[child].append(state)
        distance = {state: 0 for state in self.reachable if self.goal & ~state == 0}
        queue = deque(distance)
        while queue:
            state = queue.popleft()
            for parent in parents[state]:
                if parent not in distance:
                    distance[parent] = distance[state] + 1
                    queue.append(parent)
        return distance


def improbability(counts: Sequence[int], expected: Sequence[float] | None = None) -> float:
    """How far counts are from those expected (default: all equal), in standard deviations of the χ² statistic.

    Wilson and Hilferty's approximation; 4 is exceeded once in 30,000 times by chance.
    """
    observed = np.asarray(counts, dtype=float)
    wanted = np.full(len(observed), observed.mean()) if expected is None else np.asarray(expected, dtype=float)
    assert wanted.min() >= 5, "too few samples to tell"
    freedom = len(observed) - 1
    if freedom == 0:
        return 0.0
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)


@st.composite
def grouped_tasks(draw: st.DrawFn) -> Task:
    """Small random tasks whose mutex groups are true invariants, and overlap.

    Atoms are the values of a few variables, in shuffled order; a variable has one value or none. All operators and goal
    atoms are reachable without deletes, as in every grounded task.
    """
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    ids = draw(st.permutations(range(sum(sizes))))
    values = [[ids[sum(sizes[:v]) + i] for i in range(size)] for v, size in enumerate(sizes)]
    init = {draw(st.sampled_from(variable)) for variable in values if draw(st.booleans())}
    operators = [draw(_operators(values)) for _ in range(draw(st.integers(0, 9)))]
    reached, usable = init.copy(), []
    for _ in range(len(operators) + 1):
        usable = [o for o in operators if set(o[0]) <= reached]
        reached.update(atom for o in usable for atom in o[1])
    goal = {draw(st.sampled_from(here)) for v in values if (here := sorted(reached & set(v))) and draw(st.booleans())}
    groups = [sorted(variable) for variable in values if len(variable) > 1]
    groups += [group[:-1] for group in groups if len(group) > 2 and draw(st.booleans())]
    return make_task(sum(sizes), usable, init, goal, groups)


@st.composite
def _operators(draw: st.DrawFn, values: list[list[int]]) -> Operator:
    pre: list[int] = []
    add: list[int] = []
    delete: list[int] = []
    chosen = draw(st.lists(st.sampled_from(range(len(values))), min_size=1, max_size=3, unique=True))
    for variable in (values[v] for v in chosen):
        before = draw(st.none() | st.sampled_from(variable))
        after = draw(st.sampled_from(["same", "none", *variable]))
        pre += [] if before is None else [before]
        if after in ("same", before):
            continue
        add += [after] if isinstance(after, int) else []
        delete += [atom for atom in ([before] if before is not None else variable) if atom != after]
    return pre, add, delete, 1


def plan_from(rollouts: Rollouts, preimage: int) -> list[int]:
    """The operators that lead from any state of a pre-image to the goal: its own, and those of the ones before it."""
    return [int(rollouts.operators[k]) for k in range(preimage, preimage - int(rollouts.depth[preimage]), -1)]
