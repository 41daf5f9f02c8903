"""Best-first search by novelty, as slowly and as plainly as it can be written.

It is for tasks in which each atom is added by one operator at most: their relaxed plans leave nothing to choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from goalward.task.strips import Task
from oracle import State, as_set, successors


@dataclass
class Node:
    """A state, the way to it, and the relaxed plan that it follows (None: one of its own, made when it is expanded)."""

    state: State
    path: tuple[int, ...]
    missing: int
    to_reach: frozenset[int] | None
    reached: frozenset[int] = frozenset()

    @property
    def left(self) -> int:
        return len(self.to_reach) - len(self.reached) if self.to_reach is not None else 0


@dataclass
class Trace:
    """What a search did."""

    expanded: int = 0
    dead_ends: int = 0
    generated: int = 0
    stored: int = 0
    plan: tuple[int, ...] | None = None
    cut: bool = False  # by the limit on expansions


def relaxed_plan_atoms(task: Task, state: State) -> frozenset[int] | None:
    """What the only relaxed plan makes true; None where there is none."""
    adders = {int(atom): op for op in range(task.n_operators) for atom in task.add[op]}
    first_met: dict[int, int] = {}  # operators by the round in which they could be applied
    reached = set(state)
    while not set(task.goal.tolist()) <= reached:
        ready = [o for o in range(task.n_operators) if o not in first_met and set(task.pre[o].tolist()) <= reached]
        if not ready:
            return None
        for op in ready:
            first_met[op] = len(first_met)
            reached |= set(task.add[op].tolist())
    needed, plan = [int(atom) for atom in task.goal], set()
    while needed:
        atom = needed.pop()
        if atom in state or adders[atom] in plan:
            continue
        plan.add(adders[atom])
        needed += task.pre[adders[atom]].tolist()
    return frozenset(int(atom) for op in plan for atom in task.add[op]) - state


def run(task: Task, limit: int) -> Trace:
    """Search until a plan, the end of all states, or so many expansions."""
    trace, goal = Trace(), as_set(task.goal)
    seen: dict[tuple[int, int], set[State]] = {}
    queue: list[tuple[tuple[int, int, int], Node]] = []

    def put(node: Node) -> None:
        known = seen.setdefault((node.missing, len(node.reached)), set())
        small = [frozenset(atoms) for atoms in combinations(sorted(node.state), 1)]
        pairs = [frozenset(atoms) for atoms in combinations(sorted(node.state), 2)]
        novelty = 3 if known.issuperset(small + pairs) else 2 if known.issuperset(small) else 1
        known.update(small + pairs)
        queue.append(((novelty, node.missing, node.left), node))
        met.add(node.state)

    start = as_set(task.init)
    met: set[State] = set()
    first = Node(start, (), len(goal - start), None)
    put(first)
    if not first.missing:
        trace.plan = ()
    while queue and trace.plan is None:
        if trace.expanded >= limit:
            trace.cut = True
            break
        best = min(range(len(queue)), key=lambda i: (queue[i][0], i))
        node = queue.pop(best)[1]
        if node.to_reach is None:
            node.to_reach = relaxed_plan_atoms(task, node.state)
            if node.to_reach is None:
                trace.dead_ends += 1
                continue
        trace.expanded += 1
        for op, child in successors(task, node.state):
            trace.generated += 1
            if child in met:
                continue
            missing, path = len(goal - child), (*node.path, op)
            if missing < node.missing:
                put(Node(child, path, missing, None))
            else:
                added = frozenset(task.add[op].tolist())
                put(Node(child, path, missing, node.to_reach, node.reached | (added & node.to_reach)))
            if not missing:
                trace.plan = path
                break
    trace.stored = len(met)
    return trace
