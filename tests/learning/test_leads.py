"""Which part of hybrid search leads, by what each does with validation states."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from goalward.learning import leads, validation
from goalward.learning.budget import Budget
from goalward.learning.leads import Leading, best_lead, compare_leads
from goalward.learning.validation import validation_states
from goalward.search import BoundHeuristic, SearchOptions, Status, bind_heuristic
from goalward.search.portfolio import LEADS
from goalward.search.solving import Outcome, solve
from goalward.search.starts import Start
from goalward.task.strips import Task
from helpers import make_tiny


def lead_of(**figures: tuple[float, float, float]) -> str:
    """The best lead where all others take 0.2 s and 400 expansions."""
    return best_lead({name: Leading(*figures.get(name, (0.2, 400.0, 5.0))) for name in LEADS})


def test_of_parts_whose_plans_are_about_as_good_the_fastest_leads() -> None:
    assert lead_of() == "landmarks"
    assert lead_of(agenda=(0.1, 900, 5.2)) == "agenda", "a tenth of the plan is not worth a wait"
    assert lead_of(agenda=(0.1, 100, 6.0)) == "landmarks", "more than that is"
    assert lead_of(novelty=(0.19, 100, 5.0)) == "landmarks", "not clearly faster"
    assert lead_of(agenda=(0.15, 400, 5.0), network=(0.1, 400, 5.1)) == "network"


def test_where_nobody_notices_the_time_expansions_decide() -> None:
    assert lead_of(landmarks=(0.01, 100, 5.0), novelty=(0.02, 50, 5.0)) == "novelty"
    assert lead_of(landmarks=(0.01, 100, 5.0), novelty=(0.005, 95, 5.0)) == "landmarks", "not clearly fewer"
    assert lead_of(landmarks=(0.01, 100, 5.0), novelty=(0.06, 50, 5.0)) == "landmarks", "this one is noticed"


@pytest.mark.parametrize(("longest", "head_start"), [(0.0, None), (0.001, 0.1), (0.25, 0.5), (0.4, 0.8), (9.0, 1.0)])
def test_what_leads_has_twice_the_time_that_it_needed(longest: float, head_start: float | None) -> None:
    assert Leading(0.1, 100, 5.0, longest).head_start == head_start


def test_every_part_is_tried_as_the_leading_one(roomy: Task) -> None:
    compared = compare_leads(bind_heuristic(roomy, "blind"), validation_states(roomy, 2, 0), 5.0)
    assert list(compared) == list(LEADS)
    assert all(0 < leading.seconds < 5 and leading.expanded >= 1 for leading in compared.values())


@pytest.fixture
def small() -> Task:
    """Where every search ends at once: the clock is another one."""
    return make_tiny("blocks", 2).task


class Searches:
    """Searches as they are asked for, which solve their states after a given time by a clock of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: dict[str, float]) -> None:
        self.now, self.seconds = 0.0, seconds
        self.limits: list[tuple[str, float]] = []
        monkeypatch.setattr(validation, "solve", self.solve)

    def budget(self, seconds: float) -> Budget:
        return Budget(seconds, clock=lambda: self.now)

    def solve(self, start: Start, heuristic: BoundHeuristic, options: SearchOptions) -> Outcome:
        assert options.lead is not None
        assert options.time_limit is not None
        self.limits.append((options.lead, round(options.time_limit, 6)))
        taken = min(self.seconds[options.lead], options.time_limit)
        self.now += taken
        found = solve(start, heuristic, replace(options, time_limit=None))
        status = Status.SOLVED if taken < options.time_limit else Status.OUT_OF_TIME
        statistics = replace(found.found.statistics, seconds=taken)
        return replace(found, found=replace(found.found, status=status, statistics=statistics))


@pytest.mark.parametrize(
    ("seconds", "until", "searched"),
    [
        (0.01, math.inf, 8),  # all of them, for that takes a moment
        (1.0, math.inf, 5),  # as many as decide
        (1.0, 16.0, 3),  # as many as there is time for
        (1.0, 7.0, 1),
    ],
)
def test_more_states_decide_where_that_takes_a_moment_and_there_is_time(
    small: Task, monkeypatch: pytest.MonkeyPatch, seconds: float, until: float, searched: int
) -> None:
    searches = Searches(monkeypatch, dict.fromkeys(LEADS, seconds))
    compare_leads(bind_heuristic(small, "blind"), validation_states(small, 8, 0), 11.0, searches.budget(until))
    assert len(searches.limits) == searched * len(LEADS)


def test_nobody_waits_for_parts_that_are_slower_than_the_fastest(small: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    searches = Searches(monkeypatch, {"landmarks": 99.0, "agenda": 1.0, "novelty": 9.0, "hybrid": 0.2, "network": 9.0})
    compared = compare_leads(
        bind_heuristic(small, "blind"), validation_states(small, 1, 0), 11.0, searches.budget(25.0)
    )
    assert searches.limits == [("landmarks", 4.0), ("agenda", 4.0), ("novelty", 2.0), ("hybrid", 2.0), ("network", 0.4)]
    assert best_lead(compared) == "hybrid"


def test_a_part_with_which_a_state_is_not_solved_pays_for_it(roomy: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_fails(start: Start, heuristic: BoundHeuristic, options: SearchOptions) -> Outcome:
        limit = None if options.lead != "hybrid" else 1
        return solve(start, heuristic, replace(options, expansion_limit=limit, time_limit=None))

    monkeypatch.setattr(validation, "solve", one_fails)
    monkeypatch.setattr(leads, "UNNOTICED", 100.0)  # only lengths count
    compared = compare_leads(bind_heuristic(roomy, "blind"), validation_states(roomy, 2, 0), 5.0)
    assert compared["hybrid"].price == max(leading.price for leading in compared.values())
