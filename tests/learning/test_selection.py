"""Selection: the verdict on a network, which network is kept, and how the verdict reaches the search."""

from __future__ import annotations

import pytest

from goalward.learning.budget import Budget
from goalward.learning.leads import Leading
from goalward.learning.quality import USES, Quality
from goalward.learning.selection import Verdict, judge
from goalward.learning.validation import validation_states
from goalward.search import bind_heuristic
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.search.portfolio import LEADS, Lead
from goalward.search.strategy import NetworkUse, network_use, strategy_for
from goalward.task.strips import Task
from helpers import make_tiny, whole_number_network


def verdict(
    solved: dict[str, int] | None = None,
    prices: tuple[float, ...] = (50, 50, 50, 50, 50),
    quality: Quality | None = None,
) -> Verdict:
    """About three states. Parts solve all of them unless said otherwise."""
    by_lead = {
        name: Leading(price / 100, 10 * price, price, 0.2, (solved or {}).get(name, 3), 3)
        for name, price in zip(LEADS, prices, strict=True)
    }
    return Verdict(by_lead, quality or Quality())


def costs(**ratios: float) -> Quality:
    """One state; cost by use over that without the network."""
    names = {"improvement": (False, True), "first": (True, False), "both": (True, True)}
    by_use = {names[name]: ratio for name, ratio in ratios.items()}
    found = {use: [100.0 * by_use.get((use.first, use.improvement), 1.0)] for use in USES}
    return Quality(found, {False: [1.0], True: [1.0]})


@pytest.mark.parametrize(
    ("quality", "use"),
    [
        (costs(), NetworkUse.NONE),
        (costs(improvement=0.9), NetworkUse.IMPROVEMENT),
        (costs(both=0.9), NetworkUse.SEARCH),
        (costs(first=0.9), NetworkUse.SEARCH),
    ],
)
def test_the_cost_of_plans_decides_the_use(quality: Quality, use: NetworkUse) -> None:
    found = verdict(quality=quality)
    assert found.use is use
    share = found.info()["network_share"]
    assert (share > 0) == quality.best.improvement


@pytest.mark.parametrize(
    ("solved", "prices", "use"),
    [
        (dict.fromkeys(LEADS, 0), (50, 50, 50, 50, 50), NetworkUse.UNKNOWN),
        ({"hybrid": 2, "network": 0}, (10, 50, 50, 50, 50), NetworkUse.NONE),
        ({"landmarks": 2, "agenda": 0, "novelty": 0}, (10, 50, 50, 50, 50), NetworkUse.SEARCH),
        ({}, (50, 50, 50, 10, 50), NetworkUse.SEARCH),
        ({}, (10, 50, 50, 50, 50), NetworkUse.NONE),
    ],
)
def test_without_plans_to_compare_solved_states_and_the_lead_decide(
    solved: dict[str, int], prices: tuple[float, ...], use: NetworkUse
) -> None:
    assert verdict(solved, prices).use is use


@pytest.mark.parametrize(
    ("prices", "lead"),
    [
        ((50, 50, 50, 50, 50), "landmarks"),
        ((50, 46, 46, 46, 46), "landmarks"),  # no other part is clearly better
        ((50, 10, 50, 50, 50), "agenda"),
        ((50, 50, 40, 10, 9.5), "hybrid"),
        ((50, 50, 50, 50, 10), "network"),
    ],
)
def test_the_best_part_on_validation_states_leads(prices: tuple[float, ...], lead: Lead) -> None:
    said = verdict(prices=prices).info()
    assert (said["lead"], said["head_start"]) == (lead, 0.4)
    assert said["seconds_per_state"] == prices[list(LEADS).index(lead)] / 100


def test_more_states_solved_rank_higher_than_cheaper_plans() -> None:
    some = {"hybrid": 1, "network": 1}
    ranks = [
        verdict(some, quality=costs(improvement=0.5)).rank,
        verdict().rank,
        verdict(prices=(50, 50, 50, 50, 10)).rank,
        verdict(quality=costs(improvement=0.9)).rank,
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


def test_a_judge_searches_validation_states_in_every_way() -> None:
    task = make_tiny("blocks").task
    states = validation_states(task, 4, 0)
    found = judge(bind_network(task, whole_number_network(task)), states, 5.0, Budget())
    assert found is not None
    assert found.states == found.quality.states == 4
    assert all(leading.solved == 4 for leading in found.by_lead.values())


def test_there_is_no_verdict_without_time_for_it(roomy: Task) -> None:
    heuristic, states = bind_heuristic(roomy, "blind"), validation_states(roomy, 3, 0)
    assert judge(heuristic, states, 5.0, Budget(-1.0)) is None


def test_the_verdict_reaches_the_strategy() -> None:
    task = make_tiny("blocks").task
    for quality, algorithm in ((costs(improvement=0.5), "portfolio"), (costs(both=0.5), "hybrid")):
        model = Model(task, whole_number_network(task), verdict(quality=quality).info())
        assert strategy_for(model).options.algorithm == algorithm
        assert model.heuristic().network_share > 0
        assert model.solve(validation_states(task, 1, 0)[0]).solved


def test_records_of_earlier_versions_are_understood() -> None:
    assert network_use({"likely_to_help": True, "solved_without": 3}) is NetworkUse.SEARCH
    assert network_use({"likely_to_help": False, "solved_without": 3}) is NetworkUse.NONE
    assert network_use({"likely_to_help": None, "solved_without": 0}) is NetworkUse.UNKNOWN
    assert network_use({"likely_to_help": None}) is None
