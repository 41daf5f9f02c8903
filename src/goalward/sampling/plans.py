"""States along plans, labelled with what the rest of the plan costs: near-optimal distances where plans are improved.

>>> better = improve_plan(task, plan, init=state, time_limit=1)  # doctest: +SKIP
>>> dataset = label_plans(task, [(state, better.plan)])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from goalward.errors import UsageError
from goalward.sampling.dataset import Dataset
from goalward.task.states import BitRows, states_along
from goalward.task.strips import Ints, Task


def label_plan(task: Task, init: Ints, plan: Sequence[int], *, unit_costs: bool = True) -> tuple[BitRows, Ints]:
    """The states along a plan, each with the number of steps that remain or, without unit costs, with their cost."""
    costs = np.ones(len(plan), dtype=np.int64) if unit_costs else task.costs[np.asarray(plan, dtype=np.int64)]
    to_go = np.concatenate([np.cumsum(costs[::-1])[::-1], [0]])
    if to_go[0] > np.iinfo(np.int32).max:
        raise UsageError(f"a plan costs {to_go[0]}, too much for a label; count steps instead")
    return states_along(task, init, plan), to_go.astype(np.int32)


def label_plans(task: Task, plans: Iterable[tuple[Ints, Sequence[int]]], *, unit_costs: bool = True) -> Dataset:
    """The states along plans, given as initial states and operators; each state once, with its least label.

    Whoever finds the plans decides what the labels are worth: those of :func:`goalward.improve_plan` are close to the
    distances to the goal, those of greedy search well above them.
    """
    parts = [label_plan(task, init, plan, unit_costs=unit_costs) for init, plan in plans]
    if not parts:
        raise UsageError("there are no plans to take states from")
    states, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(labels, kind="stable")
    kept, first = np.unique(states[order], axis=0, return_index=True)
    return Dataset.of_labelled(task, kept, labels[order][first], "plans")
