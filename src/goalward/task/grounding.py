"""Grounds PDDL to a task.

:mod:`goalward.task.translation` instantiates and finds mutex groups. This module turns negative conditions into
complement atoms, and removes operators with mutex preconditions and everything that only they could reach.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from fast_downward.translate import pddl

from goalward.errors import PddlError, UnsupportedError
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.reduction import relaxed_reachable, rows_with_mutex_pair
from goalward.task.states import StateReader
from goalward.task.strips import Ints, Rows, Task
from goalward.task.translation import UnsolvableError, translate

MAX_COST = 2**31 - 1

__all__ = ["UnsolvableError", "ground", "ground_files"]


def ground_files(domain_path: str | Path, problem_path: str | Path, states: Iterable[str | Path] = ()) -> Task:
    """Read and ground PDDL files: a domain, a problem, and problems that differ from it only in their initial state."""
    domain = read_domain(domain_path)
    problem = read_problem(problem_path, domain)
    return ground(domain, problem, [read_problem(path, domain) for path in states])


def ground(domain: Domain, problem: Problem, others: Sequence[Problem] = ()) -> Task:
    """Ground a problem; raises :class:`UnsolvableError` if that shows that no plan exists.

    ``others`` are problems that differ from it only in their initial state. The task then has the atoms and operators
    that are reachable from any of the initial states, and the mutex groups that hold for all of them.
    """
    with _collector_paused():
        task = _ground(domain, problem, others)
    if not others:
        return task
    reader = StateReader(task, hint="")
    inits = [reader.parse(other.text, other.source) for other in others]
    return replace(task, other_inits=Rows.of([init.tolist() for init in inits]))


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause Python's garbage collector: the translator makes millions of objects and almost no cycles.

    Collections would take a third of the grounding time. Each would last up to 0.6 s, in which no signal and no time
    limit is handled. Afterwards the new objects are moved to the oldest generation: if grounding ended with an
    exception, they are still alive and the next collection would scan them all.
    """
    was_on = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_on:
            try:
                already_frozen = gc.get_freeze_count() > 0  # by the command line; must stay frozen
                gc.freeze()
                if not already_frozen:
                    gc.unfreeze()  # moves all objects to the oldest generation
            finally:  # a time limit may raise an exception here, too
                gc.enable()


def _ground(domain: Domain, problem: Problem, others: Sequence[Problem]) -> Task:
    parsed, explored, mutex_groups, inits = translate(domain, problem, others)
    relaxed_goal, fluents, actions, goal, axioms = explored
    if axioms:
        raise _axiom_error(domain, problem, axioms)
    if goal is None or not relaxed_goal:
        raise UnsolvableError(f"{problem.source}: no plan exists, the goal is unreachable even without delete effects")
    builder = _Builder(domain, fluents, actions, goal)
    inits = [[fact for fact in init if isinstance(fact, pddl.Atom) and fact in builder.positive_id] for init in inits]
    return builder.build(domain, problem, inits, mutex_groups, bool(parsed.use_min_cost_metric))


def _axiom_error(domain: Domain, problem: Problem, axioms: Iterable[Any]) -> UnsupportedError:
    """The error for axioms that remain after grounding: from derived predicates, or from the translated goal."""
    names = {axiom.effect.predicate for axiom in axioms}
    declared = [derived for derived in domain.derived if derived.name in names]
    if declared:
        return UnsupportedError(
            f"derived predicates are not supported: ({declared[0].name}) remains after grounding",
            domain.source,
            declared[0].line,
        )
    return UnsupportedError("a goal with 'or' or 'exists' is not supported; state it as a conjunction", problem.source)


class _Builder:
    """Turns the translator's atoms and actions into arrays."""

    def __init__(self, domain: Domain, fluents: Iterable[Any], actions: list[Any], goal: list[Any]) -> None:
        self.positive = sorted(fluents, key=lambda atom: (atom.predicate, atom.args))
        self.positive_id = {atom: i for i, atom in enumerate(self.positive)}
        for action in actions:
            for condition, _ in [*action.add_effects, *action.del_effects]:
                if condition:
                    name = _step(action.name)[1:-1].split()[0]
                    raise UnsupportedError(
                        f"conditional effects are not supported: action {name} keeps one after grounding, "
                        f"in {_step(action.name)}",
                        domain.source,
                        domain.actions[name].line if name in domain.actions else None,
                    )
        self.actions = actions
        self.goal = goal
        negated = {
            self.positive_id[literal.positive()]
            for literals in [goal, *(action.precondition for action in actions)]
            for literal in literals
            if literal.negated
        }
        self.complement = {atom: len(self.positive) + i for i, atom in enumerate(sorted(negated))}

    def _condition(self, literals: Iterable[Any]) -> Iterator[int]:
        """The atom ids of the literals; a negated literal has the id of its complement atom."""
        for literal in literals:
            atom = self.positive_id[literal.positive()]
            yield self.complement[atom] if literal.negated else atom

    def _effects(self, action: Any) -> tuple[set[int], set[int]]:
        add = {self.positive_id[atom] for _, atom in action.add_effects}
        # Deletes of unreachable atoms have no effect. If an action adds and deletes the same atom, the add wins.
        delete = {self.positive_id[atom] for _, atom in action.del_effects if atom in self.positive_id} - add
        add_negative = {self.complement[atom] for atom in delete if atom in self.complement}
        delete_negative = {self.complement[atom] for atom in add if atom in self.complement}
        return add | add_negative, delete | delete_negative

    def build(
        self,
        domain: Domain,
        problem: Problem,
        inits: list[list[Any]],
        groups: list[list[Any]],
        uses_costs: bool,
    ) -> Task:
        """Build the task with the first of ``inits`` as its initial state, reduced to what any of them can reach."""
        atoms = [_name(atom) for atom in self.positive] + [f"(not {_name(self.positive[a])})" for a in self.complement]
        rows = []
        for action in self.actions:
            pre = set(self._condition(action.precondition))
            add, delete = self._effects(action)
            add -= pre
            if not add and not delete:
                continue
            if not 0 <= action.cost <= MAX_COST:
                raise PddlError(
                    f"the cost of {_step(action.name)} must be between 0 and {MAX_COST}, but is {action.cost}",
                    problem.source,
                )
            rows.append((_step(action.name), sorted(pre), sorted(add), sorted(delete), action.cost))
        rows.sort()
        complement_of = np.full(len(atoms), -1, dtype=np.int32)
        for atom, complement in self.complement.items():
            complement_of[complement] = atom
        states = [{self.positive_id[atom] for atom in init} for init in inits]
        states = [
            true | {negation for atom, negation in self.complement.items() if atom not in true} for true in states
        ]
        all_groups = [sorted({self.positive_id[atom] for atom in group}) for group in groups]
        all_groups += [[atom, complement] for atom, complement in self.complement.items()]
        return _reduce(
            Task(
                domain_name=domain.name,
                problem_name=problem.name,
                atoms=tuple(atoms),
                operators=tuple(row[0] for row in rows),
                pre=Rows.of(row[1] for row in rows),
                add=Rows.of(row[2] for row in rows),
                delete=Rows.of(row[3] for row in rows),
                costs=np.array([row[4] for row in rows], dtype=np.int32),
                init=np.array(sorted(states[0]), dtype=np.int32),
                goal=np.array(sorted(set(self._condition(self.goal))), dtype=np.int32),
                mutex_groups=Rows.of(group for group in all_groups if len(group) > 1),
                complement_of=complement_of,
                uses_costs=uses_costs,
                domain_text=domain.text,
                problem_text=problem.text,
            ),
            np.array(sorted(set().union(*states)), dtype=np.int32),
            problem.source,
        )


def _reduce(task: Task, first_atoms: Ints, source: str) -> Task:
    """Drop operators with mutex preconditions, then all atoms and operators that are not reachable without them.

    One pass is enough, because the mutex pairs do not change.
    """
    n_groups = len(task.mutex_groups)
    possible = ~rows_with_mutex_pair(task.pre, task.groups_of, n_groups)
    goal_row = Rows(np.array([0, len(task.goal)], dtype=np.int32), task.goal)
    impossible_goal = rows_with_mutex_pair(goal_row, task.groups_of, n_groups)[0]
    atoms, usable = relaxed_reachable(task.n_atoms, task.pre.select(possible), task.add.select(possible), first_atoms)
    if impossible_goal or not atoms[task.goal].all():
        raise UnsolvableError(
            f"{source}: no plan exists, the goal is unreachable or contains two mutually exclusive atoms"
        )
    # Keep or drop an atom and its complement together.
    pairs = np.flatnonzero(task.complement_of >= 0)
    atoms[pairs] |= atoms[task.complement_of[pairs]]
    atoms[task.complement_of[pairs]] |= atoms[pairs]
    kept = np.flatnonzero(possible)[usable]
    mask = np.zeros(task.n_operators, dtype=bool)
    mask[kept] = True
    new_id = np.where(atoms, np.cumsum(atoms) - 1, -1).astype(np.int32)
    groups = task.mutex_groups.renumber(new_id)
    groups = groups.select(groups.lengths > 1)
    return Task(
        domain_name=task.domain_name,
        problem_name=task.problem_name,
        atoms=tuple(np.array(task.atoms, dtype=object)[atoms]),
        operators=tuple(np.array(task.operators, dtype=object)[mask]),
        pre=task.pre.select(mask).renumber(new_id),
        add=task.add.select(mask).renumber(new_id),
        delete=task.delete.select(mask).renumber(new_id),
        costs=task.costs[mask],
        init=new_id[task.init],
        goal=new_id[task.goal],
        mutex_groups=_distinct(groups),
        complement_of=_renumber_optional(task.complement_of[atoms], new_id),
        uses_costs=task.uses_costs,
        domain_text=task.domain_text,
        problem_text=task.problem_text,
    )


def _renumber_optional(values: Ints, new_id: Ints) -> Ints:
    return np.where(values >= 0, new_id[values], -1).astype(np.int32)


def _distinct(groups: Rows) -> Rows:
    """Sort mutex groups and remove those that are a subset of another one."""
    unique = sorted({tuple(int(a) for a in group) for group in groups}, key=lambda group: (-len(group), group))
    kept: list[tuple[int, ...]] = []
    containing: dict[int, list[frozenset[int]]] = {}
    for group in unique:
        members = frozenset(group)
        if any(members <= other for other in containing.get(group[0], [])):
            continue
        kept.append(group)
        for atom in group:
            containing.setdefault(atom, []).append(members)
    return Rows.of(sorted(kept))


def _name(atom: Any) -> str:
    return f"({' '.join((atom.predicate, *atom.args))})"


def _step(name: str) -> str:
    """The name of a step; the translator writes ``(noop )`` for an action without arguments."""
    return name.replace(" )", ")")
