"""How the network is used best: decided by the cost of plans on validation states."""

from __future__ import annotations

import pytest

from goalward.learning.budget import Budget
from goalward.learning.quality import USES, WITHOUT, Quality, Use, measure_quality
from goalward.search.network import bind_network
from goalward.task.states import random_walk_states
from helpers import make_tiny, whole_number_network
from oracle import as_set, goal_distances

IMPROVEMENT, FIRST, BOTH = Use(False, True), Use(True, False), Use(True, True)


def quality(saved: float = 0.0, **changed: list[float]) -> Quality:
    """Costs of two states (10, 20, unless named); with the network first plans come ``saved`` seconds sooner."""
    named = {"improvement": IMPROVEMENT, "first": FIRST, "both": BOTH}
    costs = {use: [10.0, 20.0] for use in USES} | {named[name]: values for name, values in changed.items()}
    return Quality(costs, {False: [1.0, 1.0], True: [1.0 - saved, 1.0 - saved]})


def test_the_network_is_left_out_if_it_changes_nothing() -> None:
    assert quality().best == WITHOUT
    assert quality().ratio(WITHOUT) == 1.0


def test_the_network_finds_first_plans_if_that_is_faster_and_costs_no_more() -> None:
    assert quality(saved=0.5).best.first
    assert quality(saved=0.01).best == WITHOUT, "nobody notices that"
    assert quality(saved=0.5, first=[10.1, 20.0], both=[10.1, 20.0]).best == WITHOUT


def test_the_cheapest_use_wins() -> None:
    found = quality(improvement=[5.0, 10.0], both=[8.0, 16.0])
    assert found.best == IMPROVEMENT
    assert found.ratio(IMPROVEMENT) == pytest.approx(0.5)
    assert quality(improvement=[8.0, 16.0], both=[5.0, 10.0]).best == BOTH


def test_a_gain_within_its_standard_error_does_not_choose_the_first_plan() -> None:
    assert quality(first=[8.0, 21.0]).best == WITHOUT
    assert quality(first=[9.0, 18.0]).best == FIRST
    assert quality(improvement=[8.0, 21.0]).best == IMPROVEMENT, "the mean alone decides about improvement"


def test_nothing_is_known_without_a_plan() -> None:
    nothing = Quality()
    assert (nothing.states, nothing.best, nothing.ratio(WITHOUT)) == (0, WITHOUT, 1.0)


def test_costs_of_small_tasks_are_optimal_in_every_way() -> None:
    task = make_tiny("blocks").task
    states = [state for state in random_walk_states(task, 6, 20, 1) if not task.is_goal(state)][:3]
    distances = goal_distances(task, map(as_set, states))
    found = measure_quality(bind_network(task, whole_number_network(task)), states, 10.0, Budget())
    assert set(found.costs) == set(USES)
    assert all(values == [distances[as_set(state)] for state in states] for values in found.costs.values())
    assert [len(times) for times in found.seconds.values()] == [len(states)] * 2


def test_a_state_for_which_there_is_no_time_is_left_out() -> None:
    task = make_tiny("blocks").task
    states = [state for state in random_walk_states(task, 6, 20, 1) if not task.is_goal(state)][:3]
    ticks = iter(range(10_000))
    budget = Budget(100.0, clock=lambda: 20.0 * next(ticks))
    assert 1 <= measure_quality(bind_network(task, whole_number_network(task)), states, 10.0, budget).states < 3
