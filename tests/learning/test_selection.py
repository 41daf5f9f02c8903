"""Selection: the verdict on a network, which network is kept, and how the verdict reaches the search."""

from __future__ import annotations

import math

import pytest

from goalward.learning import selection
from goalward.learning.budget import Budget
from goalward.learning.selection import NETWORK_SHARE, WAYS, Attempt, Verdict, Way, judge
from goalward.learning.validation import validation_states
from goalward.search import BoundHeuristic, SearchOptions
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.search.portfolio import LEADS
from goalward.search.solving import DEFAULT_IMPROVEMENT, Improvement, Outcome, solve
from goalward.search.starts import Start
from goalward.search.strategy import PLAIN, NetworkUse, network_use, strategy_for
from goalward.task.strips import Ints, Task
from helpers import make_tiny, whole_number_network
from oracle import as_set, goal_distances


def verdict(costs: dict[Way, tuple[int | None, ...]] | None = None, seconds: dict[Way, float] | None = None) -> Verdict:
    """About four states, two by two alike, with plans of cost 100 and 200 found in a second, unless said otherwise."""
    needed = {way: (seconds or {}).get(way, 1.0) for way in WAYS}
    return Verdict({
        way: [Attempt(needed[way], needed[way], cost) for cost in 2 * (costs or {}).get(way, (100, 200))]
        for way in WAYS
    })  # fmt: skip


@pytest.mark.parametrize(
    ("costs", "best", "use"),
    [
        ({}, None, NetworkUse.NONE),
        ({"landmarks": (90, 180)}, "landmarks", NetworkUse.IMPROVEMENT),
        ({"landmarks": (100, 199)}, None, NetworkUse.NONE),
        ({"hybrid": (90, 180), "network": (80, 160)}, "network", NetworkUse.SEARCH),
        ({"novelty": (90, 180), "hybrid": (90, 180)}, "novelty", NetworkUse.SEARCH),
        (dict.fromkeys(WAYS, (None, None)), None, NetworkUse.UNKNOWN),
    ],
)
def test_the_way_with_the_cheapest_plans_wins(
    costs: dict[Way, tuple[int | None, ...]], best: Way, use: NetworkUse
) -> None:
    found = verdict(costs)
    assert (found.best, found.use) == (best, use)
    said = found.info()
    assert (said["network_use"], said["lead"]) == (use.value, best or "landmarks")
    assert (said["network_share"] > 0) == (best is not None)


def test_a_gain_within_its_standard_error_may_be_chance() -> None:
    assert verdict({"hybrid": (80, 220)}).best is None
    assert verdict({"landmarks": (80, 220)}).best == "landmarks", "it improves the same first plans"
    assert verdict({"hybrid": (90, 190)}).best == "hybrid"


def test_a_way_is_hopeless_if_it_is_clearly_dearer_than_the_best() -> None:
    found = verdict({"novelty": (90, 180), "agenda": (110, 221), "hybrid": (70, 260)})
    assert [way for way in WAYS if found.hopeless(way)] == [None, "landmarks", "agenda", "network"]


def test_hopeless_ways_are_dropped_and_others_tried_on_more_states(monkeypatch: pytest.MonkeyPatch) -> None:
    costs: dict[Way, int] = {"network": 30, "novelty": 20}

    def tried(heuristic: BoundHeuristic, state: Ints, way: Way, seconds: float) -> Attempt:
        return Attempt(1.0, 1.0, costs.get(way, 10))

    monkeypatch.setattr(selection, "_solve", tried)
    task = make_tiny("blocks").task
    states = validation_states(task, 6, 0)
    found = judge(bind_network(task, whole_number_network(task)), states, 10.0, Budget())
    assert found is not None
    tries = {way: len(attempts) for way, attempts in found.attempts.items()}
    assert tries == {way: 2 if way in costs else 6 for way in WAYS}
    assert (found.states, found.solved("network"), found.info()["quality_states"]) == (2, 2, 6)
    assert found.use is NetworkUse.NONE


def test_one_or_two_states_are_no_evidence() -> None:
    for costs in ((50,), (50, 100)):
        known = {way: [Attempt(1.0, 1.0, 2 * cost) for cost in costs] for way in WAYS}
        known["hybrid"] = [Attempt(0.1, 0.1, cost) for cost in costs]
        assert Verdict(known).best is None
        assert Verdict(known).use is NetworkUse.UNKNOWN


def test_if_plans_cost_the_same_the_clearly_faster_way_wins() -> None:
    assert verdict(seconds={"network": 0.9}).best == "network"
    assert verdict(seconds={"network": 0.96}).best is None, "nobody notices that"
    assert verdict({"network": (101, 200)}, {"network": 0.1}).best is None


def test_nothing_is_said_of_the_network_if_no_state_is_solved_in_any_way() -> None:
    said = verdict(dict.fromkeys(WAYS, (None, None, None)), {"network": 0.1}).info()
    assert (said["network_use"], said["lead"], said["network_share"]) == ("unknown", "landmarks", 0.0)


def test_a_state_that_is_not_solved_counts_twice_its_most_expensive_plan() -> None:
    found = verdict({None: (None, 200), "hybrid": (50, 200)})
    assert found.gains("hybrid") == pytest.approx(2 * [math.log(4), 0.0])
    assert found.gains("network") == pytest.approx(2 * [math.log(2), 0.0])
    assert verdict(dict.fromkeys(WAYS, (None, 0))).gains("hybrid") == [0.0] * 4


def test_what_a_model_file_says() -> None:
    costs: dict[Way, tuple[int | None, ...]] = {"network": (None, None), "hybrid": (100, None), "agenda": (None, 200)}
    said = verdict(costs).info()
    assert [said[name] for name in ("solved", "solved_alone", "solved_without")] == [2, 0, 4]
    assert (said["validation_states"], said["quality_states"], said["cost_ratio"]) == (4, 4, 1.0)


@pytest.mark.parametrize(("seconds", "head_start"), [(0.001, 0.1), (0.25, 0.5), (9.0, 1.0)])
def test_what_leads_has_twice_the_time_that_it_needed(seconds: float, head_start: float) -> None:
    assert verdict({"novelty": (10, 20)}, {"novelty": seconds}).info()["head_start"] == head_start


def test_more_states_solved_rank_higher_than_cheaper_plans() -> None:
    failed: dict[Way, tuple[int | None, ...]] = {"hybrid": (50, None), "network": (50, None)}
    ranks = [
        verdict(failed).rank,
        verdict().rank,
        verdict({"landmarks": (90, 180)}).rank,
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


def test_a_judge_solves_validation_states_in_every_way() -> None:
    task = make_tiny("blocks").task
    states = validation_states(task, 4, 0)
    found = judge(bind_network(task, whole_number_network(task)), states, 10.0, Budget())
    assert found is not None
    assert found.states == 4
    distances = goal_distances(task, map(as_set, states))
    optimal = [distances[as_set(state)] for state in states]
    assert all([attempt.cost for attempt in attempts] == optimal for attempts in found.attempts.values())


def test_each_way_is_searched_and_improved_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: list[tuple[str, str | None, float]] = []

    def noted(start: Start, heuristic: BoundHeuristic, options: SearchOptions, **more: Improvement) -> Outcome:
        ways.append((options.algorithm, options.lead, heuristic.network_share))
        assert options.time_limit == 2.0
        assert options.head_start in (None, 2.0)
        assert more["improve"] is DEFAULT_IMPROVEMENT
        return solve(start, heuristic, options, **more)

    monkeypatch.setattr(selection, "solve", noted)
    task = make_tiny("blocks").task
    judge(bind_network(task, whole_number_network(task)), validation_states(task, 1, 0), 2.0, Budget())
    hybrid = [("hybrid", lead, NETWORK_SHARE) for lead in LEADS if lead != "landmarks"]
    assert ways == [("portfolio", PLAIN.lead, 0.0), ("portfolio", PLAIN.lead, NETWORK_SHARE), *hybrid]


def test_no_state_begins_for_which_there_is_no_time(roomy: Task) -> None:
    heuristic, states = bind_network(roomy, whole_number_network(roomy)), validation_states(roomy, 3, 0)
    assert judge(heuristic, states, 5.0, Budget(-1.0)) is None
    ticks = iter(range(10_000))
    found = judge(heuristic, states, 0.01, Budget(100.0, clock=lambda: 20.0 * next(ticks)))
    assert found is not None
    assert found.states == 1


def test_the_verdict_reaches_the_strategy() -> None:
    task = make_tiny("blocks").task
    for way, algorithm in (("landmarks", "portfolio"), ("hybrid", "hybrid")):
        model = Model(task, whole_number_network(task), verdict({way: (50, 100)}).info())  # type: ignore[dict-item]
        assert strategy_for(model).options.algorithm == algorithm
        assert model.heuristic().network_share > 0
        assert model.solve(validation_states(task, 1, 0)[0]).solved


def test_records_of_earlier_versions_are_understood() -> None:
    assert network_use({"likely_to_help": True, "solved_without": 3}) is NetworkUse.SEARCH
    assert network_use({"likely_to_help": False, "solved_without": 3}) is NetworkUse.NONE
    assert network_use({"likely_to_help": None, "solved_without": 0}) is NetworkUse.UNKNOWN
    assert network_use({"likely_to_help": None}) is None
