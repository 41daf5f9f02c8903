"""Who solves states for their plans: what leads, and how many expansions there are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goalward.learning.teacher import DOUBLINGS, EXPANSIONS, TRIED_ON, Teacher
from goalward.search import SearchResult, Status, search
from goalward.search.portfolio import WITHOUT_NETWORK, Lead
from helpers import make_tiny

KNOWN = search(make_tiny("blocks").task, "ff")


class Searches:
    """As if: how many expansions each part needs, and the steps of its plan."""

    def __init__(self, **needs: tuple[int, int]) -> None:
        self.needs = needs
        self.asked: list[tuple[Lead, int]] = []

    def __call__(self, lead: Lead, expansions: int) -> SearchResult:
        self.asked.append((lead, expansions))
        needed, steps = self.needs.get(lead, (100, 20))
        statistics = replace(KNOWN.statistics, expanded=min(needed, expansions))
        if needed > expansions:
            return replace(KNOWN, status=Status.OUT_OF_EXPANSIONS, plan=None, statistics=statistics)
        return replace(KNOWN, plan=(0,) * steps, statistics=statistics)


@pytest.mark.parametrize(
    ("needs", "lead", "shortest"),
    [
        ({}, "landmarks", 20),
        ({"novelty": (50, 20)}, "novelty", 20),
        ({"novelty": (50, 50)}, "landmarks", 20),  # so long a plan is worth fewer expansions
        ({"agenda": (110, 10), "novelty": (50, 25)}, "agenda", 10),
        ({"landmarks": (2 * EXPANSIONS, 1), "novelty": (2 * EXPANSIONS, 1)}, "agenda", 20),
    ],
)
def test_what_needs_fewest_expansions_for_short_plans_leads(
    needs: dict[str, tuple[int, int]], lead: Lead, shortest: int
) -> None:
    teacher, searches = Teacher(), Searches(**needs)
    for _ in range(TRIED_ON):
        plan = teacher.find(searches)
        assert plan is not None
        assert len(plan) == shortest
    assert [name for name, _ in searches.asked] == list(WITHOUT_NETWORK) * TRIED_ON
    teacher.find(searches)
    assert searches.asked[-1] == (lead, EXPANSIONS)
    assert len(searches.asked) == TRIED_ON * len(WITHOUT_NETWORK) + 1


def test_searches_get_more_where_they_find_nothing_and_keep_it_where_they_do() -> None:
    teacher, searches = Teacher(), Searches(**dict.fromkeys(WITHOUT_NETWORK, (3 * EXPANSIONS, 5)))
    assert [teacher.find(searches) is not None for _ in range(5)] == [False, False, True, True, True]
    assert {limit for _, limit in searches.asked[-4:]} == {4 * EXPANSIONS}


def test_searches_that_were_cut_short_say_nothing_about_who_is_best() -> None:
    def cut_short(lead: Lead, expansions: int) -> SearchResult:
        if lead == "landmarks":
            return replace(KNOWN, plan=(0,) * 9)
        return replace(KNOWN, status=Status.CANCELLED, plan=None)

    teacher, searches = Teacher(), Searches(novelty=(50, 20))
    assert [teacher.find(cut_short) for _ in range(3)] == [(0,) * 9] * 3
    assert teacher.lead is None
    for _ in range(TRIED_ON):
        teacher.find(searches)
    assert teacher.lead == "novelty"


def test_what_is_never_solved_costs_little_again() -> None:
    teacher, searches = Teacher(), Searches(**dict.fromkeys(WITHOUT_NETWORK, (10**9, 5)))
    limits = []
    for _ in range(DOUBLINGS + 2):
        limits.append(teacher.expansions)
        assert teacher.find(searches) is None
    assert limits == [EXPANSIONS << i for i in range(DOUBLINGS + 1)] + [EXPANSIONS]
