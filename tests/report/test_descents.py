"""The least h so far, over the time of a search: a small case worked out by hand, and the page in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goalward.report import load, write_report
from goalward.report.training import MAX_PLANS_PER_INSTANCE, best_h_curves
from report.browser import opened
from report.examples import Entry, search, store_of

META = {"config": {"name": "best-h", "methods": [{"label": name, "method": name} for name in ("ff", "lama")]}}


def entries() -> list[Entry]:
    """One search that found a plan, one that did not, and one of another program, which tells nothing."""
    found = {"best_h_over_time": [[0.0, 12.0], [0.3, 7.5], [0.5, 0.0]], "h_along": [12.0, 0.0]}
    stuck = {"best_h_over_time": [[0.0, 12.0], [9.0, 3.0]]}
    return [
        search("blocks/hard/p1", "ff", "s0", search_time=0.5, extra=found),
        search("blocks/hard/p1", "ff", "s1", False, search_time=9.0, extra=stuck),
        search("blocks/hard/p1", "lama", "s0", search_time=0.1),
    ]


def test_every_search_that_told_of_its_values_is_there(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        found = {(one.method, one.state): one for one in best_h_curves(load(store), store)}
    assert list(found) == [("ff", "s0"), ("ff", "s1")]
    assert found["ff", "s0"].points == [(0.0, 12.0), (0.3, 7.5), (0.5, 0.0)]
    assert [one.solved for one in found.values()] == [True, False]


def test_a_few_states_stand_for_many(tmp_path: Path) -> None:
    extra = {"best_h_over_time": [[0.0, 5.0], [1.0, 0.0]]}
    many = [search("blocks/hard/p1", "ff", f"s{n}", extra=extra) for n in range(3 * MAX_PLANS_PER_INSTANCE)]
    with store_of(tmp_path, many, META) as store:
        assert len(best_h_curves(load(store), store)) == MAX_PLANS_PER_INSTANCE


def test_the_page_draws_a_line_for_each_search(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as shown:
        assert shown.complaints == []
        drawn = "document.getElementById('plot-best-h').data.map(t => [t.name, t.x, t.y, t.marker.symbol.at(-1)])"
        assert shown.page.evaluate(drawn) == [
            ["ff", [0.001, 0.3, 0.5], [12, 7.5, 0], "circle"],
            ["ff", [0.001, 9], [12, 3], "x"],
        ]
        assert shown.page.query_selector_all("#best-h-instance option")[0].inner_text() == "blocks · hard · p1"


def test_without_values_over_time_the_page_does_not_speak_of_them(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, [search("blocks/hard/p1", "ff", "s0", extra={"h_along": [2.0, 0.0]})], META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as shown:
        assert shown.page.is_visible("#heuristic")
        assert not shown.page.is_visible("#best-h")
