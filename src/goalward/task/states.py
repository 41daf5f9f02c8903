"""States of a task: read from problem files, made by random walk, written as problem files.

A task is grounded once. Other initial states are read onto its atoms: only their ``:init`` is looked at, after making
sure that objects, goal and static facts are those of the task.

One state is a sorted array of its true atoms. Many states are bit rows: ``uint64`` of shape (states, ⌈|F|/64⌉), bit
``a % 64`` of word ``a // 64`` for atom ``a``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.errors import StateMismatchError, UsageError, did_you_mean
from goalward.task import sexpr
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.packing import fixed_atoms, native_problem
from goalward.task.strips import Bools, Ints, Task

BitRows = npt.NDArray[np.uint64]
StateLike = npt.NDArray[np.integer[Any]] | Sequence[int] | Collection[str] | Path
"""The ids of the true atoms, their names such as ``"(at truck0 depot0)"``, or a problem file."""


def to_bits(states: Sequence[Ints], n_atoms: int) -> BitRows:
    """Bit rows from lists of true atoms."""
    truth = np.zeros((len(states), -(-n_atoms // 64) * 64), dtype=bool)
    for row, state in zip(truth, states, strict=True):
        row[state] = True
    return np.packbits(truth, axis=1, bitorder="little").view(np.uint64)


def from_bits(bits: BitRows, n_atoms: int) -> Bools:
    """Truth values of shape (states, |F|) from bit rows."""
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n_atoms, bitorder="little").view(np.bool_)


def to_lists(bits: BitRows, n_atoms: int) -> list[Ints]:
    """Lists of true atoms from bit rows."""
    return [np.flatnonzero(row).astype(np.int32) for row in from_bits(bits, n_atoms)]


def as_state(task: Task, state: StateLike) -> Ints:
    """A state as search takes it: sorted, of the task's atoms, with no two that exclude each other.

    A path to a problem file stands for the state in its ``:init``. Numbers are ids of true atoms. Names, such as
    ``{"(on a b)", "(clear a)"}``, are those of all true atoms of the problem; its static facts may be left out.
    """
    if isinstance(state, str | Path):
        return StateReader(task).read(state)
    if is_names(state):
        state = _from_names(task, cast("Collection[str]", state))
    try:
        given = np.asarray(state)
    except ValueError:  # a list of lists of different lengths
        given = np.zeros((0, 0))
    if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
        raise UsageError("a state must be the ids or the names of its true atoms, or the path of a problem file")
    atoms = np.array(sorted(set(given.tolist())), dtype=given.dtype)  # np.unique would load masked arrays
    if atoms.size and not 0 <= atoms[0] <= atoms[-1] < task.n_atoms:
        wrong = atoms[0] if atoms[0] < 0 else atoms[-1]
        raise UsageError(
            f"a state has the atom {wrong}, but the atoms of {task.problem_name} end at {task.n_atoms - 1}"
        )
    clash = task.violated_group(atoms.astype(np.int32))
    if clash is not None:
        raise UsageError(f"{task.atoms[clash[0]]} and {task.atoms[clash[1]]} cannot hold together in this task")
    return atoms.astype(np.int32)


def is_names(state: Any) -> bool:
    """True for the names of atoms of one state: a set of texts, or a list of texts that begin with a parenthesis."""
    if isinstance(state, set | frozenset):
        return all(isinstance(name, str) for name in state)
    listed = isinstance(state, list | tuple) and len(state) > 0
    return listed and all(isinstance(name, str) and name.lstrip().startswith("(") for name in state)


def _from_names(task: Task, names: Collection[str]) -> Ints:
    """The state in which exactly these atoms are true, and static facts."""
    found = {name: f"({' '.join(name.strip().lower().strip('()').split())})" for name in names}
    unknown = [name for name in found.values() if name not in task.atom_id]
    static = StateReader(task).static if unknown else set()
    for name in unknown:
        if name not in static:
            raise UsageError(
                f"{name} is not an atom of {task.problem_name}{did_you_mean(name, task.atom_id)}: it is misspelled, or "
                "cannot become true"
            )
    return task.state_from_positive(task.atom_id[name] for name in found.values() if name in task.atom_id)


def unfilled_groups(task: Task, state: Ints) -> list[list[str]]:
    """Mutex groups of which no atom holds in a state, although one holds in every initial state of the task.

    Such a state often lacks a fact, such as where a truck is.
    """
    groups = task.mutex_groups

    def filled(atoms: Ints) -> Bools:
        true = np.zeros(task.n_atoms, dtype=bool)
        true[atoms] = True
        return np.array([bool(true[group].any()) for group in groups], dtype=bool)

    expected = np.logical_and.reduce([filled(init) for init in task.inits])
    return [[task.atoms[atom] for atom in groups[int(i)]] for i in np.flatnonzero(expected & ~filled(state))]


def missing_facts(task: Task, state: Ints, source: str) -> str | None:
    """A warning about the first group that :func:`unfilled_groups` finds in the state from ``source``."""
    for group in unfilled_groups(task, state):
        shown = ", ".join(group[:3]) + (", …" if len(group) > 3 else "")
        return f"{source}: warning: none of {shown} holds, although one does in the problem it should be a state of"
    return None


def successors(task: Task, state: StateLike) -> list[tuple[int, Ints]]:
    """The operators that are applicable in a state, each with the state that it leads to."""
    operators, states = _core.successors(native_problem(task, whole=True), as_state(task, state))
    return list(zip(operators.tolist(), to_lists(states, task.n_atoms), strict=True))


def with_fixed(task: Task, states: BitRows) -> BitRows:
    """Sampled states as search knows them: pre-images leave out the atoms that always hold, operators may need them."""
    return states | to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)


def states_along(task: Task, init: Ints, plan: Sequence[int]) -> BitRows:
    """The states that a plan passes, the first and the last included."""
    return _core.states_along(native_problem(task, whole=True), init, np.asarray(plan, dtype=np.int32))


def random_walk_states(
    task: Task, n: int, steps: int, seed: int, start: Ints | None = None, *, go_on: Callable[[], bool] | None = None
) -> list[Ints]:
    """End states of ``n`` uniform random walks of ``steps`` steps; a walk without applicable operators ends early.

    Walks begin in all initial states that the task was grounded for in turn, or in ``start``. ``go_on`` is asked many
    times a second; when it returns False, the walk that is under way ends early, and it is the last one.
    """
    whole = all(isinstance(value, int | np.integer) for value in (n, steps, seed))
    if not whole or not 0 <= n < 2**31 or not 0 <= steps < 2**31 or not 0 <= seed < 2**64:
        raise UsageError(
            "a random walk needs whole numbers: of states and steps from 0 to 2^31 - 1, and a seed from 0 to 2^64 - 1"
        )
    if not task.n_atoms:  # rows of no bits cannot be counted
        return [np.zeros(0, dtype=np.int32)] * n
    starts = task.inits if start is None else [start]
    return to_lists(_walk_from(task, starts, n, np.array([steps], dtype=np.int32), seed, go_on), task.n_atoms)


def walked_states(task: Task, n: int, stops: Ints, seed: int, go_on: Callable[[], bool] | None = None) -> BitRows:
    """States of ``n`` random walks after each number of steps in ``stops``; all initial states take turns.

    There are fewer where ``go_on`` returns False before all walks are done, but those of one walk at least.
    """
    return _walk_from(task, task.inits, n, stops, seed, go_on)


def _walk_from(
    task: Task, starts: Sequence[Ints], n: int, stops: Ints, seed: int, go_on: Callable[[], bool] | None
) -> BitRows:
    problem = native_problem(task, whole=True)
    if len(starts) == 1:
        return _core.random_walks(problem, starts[0], n, stops, seed, go_on)
    seeds = np.random.default_rng(seed).integers(2**63, size=len(starts))
    parts, walks = [], []
    for i, (init, own) in enumerate(zip(starts, seeds, strict=True)):
        if i and go_on is not None and not go_on():
            break
        parts.append(_core.random_walks(problem, init, len(range(i, n, len(starts))), stops, int(own), go_on))
        walks.append(np.arange(len(parts[-1]) // len(stops)) * len(starts) + i)
    order = np.argsort(np.repeat(np.concatenate(walks), len(stops)), kind="stable")
    return np.concatenate(parts)[order]


TRAIN_WITH_IT = "; to solve it, train with it: goalward train DOMAIN PROBLEM STATE …"


class StateReader:
    """Reads problem files as initial states of one task; ``hint`` is the advice for a state that does not fit."""

    def __init__(self, task: Task, hint: str = TRAIN_WITH_IT) -> None:
        self.task = task
        self.hint = hint
        self._sections = _sections(sexpr.parse(task.problem_text, task.problem_name))
        init = self._sections.get(":init", [])
        names = [_name(fact) for fact in init]
        self.static = {name for fact, name in zip(init, names, strict=True) if fact[0] != "not"} - task.atom_id.keys()

    def read_all(self, paths: Iterable[str | Path]) -> list[Ints]:
        """The state of each file."""
        return [self.read(path) for path in paths]

    def read(self, path: str | Path) -> Ints:
        """The initial state in a problem file, as sorted true atoms."""
        return self.parse(sexpr.read_text(path), str(path))

    def parse(self, text: str, source: str) -> Ints:
        """The initial state in the text of a problem."""
        problem = sexpr.parse(text, source)
        sections = _sections(problem)
        same = (":objects", ":goal", ":domain")
        one_of_each = len(sections) == sum(isinstance(block, sexpr.Block) for block in problem)
        if not one_of_each or ":init" not in sections or any(sections.get(k) != self._sections.get(k) for k in same):
            self._compare(text, source)
        atom_id = self.task.atom_id
        true, static, false = [], set(), set()
        for fact in sections[":init"]:
            name = _name(fact)
            if fact and fact[0] == "not":
                false.add(name[5:-1])
            elif (atom := atom_id.get(name)) is not None:
                true.append(atom)
            else:
                static.add(name)
        for name in sorted(false):
            if name in static or atom_id.get(name) in true:
                raise StateMismatchError(f"{name} is both true and false", source)
        if static != self.static:
            self._explain_static(static, text, source)
        state = self.task.state_from_positive(true)
        clash = self.task.violated_group(state)
        if clash is not None:
            first, second = (self.task.atoms[atom] for atom in clash)
            raise StateMismatchError(f"{first} and {second} cannot hold together in this task{self.hint}", source)
        return state

    def _compare(self, text: str, source: str) -> None:
        """Say what differs between a file and the task; return if it is only the spelling."""
        domain = parse_domain(self.task.domain_text, f"the domain of {self.task.problem_name}")
        base = parse_problem(self.task.problem_text, self.task.problem_name, domain)
        other = parse_problem(text, source, domain)
        for name in sorted(other.objects.keys() ^ base.objects.keys()):
            if name in other.objects:
                raise StateMismatchError(f"object {name} is not in the task {base.name}", source)
            raise StateMismatchError(f"object {name} of the task {base.name} is missing", source)
        for name, kind in other.objects.items():
            if kind != base.objects[name]:
                raise StateMismatchError(f"object {name} has another type than in the task {base.name}", source)
        ours, theirs = _conjuncts(base.text), _conjuncts(text)
        if ours != theirs:
            odd = min(theirs ^ ours)
            has = "has" if odd in theirs else "lacks"
            raise StateMismatchError(f"the goal differs from that of the task {base.name}: it {has} {odd}", source)

    def _explain_static(self, static: set[str], text: str, source: str) -> None:
        domain = parse_domain(self.task.domain_text, f"the domain of {self.task.problem_name}")
        parse_problem(text, source, domain)  # says where something undeclared stands
        for name in sorted(static - self.static):
            what = "value" if name.startswith("(=") else "atom"
            raise StateMismatchError(
                f"{name} is no {what} of the task {self.task.problem_name}: it is static and different there, "
                f"or unreachable from its initial state{self.hint}",
                source,
            )
        missing = min(self.static - static)
        raise StateMismatchError(f"static fact {missing} of the task {self.task.problem_name} is missing", source)


def format_problem(task: Task, state: StateLike, name: str) -> str:
    """A PDDL problem with this initial state; objects, static facts, goal and metric are the task's."""
    true = state.astype(np.int32) if isinstance(state, np.ndarray) else as_state(task, state)
    sections = _sections(sexpr.parse(task.problem_text, task.problem_name))
    facts = sections.get(":init", [])
    static = [_name(fact) for fact in facts if fact[0] != "not" and _name(fact) not in task.atom_id]
    lines = [f"(define (problem {name})", f"  (:domain {task.domain_name})"]
    lines += [_section(key, sections[key]) for key in (":requirements", ":objects") if key in sections]
    lines.append("  (:init")
    lines.extend(f"    {fact}" for fact in [*sorted(task.state_names(true)), *static])
    lines.append("  )")
    lines += [_section(key, sections[key]) for key in (":goal", ":metric") if key in sections]
    return "\n".join([*lines, ")", ""])


def _sections(problem: sexpr.Block) -> dict[str, list[Any]]:
    """The blocks of a problem by keyword, without the keyword."""
    return {
        block[0]: block[1:]
        for block in problem
        if isinstance(block, sexpr.Block) and block and isinstance(block[0], str)
    }


def _section(key: str, parts: Iterable[Any]) -> str:
    return f"  ({' '.join([key, *map(_text, parts)])})"


def _text(node: str | sexpr.Block) -> str:
    return node if isinstance(node, str) else f"({' '.join(map(_text, node))})"


def _name(fact: str | sexpr.Block) -> str:
    try:
        return f"({' '.join(fact)})"  # type: ignore[arg-type]
    except TypeError:  # nested: (= (f a) 3), (not (p a))
        return _text(fact)


def _conjuncts(text: str) -> set[str]:
    goal = _sections(sexpr.parse(text, ""))[":goal"]
    parts = goal[0][1:] if goal and goal[0] and goal[0][0] == "and" else goal
    return {_text(part) for part in parts}
