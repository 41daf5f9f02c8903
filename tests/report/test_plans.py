"""Plan cost: curves against small cases worked out by hand, and the page's ratios in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalward.report import load, write_report
from goalward.report.plans import MAX_STATES_PER_INSTANCE, cost_curves
from report.browser import opened
from report.examples import Entry, search, store_of

META = {"config": {"name": "plans", "methods": [{"label": name, "method": name} for name in ("ff", "lama-full")]}}


def solved(where: str, method: str, state: str, cost: int, **extra: Any) -> Entry:
    return search(where, method, state, search_time=0.5, total_time=2.0, plan_length=cost, cost=cost, extra=extra)


def entries() -> list[Entry]:
    """Ratios of ff's cost to lama-full's: blocks 0.5, 1 and 2, rovers 0.75; one of ff's plans was improved."""
    return [
        solved(
            "blocks/hard/p1", "ff", "s0", 10, first_cost=30, better_plans=[[0.6, 20, "window"], [1.5, 10, "search"]]
        ),
        solved("blocks/hard/p1", "ff", "s1", 20, first_cost=20, better_plans=[]),
        solved("blocks/hard/p1", "ff", "s2", 40),
        solved("blocks/hard/p1", "ff", "s3", 7),
        solved("rovers/hard/p1", "ff", "s0", 30),
        solved("blocks/hard/p1", "lama-full", "s0", 20, first_cost=25, better_plans=[[3.0, 20, "lama"]]),
        solved("blocks/hard/p1", "lama-full", "s1", 20),
        solved("blocks/hard/p1", "lama-full", "s2", 20),
        search("blocks/hard/p1", "lama-full", "s3", False),
        solved("rovers/hard/p1", "lama-full", "s0", 40),
    ]


def test_the_course_of_a_plan_begins_with_the_first_one(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        found = {(one.method, one.instance[0], one.state): one.points for one in cost_curves(load(store), store)}
    assert found["ff", "blocks", "s0"] == [(0.5, 30), (0.6, 20), (1.5, 10)]
    assert found["lama-full", "blocks", "s0"] == [(0.5, 25), (3.0, 20)]
    assert found["ff", "blocks", "s1"] == [(0.5, 20)]
    assert found["ff", "blocks", "s2"] == [(0.5, 40)], "nothing is known of how it was found"
    assert all(domain == "blocks" for _, domain, _ in found), "nobody has improved a plan on rovers"
    assert ("lama-full", "blocks", "s3") not in found


def test_a_few_states_stand_for_many(tmp_path: Path) -> None:
    many = [
        solved("blocks/hard/p1", "ff", f"s{n}", 10, first_cost=30, better_plans=[[0.6, 10, "window"]])
        for n in range(3 * MAX_STATES_PER_INSTANCE)
    ]
    with store_of(tmp_path, many, META) as store:
        assert len(cost_curves(load(store), store)) == MAX_STATES_PER_INSTANCE


def test_the_page_has_ratios_by_domain_and_cost_over_time(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as shown:
        page = shown.page
        assert shown.complaints == []
        rows = [row.split("\t") for row in page.inner_text("#ratio-table").splitlines()]
        assert rows == [
            ["Domain", "ff", "worst", "states"],
            ["blocks", "1.00", "2.00", "3"],
            ["rovers", "0.75", "0.75", "1"],
            ["all", "0.88", "2.00", "4"],
        ]
        page.select_option("#cost-reference", "ff")
        assert page.inner_text("#ratio-table tbody tr").split("\t") == ["blocks", "1.00", "2.00", "3"]
        lines = page.evaluate("document.getElementById('plot-cost-curves').data.map(t => [t.name, t.x, t.y])")
        assert ["ff", [0.5, 0.6, 1.5], [30, 20, 10]] in lines
        assert page.query_selector_all("#cost-curve-instance option")[0].inner_text() == "blocks · hard · p1"
        drawn = page.evaluate("document.getElementById('plot-cost').data.reduce((n, t) => n + t.x.length, 0)")
        assert drawn == 4
        shown.drawn_after(lambda: page.click(".chip[data-domain=blocks]"))
        assert [row.split("\t")[0] for row in page.inner_text("#ratio-table").splitlines()] == [
            "Domain",
            "rovers",
            "all",
        ]


@pytest.mark.parametrize("costs", [[], ["ff"]])
def test_without_two_methods_whose_costs_are_known_there_is_nothing_to_say(
    browser: Any, tmp_path: Path, costs: list[str]
) -> None:
    found = [search("blocks/hard/p1", name, "s0", cost=9 if name in costs else None) for name in ("ff", "lama-full")]
    with store_of(tmp_path, found, META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as shown:
        assert shown.complaints == []
        assert not shown.page.is_visible("#plans")
        assert not shown.page.is_visible("#cost-figure")
