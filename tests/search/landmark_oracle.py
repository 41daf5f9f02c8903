"""Landmarks, orders and landmark counts by their definitions, one relaxed exploration per question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from goalward.search.landmarks import LandmarkGraph
from goalward.task.packing import fixed_atoms
from goalward.task.strips import Rows, Task
from oracle import State, as_set, reachable_states, successors

Pairs = set[tuple[int, int]]


class Relaxed:
    """A task as plain sets, to be explored without deletes and without some atoms."""

    def __init__(self, task: Task) -> None:
        self.pre, self.add, self.delete = ([as_set(row) for row in rows] for rows in (task.pre, task.add, task.delete))
        self.goal = as_set(task.goal)
        self.atoms = range(task.n_atoms)

    def reach(self, state: State, without: Iterable[int] = ()) -> tuple[State, set[int]]:
        """Atoms and operators that can be reached when some atoms can never be true."""
        banned = frozenset(without)
        reached, usable = state - banned, set[int]()
        while True:
            fresh = {o for o, pre in enumerate(self.pre) if pre <= reached} - usable
            if not fresh:
                return reached, usable
            usable |= fresh
            reached = reached.union(*(self.add[o] for o in fresh)) - banned

    def needs(self, state: State, target: Iterable[int], atoms: Iterable[int]) -> bool:
        """True if the target cannot be reached without these atoms."""
        return not frozenset(target) <= self.reach(state, atoms)[0]

    def facts(self, state: State) -> set[int]:
        """Atoms without which the goal cannot be reached."""
        return {atom for atom in self.atoms if self.needs(state, self.goal, [atom])}

    def first_achievers(self, state: State, atoms: Iterable[int]) -> set[int]:
        """Operators that add one of the atoms and can be reached before any of them is true."""
        wanted = frozenset(atoms)
        return {o for o in self.reach(state, wanted)[1] if self.add[o] & wanted}


def relevant_atoms(task: Task) -> State:
    """Atoms that the goal can depend on."""
    atoms = as_set(task.goal)
    while True:
        more = atoms.union(*(as_set(task.pre[o]) for o in range(task.n_operators) if as_set(task.add[o]) & atoms))
        if more == atoms:
            return atoms
        atoms = more


def used_operators(task: Task, state: State) -> list[int]:
    """Operators that search uses: those that add something that matters and may be false.

    What holds in the task's own initial state and is never deleted cannot be false, unless somebody asks for a state
    without it.
    """
    fixed = as_set(np.flatnonzero(fixed_atoms(task)))
    useful = relevant_atoms(task) - fixed if fixed <= state else as_set(range(task.n_atoms))
    return [o for o in range(task.n_operators) if as_set(task.add[o]) & useful or not fixed <= state]


def lasting_atoms(task: Task, state: State) -> State:
    """Atoms that hold and will always hold in search."""
    return state.difference(*(as_set(task.delete[o]) for o in used_operators(task, state)))


def with_true_mutexes(task: Task) -> Task:
    """The task with all pairs of atoms that never hold together as its mutex groups."""
    states = reachable_states(task)
    pairs = [
        pair for pair in combinations(range(task.n_atoms), 2) if not any(frozenset(pair) <= state for state in states)
    ]
    return replace(task, mutex_groups=Rows.of(pairs))


def pairs(graph: LandmarkGraph, kind: str) -> Pairs:
    return set(graph.orders(kind))  # type: ignore[arg-type]


# --- reasonable orders ---


def reasonable_candidates(task: Task, graph: LandmarkGraph) -> Pairs:
    """Pairs (q, p) of facts: p is wanted together with q, and reaching q destroys p."""
    groups = [as_set(group) for group in task.mutex_groups]
    atoms = [as_set(row) for row in graph.atoms]
    direct, natural = pairs(graph, "greedy-necessary"), pairs(graph, "natural")
    facts = [number for number, row in enumerate(atoms) if len(row) == 1]

    def exclude(a: int, b: int) -> bool:
        return a != b and any({a, b} <= group for group in groups)

    def destroys(q: int, p: int) -> bool:
        (fact_q,), (fact_p,) = atoms[q], atoms[p]
        adders = [o for o in range(task.n_operators) if fact_q in as_set(task.add[o])]
        before = [fact for x, y in direct if y == q and x != p and len(atoms[x]) == 1 for fact in atoms[x]]
        with_q = frozenset.intersection(*(as_set(task.add[o]) for o in adders)) if adders else frozenset()
        lost = frozenset.intersection(*(as_set(task.delete[o]) for o in adders)) if adders else frozenset()
        return fact_p in lost or any(exclude(fact, fact_p) for fact in [fact_q, *before, *with_q])

    def together(q: int, p: int) -> bool:
        if graph.is_goal[p]:
            return bool(graph.is_goal[q])
        return any(before == p and (q, after) in natural for before, after in direct)

    return {(q, p) for q in facts for p in facts if q != p and together(q, p) and destroys(q, p)}


def closure(orders: Pairs) -> Pairs:
    result = set(orders)
    while True:
        more = {(a, d) for a, b in result for c, d in result if b == c} - result
        if not more:
            return result
        result |= more


# --- counting along paths ---


@dataclass(frozen=True)
class Step:
    parent: int
    operator: int


def walk(task: Task, choices: Iterable[tuple[int, int]]) -> Iterator[tuple[Step, State]]:
    """Steps from states met before, chosen by numbers of any size; new states are numbered as they come.

    States are what matters of them to the goal, as in search.
    """
    atoms, operators = relevant_atoms(task), used_operators(task, as_set(task.init))
    states = [as_set(task.init) & atoms]
    for which, operator in choices:
        parent = which % len(states)
        possible = [(o, child & atoms) for o, child in successors(task, states[parent]) if o in operators]
        if not possible:
            continue
        chosen, child = possible[operator % len(possible)]
        if child not in states:
            states.append(child)
        yield Step(parent, chosen), child


class Counter:
    """What each state's landmarks are worth, by the definition."""

    def __init__(self, task: Task, graph: LandmarkGraph) -> None:
        self.task, self.graph = task, graph
        self.atoms = [as_set(row) for row in graph.atoms]
        self.reasonable = pairs(graph, "reasonable")
        self.direct = pairs(graph, "greedy-necessary")
        self.any = self.reasonable | pairs(graph, "natural")
        self.states = [as_set(task.init) & relevant_atoms(task)]
        everything = range(len(graph))
        true = {p for p in everything if self.atoms[p] & self.states[0]}
        self.reached = [self._accepted(set(), true, self.states[0])]

    def _accepted(self, earlier: set[int], added: set[int], state: State) -> set[int]:
        waiting = {p for _, p in self.reasonable} - earlier
        seen = earlier | added
        free = {p for p in waiting if self.atoms[p] & state and {q for q, r in self.reasonable if r == p} <= seen}
        return (seen - waiting) | free

    def step(self, step: Step, child: State) -> None:
        add = as_set(self.task.add[step.operator])
        added = {p for p in range(len(self.graph)) if self.atoms[p] & add}
        now = self._accepted(self.reached[step.parent], added, child)
        if child in self.states:
            number = self.states.index(child)
            self.reached[number] = self.reached[number] & now
        else:
            self.states.append(child)
            self.reached.append(now)

    def needed(self, number: int) -> set[int]:
        """Landmarks that count: not reached, or reached, false and needed again."""
        reached = self.reached[number]
        ahead = set(range(len(self.graph))) - reached
        false = {p for p in reached if not self.atoms[p] & self.states[number]}
        return ahead | {p for p in false if self.graph.is_goal[p] or any((p, q) in self.direct for q in ahead)}

    def preferred(self, number: int) -> set[int]:
        """Applicable operators that add a landmark that is next."""
        reached = self.reached[number]
        ahead = set(range(len(self.graph))) - reached
        following = {p for p in ahead if {q for q, r in self.any if r == p} <= reached}
        if not ahead:
            following = {
                p for p in range(len(self.graph)) if self.graph.is_goal[p] and not self.atoms[p] & self.states[number]
            }
        wanted = frozenset[int]().union(*(self.atoms[p] for p in following))
        return {o for o, _ in successors(self.task, self.states[number]) if as_set(self.task.add[o]) & wanted}
