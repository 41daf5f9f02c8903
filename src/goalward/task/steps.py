"""Translates the steps of a plan, ``(action object …)``, to operators of a task."""

from __future__ import annotations

from collections.abc import Sequence

from goalward.task.strips import Ints, Task


def find_operators(task: Task, init: Ints, steps: Sequence[str]) -> list[int]:
    """The operators with the names in ``steps``, applied one after the other from ``init``.

    An action with a disjunctive precondition has several operators of the same name; the first applicable one is used.
    Steps without an operator are skipped, because grounding drops actions that change nothing or are never applicable.
    The caller must check whether the result is a plan.
    """
    by_name: dict[str, list[int]] = {}
    for operator, name in enumerate(task.operators):
        by_name.setdefault(name, []).append(operator)
    state = {int(atom) for atom in init}
    found = []
    for step in steps:
        candidates = by_name.get(step.lower(), [])
        if not candidates:
            continue
        operator = next((o for o in candidates if state.issuperset(task.pre[o].tolist())), candidates[0])
        state = (state - set(task.delete[operator].tolist())) | set(task.add[operator].tolist())
        found.append(operator)
    return found
