"""Plans by name, ``(action object …)``, and as operators of a task."""

from __future__ import annotations

from collections.abc import Sequence

from goalward.task.strips import Ints, Task


def find_operators(task: Task, init: Ints, steps: Sequence[str]) -> list[int]:
    """The operators that the steps stand for, one after the other from a state.

    An action with a disjunctive precondition is several operators of one name: the first that is applicable is meant.
    Grounding leaves out actions that change nothing and actions that can never be taken, so steps without an operator
    are skipped; whether the rest is a plan is for the caller to check.
    """
    by_name: dict[str, list[int]] = {}
    for operator, name in enumerate(task.operators):
        by_name.setdefault(name, []).append(operator)
    state = {int(atom) for atom in init}
    found = []
    for step in steps:
        meant = by_name.get(step.lower(), [])
        if not meant:
            continue
        operator = next((o for o in meant if state.issuperset(task.pre[o].tolist())), meant[0])
        state = (state - set(task.delete[operator].tolist())) | set(task.add[operator].tolist())
        found.append(operator)
    return found
