"""Counts by heuristic and by queue, against sums worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goalward.report import load
from goalward.report.page import make_page
from goalward.report.queues import QueueUse, queue_use
from report.examples import Entry, search, store_of

METHODS = [
    {"label": "ff", "method": "ff", "search": {}},
    {"label": "ours", "method": "portfolio", "search": {}},
    {"label": "both", "method": "n-rsl", "search": {"algorithm": "hybrid"}},
    {"label": "alone", "method": "n-rsl", "search": {"batch": 1}},
]
META: dict[str, Any] = {"config": {"name": "queues", "methods": METHODS}}


def searched(method: str, state: str, evaluations: dict[str, int], queues: dict[str, int], led_by: str) -> Entry:
    extra = {"evaluations_by_heuristic": evaluations, "expansions_by_queue": queues, "led_by": led_by}
    return search("blocks/hard/p1", method, state, solved=bool(led_by), extra=extra)


def entries() -> list[Entry]:
    none: dict[str, int] = {}
    return [
        searched("ours", "s0", {"ff": 5, "landmarks": 4}, {"ff": 3, "landmarks": 1}, "ff"),
        searched("ours", "s1", {"ff": 7, "landmarks": 7}, {"ff": 2, "landmarks": 4}, "landmarks"),
        searched("ours", "s2", {"ff": 9, "landmarks": 9}, {"ff": 8, "landmarks": 0}, ""),
        searched("both", "s0", {"ff": 1, "network": 90}, {"landmarks: ff": 1, "hybrid: network": 6}, "hybrid: network"),
        searched("alone", "s0", none, none, ""),
        search("blocks/hard/p1", "ff", "s0", extra={"h_along": [1.0, 0.0]}),
    ]


def test_counts_are_summed_over_the_searches_of_a_method(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        ours, both = queue_use(load(store), store)
    assert isinstance(ours, QueueUse)
    assert (ours.method, ours.evaluations, ours.expansions, ours.led) == (
        "ours", {"ff": 21, "landmarks": 20}, {"ff": 13, "landmarks": 5}, {"ff": 1, "landmarks": 1},
    )  # fmt: skip
    assert (both.method, both.led) == ("both", {"hybrid: network": 1})


def test_the_page_lists_them_by_queue(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        page = make_page(load(store), store)
    assert page["queues"] == [
        ["ours", [["ff", 21], ["landmarks", 20]], [["ff", 13, 1], ["landmarks", 5, 1]]],
        ["both", [["ff", 1], ["network", 90]], [["landmarks: ff", 1, 0], ["hybrid: network", 6, 1]]],
    ]


def test_results_of_one_heuristic_each_have_none(tmp_path: Path) -> None:
    with store_of(tmp_path, entries()[-1:], META) as store:
        assert make_page(load(store), store)["queues"] == []
