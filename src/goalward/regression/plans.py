"""Regression along plans: applies the actions of a plan in reverse order instead of random ones.

>>> rollouts = regress_plans(task, [result.plan])  # doctest: +SKIP
>>> rollouts.longest == len(result.plan)  # doctest: +SKIP
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from goalward.regression.rollouts import Rollouts
from goalward.task.packing import core_atoms
from goalward.task.strips import Rows, Task


def regress_plans(task: Task, plans: Iterable[Sequence[int]]) -> Rollouts:
    """Regress the goal along plans, one rollout for each: x_0 = G, x_i = (x_{i-1} \\ Add) ∪ Pre.

    Pre-images along a valid plan contain no mutex pair, because each is a subset of a state that the plan visits.
    Near-optimal plans give near-optimal labels.
    """
    core = core_atoms(task)
    pre, add = (rows.keep_values(core[rows.values]) for rows in (task.pre, task.add))
    goal = frozenset(task.goal[core[task.goal]].tolist())
    preimages: list[list[int]] = []
    depth, rollout, operators = [], [], []
    for number, plan in enumerate(plans):
        atoms = goal
        steps = [-1, *reversed(plan)]
        for i, operator in enumerate(steps):
            if operator >= 0:
                atoms = (atoms - set(add[operator].tolist())) | set(pre[operator].tolist())
            preimages.append(sorted(atoms))
            depth.append(i)
            rollout.append(number)
            operators.append(operator)
    return Rollouts(Rows.of(preimages), *(np.array(part, dtype=np.int32) for part in (depth, rollout, operators)))
