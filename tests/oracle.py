"""Slow and obvious versions of what goalward computes fast: tests compare the two.

Grounded tasks are walked through as sets of atoms, PDDL as sets of ground atoms straight from the schemas. Nothing
here uses the translator, packed states or native code.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
from hypothesis import strategies as st

from goalward.task import lifted
from goalward.task.strips import Rows, Task

State = frozenset[int]
Operator = tuple[Sequence[int], Sequence[int], Sequence[int], int]  # pre, add, delete, cost
LiftedState = frozenset[lifted.GroundAtom]


# --- grounded tasks ---


def make_task(
    n_atoms: int,
    operators: Sequence[Operator],
    init: Iterable[int],
    goal: Iterable[int],
    groups: Iterable[Sequence[int]] = (),
) -> Task:
    """A task without PDDL: atoms (a0), (a1) …, operators (o0), (o1) …"""
    return Task(
        domain_name="made-up",
        problem_name="made-up",
        atoms=tuple(f"(a{i})" for i in range(n_atoms)),
        operators=tuple(f"(o{i})" for i in range(len(operators))),
        pre=Rows.of(sorted(o[0]) for o in operators),
        add=Rows.of(sorted(o[1]) for o in operators),
        delete=Rows.of(sorted(o[2]) for o in operators),
        costs=np.array([o[3] for o in operators], dtype=np.int32),
        init=np.array(sorted(init), dtype=np.int32),
        goal=np.array(sorted(goal), dtype=np.int32),
        mutex_groups=Rows.of(groups),
        complement_of=np.full(n_atoms, -1, dtype=np.int32),
        uses_costs=True,
        domain_text="",
        problem_text="",
    )


def with_init(task: Task, state: Iterable[int]) -> Task:
    return replace(task, init=np.array(sorted(state), dtype=np.int32))


def as_set(state: Iterable[int]) -> State:
    return frozenset(int(atom) for atom in state)


def successors(task: Task, state: State) -> Iterator[tuple[int, State]]:
    """Every applicable operator with the state it leads to."""
    for operator in range(task.n_operators):
        if as_set(task.pre[operator]) <= state:
            yield operator, (state - as_set(task.delete[operator])) | as_set(task.add[operator])


def reachable_states(task: Task, start: State | None = None) -> set[State]:
    first = as_set(task.init) if start is None else start
    seen, stack = {first}, [first]
    while stack:
        for _, child in successors(task, stack.pop()):
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return seen


def goal_distances(task: Task, starts: Iterable[State]) -> dict[State, float]:
    """Fewest steps to a goal from each of these states and all that they lead to; infinity where there is no plan."""
    pre, add, delete = ([as_set(row) for row in rows] for rows in (task.pre, task.add, task.delete))
    goal, stack = as_set(task.goal), list(starts)
    parents: dict[State, list[State]] = {state: [] for state in stack}
    while stack:
        state = stack.pop()
        for operator in range(task.n_operators):
            if pre[operator] <= state:
                child = (state - delete[operator]) | add[operator]
                if child not in parents:
                    parents[child] = []
                    stack.append(child)
                parents[child].append(state)
    distance: dict[State, float] = dict.fromkeys(parents, inf)
    layer, steps = [state for state in parents if goal <= state], 0
    while layer:
        for state in layer:
            distance[state] = steps
        layer = list({p for state in layer for p in parents[state] if distance[p] == inf})
        steps += 1
    return distance


def bellman(task: Task, state: State, depth: int, h: Callable[[State], float], operators: Iterable[int]) -> float:
    """The least d + h over all states that so many steps of these operators lead to; a goal on the way ends it."""
    goal, allowed, level = as_set(task.goal), set(operators), {state}
    for steps in range(depth + 1):
        if any(goal <= reached for reached in level):
            return steps
        if steps < depth:
            level = {child for reached in level for o, child in successors(task, reached) if o in allowed}
    return min((depth + max(h(leaf), 0.0) for leaf in level), default=inf)


def cheapest_cost(task: Task, *, unit_costs: bool) -> float:
    """Cost of an optimal plan by uniform-cost search; infinity where there is none."""
    goal, start = as_set(task.goal), as_set(task.init)
    best, heap = {start: 0}, [(0, 0, start)]
    pushed = 0
    while heap:
        g, _, state = heapq.heappop(heap)
        if g > best[state]:
            continue
        if goal <= state:
            return g
        for operator, child in successors(task, state):
            cost = g + (1 if unit_costs else int(task.costs[operator]))
            if cost < best.get(child, inf):
                best[child] = cost
                pushed += 1
                heapq.heappush(heap, (cost, pushed, child))
    return inf


def relaxed_value(task: Task, state: State, combine: Callable[[Iterable[float]], float], *, unit_costs: bool) -> float:
    """h_max (``combine`` = max) or h_add (sum) by repeated relaxation of every operator until nothing changes."""
    cost = [0.0 if atom in state else inf for atom in range(task.n_atoms)]
    changed = True
    while changed:
        changed = False
        for operator in range(task.n_operators):
            step = 1 if unit_costs else int(task.costs[operator])
            reached = step + combine([0.0, *(cost[atom] for atom in task.pre[operator])])
            for atom in task.add[operator]:
                if reached < cost[atom]:
                    cost[atom] = reached
                    changed = True
    return combine([0.0, *(cost[atom] for atom in task.goal)])


def relaxed_plan_costs(task: Task, state: State, *, unit_costs: bool) -> set[int]:
    """Costs of all sets of operators that reach the goal when deletes are ignored; exponential in |O|."""
    goal = as_set(task.goal)
    costs = set()
    for chosen in product([False, True], repeat=task.n_operators):
        operators = [o for o in range(task.n_operators) if chosen[o]]
        if goal <= _relaxed_closure(task, state, operators):
            costs.add(sum(1 if unit_costs else int(task.costs[o]) for o in operators))
    return costs


def _relaxed_closure(task: Task, state: State, operators: list[int]) -> State:
    reached = state
    while True:
        more = reached.union(*(as_set(task.add[o]) for o in operators if as_set(task.pre[o]) <= reached))
        if more == reached:
            return reached
        reached = more


@st.composite
def strips_tasks(draw: st.DrawFn, max_atoms: int = 7, max_operators: int = 8, max_cost: int = 20) -> Task:
    """Small random tasks: free and dear operators, operators without preconditions, dead ends, unreachable goals."""
    n_atoms = draw(st.integers(1, max_atoms))
    atoms = st.sets(st.integers(0, n_atoms - 1), max_size=3)
    costs = st.one_of(st.integers(0, 3), st.integers(0, max_cost))
    operators = []
    for _ in range(draw(st.integers(0, max_operators))):
        pre, add = draw(atoms), draw(atoms)
        operators.append((pre, add - pre, draw(atoms) - add, draw(costs)))
    return make_task(n_atoms, operators, draw(atoms), draw(atoms))


# --- PDDL ---


def lifted_transitions(
    domain: lifted.Domain, problem: lifted.Problem
) -> tuple[set[LiftedState], set[tuple[LiftedState, str, LiftedState]]]:
    """All reachable states as sets of true atoms, and the steps between different ones."""
    objects = {**domain.constants, **problem.objects}
    start = frozenset(problem.init)
    states, steps, stack = {start}, set(), [start]
    while stack:
        state = stack.pop()
        for action in domain.actions.values():
            for binding in _bindings(domain, objects, action.parameters, {}):
                if not _holds(domain, objects, action.precondition, binding, state):
                    continue
                add: set[lifted.GroundAtom] = set()
                delete: set[lifted.GroundAtom] = set()
                _effects(domain, objects, action.effect, binding, state, add, delete)
                child = frozenset((state - delete) | add)
                if child == state:
                    continue
                step = f"({' '.join((action.name, *(binding[parameter.name] for parameter in action.parameters)))})"
                steps.add((state, step, child))
                if child not in states:
                    states.add(child)
                    stack.append(child)
    return states, steps


def lifted_holds(domain: lifted.Domain, problem: lifted.Problem, state: LiftedState) -> bool:
    """True if the goal holds in a state."""
    return _holds(domain, {**domain.constants, **problem.objects}, problem.goal, {}, state)


def _bindings(
    domain: lifted.Domain, objects: dict[str, str], parameters: tuple[lifted.TypedName, ...], outer: dict[str, str]
) -> Iterator[dict[str, str]]:
    choices = [[name for name, kind in objects.items() if domain.types.fits(kind, p.types)] for p in parameters]
    for row in product(*choices):
        yield {**outer, **{parameter.name: name for parameter, name in zip(parameters, row, strict=True)}}


def _atom(atom: lifted.Atom, binding: dict[str, str]) -> lifted.GroundAtom:
    return (atom.predicate, *(binding.get(argument, argument) for argument in atom.arguments))


def _holds(
    domain: lifted.Domain,
    objects: dict[str, str],
    condition: lifted.Condition,
    binding: dict[str, str],
    state: LiftedState,
) -> bool:
    def holds(part: lifted.Condition, inner: dict[str, str] = binding) -> bool:
        return _holds(domain, objects, part, inner, state)

    match condition:
        case lifted.Atom():
            return _atom(condition, binding) in state
        case lifted.Equal(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case lifted.Not(part):
            return not holds(part)
        case lifted.And(parts):
            return all(map(holds, parts))
        case lifted.Or(parts):
            return any(map(holds, parts))
        case lifted.Imply(first, then):
            return holds(then) or not holds(first)
        case lifted.Forall(parameters, part):
            return all(holds(part, inner) for inner in _bindings(domain, objects, parameters, binding))
        case lifted.Exists(parameters, part):
            return any(holds(part, inner) for inner in _bindings(domain, objects, parameters, binding))


def _effects(
    domain: lifted.Domain,
    objects: dict[str, str],
    effect: lifted.Effect,
    binding: dict[str, str],
    state: LiftedState,
    add: set[lifted.GroundAtom],
    delete: set[lifted.GroundAtom],
) -> None:
    match effect:
        case lifted.Add(atom):
            add.add(_atom(atom, binding))
        case lifted.Delete(atom):
            delete.add(_atom(atom, binding))
        case lifted.AllOf(parts):
            for part in parts:
                _effects(domain, objects, part, binding, state, add, delete)
        case lifted.ForEach(parameters, part):
            for inner in _bindings(domain, objects, parameters, binding):
                _effects(domain, objects, part, inner, state, add, delete)
        case lifted.When(condition, part):
            if _holds(domain, objects, condition, binding, state):
                _effects(domain, objects, part, binding, state, add, delete)
