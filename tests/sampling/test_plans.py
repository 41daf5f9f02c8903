"""States along plans: every label is the cost of a way to the goal, and the least that the plans know."""

from __future__ import annotations

import numpy as np
import pytest

from goalward import improve_plan, label_plans
from goalward.errors import UsageError
from goalward.search import ImproveStatus
from goalward.task.states import to_lists
from goalward.task.strips import Task
from oracle import as_set, cheapest_cost, make_task, with_init
from wasteful_plans import wasteful_plan


def to_go(task: Task, plan: list[int], unit_costs: bool) -> dict[frozenset[int], int]:
    """By the definition of operators: the least rest of the plan from each of its states."""
    state, found = as_set(task.init), {}
    for place in range(len(plan) + 1):
        rest = [1 if unit_costs else int(task.costs[operator]) for operator in plan[place:]]
        found[state] = min(sum(rest), found.get(state, sum(rest)))
        if place < len(plan):
            state = (state - as_set(task.delete[plan[place]])) | as_set(task.add[plan[place]])
    return found


@pytest.mark.parametrize("unit_costs", [True, False])
def test_labels_are_the_least_rest_of_a_plan_from_each_state(unit_costs: bool) -> None:
    for seed in range(150):
        task, plan = wasteful_plan(seed)
        better = improve_plan(task, plan, effort_limit=100_000).plan
        dataset = label_plans(task, [(task.init, plan), (task.init, better)], unit_costs=unit_costs)
        expected = to_go(task, plan, unit_costs)
        for state, cost in to_go(task, list(better), unit_costs).items():
            expected[state] = min(cost, expected.get(state, cost))
        rows = [frozenset(row.tolist()) for row in to_lists(dataset.states, task.n_atoms)]
        assert len(set(rows)) == len(rows)
        assert dict(zip(rows, dataset.labels.tolist(), strict=True)) == expected, seed


def test_labels_along_optimal_plans_are_distances() -> None:
    checked = 0
    for seed in range(60):
        task, plan = wasteful_plan(seed)
        improved = improve_plan(task, plan)
        if improved.status is not ImproveStatus.OPTIMAL:
            continue
        dataset = label_plans(task, [(task.init, improved.plan)], unit_costs=False)
        for state, cost in zip(to_lists(dataset.states, task.n_atoms), dataset.labels.tolist(), strict=True):
            assert cost == cheapest_cost(with_init(task, state.tolist()), unit_costs=False), seed
            checked += 1
    assert checked > 60


def test_without_plans_there_are_no_states() -> None:
    with pytest.raises(UsageError, match="at least one plan"):
        label_plans(make_task(1, [], [0], []), [])


def test_costs_that_no_label_can_hold_are_refused() -> None:
    task = make_task(2, [([0], [1], [], 2**31 - 1), ([1], [], [1], 2**31 - 1)], [0], [1])
    with pytest.raises(UsageError, match="too much for a label"):
        label_plans(task, [(task.init, [0, 1, 0])], unit_costs=False)
    assert label_plans(task, [(np.array([0], dtype=np.int32), [0, 1, 0])]).labels.max() == 1
