"""States of a task: read from problem files, made by random walks, written as problem files.

A task is grounded once. For another initial state only the ``:init`` of its problem file is used, after checking that
its objects, goal and static facts are those of the task.

Functions return one state as a sorted ``int32`` array of its true atoms, and many states as bit rows: ``uint64`` of
shape (states, ⌈|F|/64⌉), where bit ``a % 64`` of word ``a // 64`` is atom ``a``. They accept every form that
:func:`as_state` and :func:`as_states` read.
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
StateLike = npt.NDArray[np.integer[Any]] | Bools | Sequence[int] | Collection[str] | Path
"""Any form of one state that :func:`as_state` reads."""
StatesLike = BitRows | npt.NDArray[np.uint8] | Bools | Sequence[StateLike]
"""Any form of many states that :func:`as_states` reads."""


def to_bits(states: Sequence[Ints], n_atoms: int) -> BitRows:
    """Pack states, given by their true atoms, into bit rows."""
    truth = np.zeros((len(states), -(-n_atoms // 64) * 64), dtype=bool)
    for row, state in zip(truth, states, strict=True):
        row[state] = True
    return np.packbits(truth, axis=1, bitorder="little").view(np.uint64)


def from_bits(bits: BitRows, n_atoms: int) -> Bools:
    """Unpack bit rows into truth values of shape (states, |F|)."""
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n_atoms, bitorder="little").view(np.bool_)


def to_lists(bits: BitRows, n_atoms: int) -> list[Ints]:
    """Unpack bit rows into one array of true atoms per state."""
    return [np.flatnonzero(row).astype(np.int32) for row in from_bits(bits, n_atoms)]


def as_state(task: Task, state: StateLike) -> Ints:
    """Read one state in any form, and return it as a sorted ``int32`` array of its true atoms.

    A state may be:

    - the ids of its true atoms, in any order;
    - the names of its true atoms, such as ``{"(on a b)", "(clear a)"}``; static facts may be left out;
    - the path of a problem file, for the state in its ``:init``;
    - an array of |F| truth values of type ``bool`` or ``uint8``;
    - a bit row: one row of the ``uint64`` arrays that hold many states.

    Raises :class:`UsageError` if two of its atoms are mutually exclusive.
    """
    if isinstance(state, str | Path):
        return StateReader(task).read(state)
    if _is_set_of_names(state):
        state = _from_names(task, cast("Collection[str]", state))
    try:
        given = np.asarray(state)
    except ValueError:  # a list of lists of different lengths
        given = np.zeros((0, 0))
    if given.ndim == 1 and given.dtype in (np.bool_, np.uint8, np.uint64) and given.size:
        given = np.flatnonzero(_truth_values(task, given[np.newaxis])[0])
    if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
        raise UsageError("a state must be the ids or the names of its true atoms, or the path of a problem file")
    atoms = np.array(sorted(set(given.tolist())), dtype=given.dtype)  # np.unique would load masked arrays
    if atoms.size and not 0 <= atoms[0] <= atoms[-1] < task.n_atoms:
        wrong = atoms[0] if atoms[0] < 0 else atoms[-1]
        raise UsageError(
            f"a state has the atom {wrong}, but the atoms of {task.problem_name} are numbered from 0 to "
            f"{task.n_atoms - 1}"
        )
    clash = task.violated_group(atoms.astype(np.int32))
    if clash is not None:
        raise UsageError(f"{task.atoms[clash[0]]} and {task.atoms[clash[1]]} cannot hold together in this task")
    return atoms.astype(np.int32)


def as_states(task: Task, states: StatesLike) -> BitRows:
    """Read many states in any form, and return them as bit rows: ``uint64`` of shape (states, ⌈|F|/64⌉).

    They may be bit rows already, an array of truth values (``bool`` or ``uint8``) of shape (states, |F|), or a sequence
    of states in the forms that :func:`as_state` reads. Only the states of a sequence are checked for mutually exclusive
    atoms.
    """
    if isinstance(states, np.ndarray) and states.ndim == 2 and states.dtype in (np.bool_, np.uint8, np.uint64):
        if states.dtype == np.uint64 and states.shape[1] == -(-task.n_atoms // 64):
            return cast(BitRows, states)
        return np.packbits(_padded(_truth_values(task, states)), axis=1, bitorder="little").view(np.uint64)
    if is_one_state(states) or (isinstance(states, np.ndarray) and states.ndim == 2):
        raise UsageError(
            "several states must be bit rows, truth values of shape (states, atoms), or a sequence of states"
        )
    reader = StateReader(task) if any(isinstance(state, str | Path) for state in states) else None
    read = [
        reader.read(state) if reader is not None and isinstance(state, str | Path) else as_state(task, state)
        for state in states
    ]
    return to_bits(read, task.n_atoms)


def is_one_state(states: Any) -> bool:
    """True if the argument is a single state, in a form that :func:`as_state` reads, and not a sequence of states."""
    if isinstance(states, np.ndarray):
        return states.ndim < 2
    if isinstance(states, str | Path) or _is_set_of_names(states):
        return True
    return len(states) > 0 and isinstance(states[0], int | float | np.number)


def _truth_values(task: Task, rows: npt.NDArray[Any]) -> Bools:
    """Truth values of shape (states, |F|) from bit rows (``uint64``) or from truth values of another type."""
    width = -(-task.n_atoms // 64) if rows.dtype == np.uint64 else task.n_atoms
    if rows.shape[1] != width:
        what = "64-bit words" if rows.dtype == np.uint64 else "truth values"
        raise UsageError(f"a state of {task.problem_name} must have {width} {what}, but has {rows.shape[1]}")
    if rows.dtype == np.uint64:
        return from_bits(np.ascontiguousarray(rows), task.n_atoms)
    if rows.dtype == np.uint8 and rows.size and rows.max() > 1:
        raise UsageError("a state of type uint8 must have truth values, 0 or 1; write ids of atoms as int32")
    return rows.astype(np.bool_)


def _padded(truth: Bools) -> Bools:
    """Truth values with false columns added up to a multiple of 64."""
    return np.pad(truth, ((0, 0), (0, -truth.shape[1] % 64)))


def _is_set_of_names(state: Any) -> bool:
    """True for the names of atoms of one state: a set of texts, or a list of texts that begin with a parenthesis."""
    if isinstance(state, set | frozenset):
        return all(isinstance(name, str) for name in state)
    listed = isinstance(state, list | tuple) and len(state) > 0
    return listed and all(isinstance(name, str) and name.lstrip().startswith("(") for name in state)


def _from_names(task: Task, names: Collection[str]) -> Ints:
    """The state with exactly these true atoms; names of static facts are ignored."""
    found = {name: f"({' '.join(name.strip().lower().strip('()').split())})" for name in names}
    unknown = [name for name in found.values() if name not in task.atom_id]
    static = StateReader(task).static if unknown else set()
    for name in unknown:
        if name not in static:
            raise UsageError(
                f"{name} is not an atom of {task.problem_name}{did_you_mean(name, task.atom_id)}: it is misspelled or "
                "can never become true"
            )
    return task.state_from_positive(task.atom_id[name] for name in found.values() if name in task.atom_id)


def unfilled_groups(task: Task, state: Ints) -> list[list[str]]:
    """Mutex groups without a true atom in this state, although they have one in every initial state of the task.

    They suggest that the state lacks a fact, for example the position of a truck.
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
        return f"{source}: warning: a fact seems to be missing: one of {shown} should be true, but none is"
    return None


def successors(task: Task, state: StateLike) -> list[tuple[int, Ints]]:
    """Each operator that is applicable in a state, with its successor state."""
    operators, states = _core.successors(native_problem(task, whole=True), as_state(task, state))
    return list(zip(operators.tolist(), to_lists(states, task.n_atoms), strict=True))


def add_fixed_atoms(task: Task, states: BitRows) -> BitRows:
    """Make the :func:`fixed_atoms` true, which sampled states lack but preconditions may contain."""
    return states | to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)


def states_along(task: Task, init: Ints, plan: Sequence[int]) -> BitRows:
    """The states that a plan visits, including the first and the last."""
    return _core.states_along(native_problem(task, whole=True), init, np.asarray(plan, dtype=np.int32))


def random_walk_states(
    task: Task,
    n: int,
    steps: int,
    seed: int,
    start: StateLike | None = None,
    *,
    go_on: Callable[[], bool] | None = None,
) -> list[Ints]:
    """The end states of ``n`` uniform random walks of ``steps`` steps, each as sorted atom ids.

    A walk ends early in a state without applicable operators. Walks start from ``start``, or from each initial state of
    the task in turn. ``go_on`` is called many times a second; once it returns False, the current walk ends early and is
    the last one.
    """
    for name, value, bits in (("n", n, 31), ("steps", steps, 31), ("seed", seed, 64)):
        if not isinstance(value, int | np.integer) or not 0 <= value < 2**bits:
            raise UsageError(f"{name} must be a whole number between 0 and 2^{bits} - 1, but is {value!r}")
    if not task.n_atoms:  # bit rows would have no columns, and so no length
        return [np.zeros(0, dtype=np.int32)] * n
    starts = task.inits if start is None else [as_state(task, start)]
    return to_lists(_walk_from(task, starts, n, np.array([steps], dtype=np.int32), seed, go_on), task.n_atoms)


def states_along_walks(task: Task, n: int, steps: Ints, seed: int, go_on: Callable[[], bool] | None = None) -> BitRows:
    """The states of ``n`` random walks after each number of ``steps``; the walks start from each initial state in turn.

    Once ``go_on`` returns False, only the walks so far are returned, but at least one.
    """
    return _walk_from(task, task.inits, n, steps, seed, go_on)


def _walk_from(
    task: Task, starts: Sequence[Ints], n: int, steps: Ints, seed: int, go_on: Callable[[], bool] | None
) -> BitRows:
    """The states of ``n`` random walks, walk by walk, each after the given numbers of steps."""
    problem = native_problem(task, whole=True)
    if len(starts) == 1:
        return _core.random_walks(problem, starts[0], n, steps, seed, go_on)
    seeds = np.random.default_rng(seed).integers(2**63, size=len(starts))
    parts, walks = [], []
    for i, (init, own) in enumerate(zip(starts, seeds, strict=True)):
        if i and go_on is not None and not go_on():
            break
        parts.append(_core.random_walks(problem, init, len(range(i, n, len(starts))), steps, int(own), go_on))
        walks.append(np.arange(len(parts[-1]) // len(steps)) * len(starts) + i)
    order = np.argsort(np.repeat(np.concatenate(walks), len(steps)), kind="stable")
    return np.concatenate(parts)[order]


TRAIN_HINT = "; to solve it, train with it: goalward train DOMAIN PROBLEM STATE …"


class StateReader:
    """Reads problem files as initial states of one task; ``hint`` ends the error about a state that does not fit."""

    def __init__(self, task: Task, hint: str = TRAIN_HINT) -> None:
        self.task = task
        self.hint = hint
        self._sections = _sections(sexpr.parse(task.problem_text, task.problem_name))
        init = self._sections.get(":init", [])
        names = [_name(fact) for fact in init]
        self.static = {name for fact, name in zip(init, names, strict=True) if fact[0] != "not"} - task.atom_id.keys()

    def read_all(self, paths: Iterable[str | Path]) -> list[Ints]:
        """The initial state in each problem file."""
        return [self.read(path) for path in paths]

    def read(self, path: str | Path) -> Ints:
        """The initial state in a problem file, as sorted true atoms."""
        return self.parse(sexpr.read_text(path), str(path))

    def parse(self, text: str, source: str) -> Ints:
        """The initial state in the text of a problem file; ``source`` is its name in errors."""
        problem = sexpr.parse(text, source)
        sections = _sections(problem)
        same = (":objects", ":goal", ":domain")
        one_of_each = len(sections) == sum(isinstance(block, sexpr.Block) for block in problem)
        if not one_of_each or ":init" not in sections or any(sections.get(k) != self._sections.get(k) for k in same):
            self._check_same_problem(text, source)
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
            self._raise_static_mismatch(static, text, source)
        state = self.task.state_from_positive(true)
        clash = self.task.violated_group(state)
        if clash is not None:
            first, second = (self.task.atoms[atom] for atom in clash)
            raise StateMismatchError(f"{first} and {second} cannot hold together in this task{self.hint}", source)
        return state

    def _check_same_problem(self, text: str, source: str) -> None:
        """Raise an error if the objects or the goal of a file differ from those of the task in more than spelling."""
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

    def _raise_static_mismatch(self, static: set[str], text: str, source: str) -> None:
        """Raise an error about the first fact of a file that is not in the task, or is missing in the file."""
        domain = parse_domain(self.task.domain_text, f"the domain of {self.task.problem_name}")
        parse_problem(text, source, domain)  # its errors about undeclared names have line numbers
        extra = min(static - self.static, default=None)
        if extra is None:
            missing = min(self.static - static)
            raise StateMismatchError(f"static fact {missing} of the task {self.task.problem_name} is missing", source)
        what = "value" if extra.startswith("(=") else "atom"
        raise StateMismatchError(
            f"{extra} is not {'a' if what == 'value' else 'an'} {what} of the task {self.task.problem_name}: it is "
            f"static and different there, or unreachable from its initial state{self.hint}",
            source,
        )


def format_problem(task: Task, state: StateLike, name: str) -> str:
    """Write a PDDL problem with this initial state, and with the objects, static facts, goal and metric of the task."""
    sections = _sections(sexpr.parse(task.problem_text, task.problem_name))
    facts = sections.get(":init", [])
    static = [_name(fact) for fact in facts if fact[0] != "not" and _name(fact) not in task.atom_id]
    lines = [f"(define (problem {name})", f"  (:domain {task.domain_name})"]
    lines += [_section(key, sections[key]) for key in (":requirements", ":objects") if key in sections]
    lines.append("  (:init")
    lines.extend(f"    {fact}" for fact in [*sorted(task.state_names(state)), *static])
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
