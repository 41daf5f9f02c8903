"""Data from plans: the states along a plan, labelled with the cost of the rest of the plan.

>>> better = improve_plan(task, plan, init=state, time_limit=1)  # doctest: +SKIP
>>> dataset = label_plans(task, [(state, better.plan)])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from goalward.errors import UsageError
from goalward.sampling.dataset import Dataset
from goalward.task.states import BitRows, StateLike, as_state, states_along
from goalward.task.strips import Ints, Task


def label_plan(task: Task, init: Ints, plan: Sequence[int], *, unit_costs: bool = True) -> tuple[BitRows, Ints]:
    """The states along a plan, and for each the number of remaining steps or, without unit costs, their cost."""
    costs = np.ones(len(plan), dtype=np.int64) if unit_costs else task.costs[np.asarray(plan, dtype=np.int64)]
    to_go = np.concatenate([np.cumsum(costs[::-1])[::-1], [0]])
    if to_go[0] > np.iinfo(np.int32).max:
        raise UsageError(f"a plan costs {to_go[0]}, which is too much for a label; use unit_costs=True")
    return states_along(task, init, plan), to_go.astype(np.int32)


def label_plans(task: Task, plans: Iterable[tuple[StateLike, Sequence[int]]], *, unit_costs: bool = True) -> Dataset:
    """Make a data set of the states along plans; a state on several plans has its minimum label.

    Each plan is given as a pair of its initial state and its operators. Labels from plans of
    :func:`goalward.improve_plan` are close to the distances to the goal; labels from greedy search are well above them.
    """
    parts = [label_plan(task, as_state(task, init), plan, unit_costs=unit_costs) for init, plan in plans]
    if not parts:
        raise UsageError("label_plans needs at least one plan")
    states, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(labels, kind="stable")
    kept, first = np.unique(states[order], axis=0, return_index=True)
    return Dataset.of_labelled(task, kept, labels[order][first], "plans")
