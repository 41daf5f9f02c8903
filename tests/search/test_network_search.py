"""Searches with a network inside the improver: bounded by the best plan, and closed by suffixes of it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from goalward.errors import UsageError
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.search.improve import Improver
from goalward.search.network import bind_network
from goalward.task.domains import generate
from goalward.task.validate import validate_plan
from helpers import make_tiny, whole_number_network
from oracle import as_set
from wasteful_plans import as_pddl, cost, end_state, wasteful_plan

EFFORT = 3_000_000


@pytest.mark.parametrize("unit_costs", [True, False])
def test_a_network_of_no_merit_makes_no_plan_wrong_or_worse(unit_costs: bool) -> None:
    by_network = 0
    for seed in range(300):
        task, plan = wasteful_plan(seed)
        heuristic = bind_network(task, whole_number_network(task))
        improver = Improver(task, unit_costs=unit_costs, heuristic=heuristic, network_share=0.9)
        improved = improver.improve(plan, effort_limit=EFFORT, seed=seed)
        values = [(improver.cost(p), len(p)) for p in (improved.before, *(b.plan for b in improved.better))]
        assert all(later < earlier for earlier, later in pairwise(values)), seed
        reached = end_state(task, improved.plan)
        assert reached is not None
        assert as_set(task.goal) <= reached
        verdict = validate_plan(*as_pddl(task), [(step[1:-1],) for step in improved.steps])
        assert (verdict.valid, verdict.cost) == (True, cost(task, improved.plan)), (seed, verdict.reason)
        by_network += sum(better.by == "network" for better in improved.better)
    assert by_network > 0, "it took part"


@pytest.mark.parametrize("cores", [1, 2])
def test_any_heuristic_with_a_share_finds_plans_that_a_greedy_search_missed(cores: int) -> None:
    task = generate("tiles", rows=4, cols=4, seed=2).ground()
    greedy = search(task, "ff", SearchOptions("portfolio")).plan
    assert greedy is not None
    improver = Improver(task, heuristic=bind_heuristic(task, "ff"), network_share=0.9)
    improved = improver.improve(greedy, effort_limit=200_000_000, cores=cores)
    assert improved.length < len(greedy)
    assert "network" in [better.by for better in improved.better]


@pytest.mark.parametrize("cores", [1, 2])
def test_the_same_network_gives_the_same_plans_again(cores: int) -> None:
    for seed in range(40):
        task, plan = wasteful_plan(seed)
        improver = Improver(task, heuristic=bind_network(task, whole_number_network(task)), network_share=0.5)
        first, again = (improver.improve(plan, effort_limit=EFFORT, cores=cores) for _ in range(2))
        assert [better.plan for better in first.better] == [better.plan for better in again.better]


def test_a_heuristic_brings_the_share_that_training_found() -> None:
    task = make_tiny("blocks").task
    network = bind_network(task, whole_number_network(task), network_share=0.8)
    assert Improver(task, heuristic=network).network_share == 0.8
    assert Improver(task, heuristic=network, network_share=0.0).network_share == 0.0
    assert Improver(task, heuristic=bind_heuristic(task, "ff")).network_share == 0.0
    with pytest.raises(UsageError, match=r"network_share must be at least 0 and below 1, but is 1"):
        Improver(task, network_share=1.0)
