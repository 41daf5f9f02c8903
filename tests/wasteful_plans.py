"""Random tasks with plans that are easily shortened, and PDDL for tasks that were made without it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from goalward.task.lifted import Domain, Problem
from goalward.task.strips import Task
from helpers import read_texts
from oracle import State, as_set, make_task, successors

Wasteful = tuple[Task, list[int]]


def wasteful_plan(seed: int, most_atoms: int = 8, most_operators: int = 10, most_cost: int = 5) -> Wasteful:
    """A random task and a random walk through it that ends, but perhaps not only ends, in a goal state.

    Some operators are free, in some tasks all of them; some goals hold from the beginning, some are empty.
    """
    draw = random.Random(seed)
    n_atoms = draw.randint(1, most_atoms)
    highest = draw.choice([0, 1, most_cost, most_cost])

    def some(most: int) -> set[int]:
        return set(draw.sample(range(n_atoms), draw.randint(0, min(most, n_atoms))))

    operators = []
    for _ in range(draw.randint(1, most_operators)):
        pre, add = some(2), some(2)
        operators.append((pre, add - pre, some(2) - add, draw.randint(0, highest)))
    task = make_task(n_atoms, operators, some(4), [])
    state, plan = as_set(task.init), []
    for _ in range(draw.randint(0, 40)):
        steps = list(successors(task, state))
        if not steps:
            break
        operator, state = draw.choice(steps)
        plan.append(operator)
    goal = draw.sample(sorted(state), draw.randint(0, len(state)))
    return make_task(n_atoms, operators, task.init.tolist(), goal), plan


def wandering_plan(task: Task, seed: int, solve: Sequence[int], steps: int = 30) -> list[int]:
    """A plan that walks about at random and back, then does what ``solve`` does; every step must have a way back."""
    draw = random.Random(seed)
    state, walked = as_set(task.init), [as_set(task.init)]
    plan = []
    for _ in range(steps):
        operator, state = draw.choice(list(successors(task, state)))
        plan.append(operator)
        walked.append(state)
    plan += way_back(task, walked)
    return [*plan, *solve]


def way_back(task: Task, walked: Sequence[State]) -> Iterator[int]:
    """Steps that undo a walk, one by one."""
    for now, before in zip(reversed(walked[1:]), reversed(walked[:-1]), strict=True):
        yield next(operator for operator, state in successors(task, now) if state == before)


def cost(task: Task, plan: Sequence[int]) -> int:
    return sum(int(task.costs[operator]) for operator in plan)


def end_state(task: Task, plan: Sequence[int], init: State | None = None) -> State | None:
    """Where the steps lead; None where one cannot be taken."""
    state = as_set(task.init) if init is None else init
    for operator in plan:
        if not as_set(task.pre[operator]) <= state:
            return None
        state = (state - as_set(task.delete[operator])) | as_set(task.add[operator])
    return state


def as_pddl(task: Task) -> tuple[Domain, Problem]:
    """A task from arrays as PDDL without objects: one predicate per atom, one action per operator."""

    def conjunction(atoms: Sequence[int]) -> str:
        return " ".join(task.atoms[atom] for atom in atoms)

    actions = "\n".join(
        f"(:action o{o} :parameters () :precondition (and {conjunction(task.pre[o])}) :effect (and "
        f"{conjunction(task.add[o])} {' '.join(f'(not {task.atoms[a]})' for a in task.delete[o])} "
        f"(increase (total-cost) {task.costs[o]})))"
        for o in range(task.n_operators)
    )
    domain = (
        f"(define (domain made-up) (:requirements :action-costs) (:predicates {' '.join(task.atoms)}) "
        f"(:functions (total-cost) - number)\n{actions})"
    )
    problem = (
        f"(define (problem made-up) (:domain made-up) (:init {conjunction(task.init)} (= (total-cost) 0)) "
        f"(:goal (and {conjunction(task.goal)})) (:metric minimize (total-cost)))"
    )
    return read_texts(domain, problem)
