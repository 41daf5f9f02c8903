"""Regression along plans: pre-images that prove how many steps suffice, wherever the rest of a state comes from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from goalward.regression import RolloutOptions, join_rollouts, regress, regress_plans
from goalward.sampling import label
from goalward.search import SearchOptions, search
from goalward.task.states import random_walk_states, states_along
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import strips_tasks

from .preimages import Oracle, mask


def plans_of(task: Task, n: int = 4) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """States that walks end in, each with a plan from it, where there is one."""
    states = [task.init, *random_walk_states(task, n, 6, seed=1)]
    found = [(state, search(task, "ff", SearchOptions(expansion_limit=500), init=state).plan) for state in states]
    return [(state, plan) for state, plan in found if plan is not None]


@given(strips_tasks())
def test_a_pre_image_is_what_the_rest_of_the_plan_needs(task: Task) -> None:
    oracle = Oracle(task)
    for state, plan in plans_of(task, 1):
        rollouts = regress_plans(task, [plan])
        x = oracle.goal
        expected = [x & oracle.core]
        for operator in reversed(plan):
            x = (x & ~oracle.add[operator]) | oracle.pre[operator]
            expected.append(x & oracle.core)
        assert [mask(row) for row in rollouts.preimages] == expected
        assert rollouts.depth.tolist() == list(range(len(plan) + 1))
        assert rollouts.operators.tolist() == [-1, *reversed(plan)]
        assert mask(rollouts.preimages[-1 + len(rollouts)]) & ~mask(state) == 0


@pytest.mark.parametrize("name", TINY)
def test_states_along_a_plan_are_labelled_with_no_more_than_what_is_left_of_it(name: str) -> None:
    task = make_tiny(name).task
    found = plans_of(task)
    rollouts = regress_plans(task, [plan for _, plan in found])
    assert rollouts.rollout[-1] == len(found) - 1
    for state, plan in found:
        labels = label(task, rollouts, states_along(task, state, plan))
        left = np.arange(len(plan), -1, -1)
        assert (labels <= left).all()
        assert labels[-1] == 0


@pytest.mark.parametrize("name", TINY)
def test_joined_rollouts_label_with_the_least_of_both(name: str) -> None:
    task = make_tiny(name).task
    drawn = regress(task, RolloutOptions(n_rollouts=3, length=6))
    along = regress_plans(task, [plan for _, plan in plans_of(task)])
    both = join_rollouts([drawn, along])
    assert len(both) == len(drawn) + len(along)
    assert [both.preimages[i].tolist() for i in range(len(drawn), len(both))] == [r.tolist() for r in along.preimages]
    assert both.rollout[len(drawn)] == drawn.rollout[-1] + 1
    states = np.concatenate([states_along(task, state, plan) for state, plan in plans_of(task)])
    by_each = np.minimum(*(np.where((d := label(task, r, states)) == r.beyond, both.beyond, d) for r in (drawn, along)))
    assert label(task, both, states).tolist() == by_each.tolist()
