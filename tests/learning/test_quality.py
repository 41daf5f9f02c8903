"""How the network is used best: decided by the cost of plans on validation states."""

from __future__ import annotations

import pytest

from goalward.learning.budget import Budget
from goalward.learning.quality import NETWORK_SHARES, USES, WITHOUT, Use, best_use, costs_by_use, quality
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.search.strategy import is_of_use, strategy_for
from goalward.task.states import random_walk_states
from helpers import make_tiny, whole_number_network
from oracle import as_set, goal_distances


def costs(**changed: list[float]) -> dict[Use, list[float]]:
    """Costs of two states, 10 and 20 except for uses named like ``first_5``: the network first, share 0.5."""
    found: dict[Use, list[float]] = {use: [10.0, 20.0] for use in USES}
    for name, values in changed.items():
        first, share = name.split("_")
        found[Use(first == "first", int(share) / 10)] = values
    return found


@pytest.mark.parametrize("faster_first", [True, False])
def test_the_faster_search_is_used_if_plans_cost_the_same(faster_first: bool) -> None:
    assert best_use(costs(), faster_first=faster_first) == (Use(faster_first, 0.0), 1.0)


def test_the_cheapest_use_wins_and_says_what_it_saves() -> None:
    use, ratio = best_use(costs(plan_8=[5.0, 10.0], first_5=[8.0, 16.0]), faster_first=True)
    assert (use, ratio) == (Use(first=False, share=0.8), pytest.approx(0.5))


def test_a_faster_search_that_costs_more_is_left_out() -> None:
    dearer = costs(first_0=[11.0, 22.0], first_5=[11.0, 22.0], first_8=[11.0, 22.0])
    assert best_use(dearer, faster_first=True) == (WITHOUT, 1.0)


def test_nothing_is_known_without_a_plan() -> None:
    assert best_use({use: [] for use in USES}, faster_first=True) == (Use(first=True, share=0.0), 1.0)


def test_costs_of_small_tasks_are_optimal_in_every_way() -> None:
    task = make_tiny("blocks").task
    states = [state for state in random_walk_states(task, 6, 20, 1) if not task.is_goal(state)][:3]
    distances = goal_distances(task, map(as_set, states))
    found = costs_by_use(bind_network(task, whole_number_network(task)), states, 10.0, Budget())
    assert set(found) == {Use(first, share) for first in (False, True) for share in NETWORK_SHARES}
    assert all(values == [distances[as_set(state)] for state in states] for values in found.values())


def test_the_verdict_reaches_the_strategy() -> None:
    task = make_tiny("blocks").task
    states = [state for state in random_walk_states(task, 6, 20, 1) if not task.is_goal(state)][:2]
    heuristic = bind_network(task, whole_number_network(task))
    said = quality(heuristic, {"likely_to_help": False, "lead": "novelty"}, states, 10.0)
    assert said == {"likely_to_help": False, "network_share": 0.0, "cost_ratio": 1.0, "quality_states": 2}

    model = Model(task, whole_number_network(task), said | {"lead": "network"})
    assert not is_of_use(model)
    outcome = model.solve(states[0])
    assert outcome.solved
    assert strategy_for(model).options.algorithm == "portfolio"
