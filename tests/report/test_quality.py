"""What training buys: ratios over time and break-even against cases worked out by hand, and on the page."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from goalward.report import load, write_report
from goalward.report.quality import break_even_rows, curves, ratios_over_time, training_seconds
from report.browser import opened
from report.examples import Entry, search, store_of, training

LABELS = ("n-rsl", "lama-full", "portfolio")
META = {"config": {"name": "quality", "methods": [{"label": name, "method": name} for name in LABELS]}}


def solved(where: str, method: str, state: str, seconds: float, *plans: tuple[float, int], **more: Any) -> Entry:
    """Seconds in all, and when each plan was found, a quarter of a second of preparation left out."""
    (first, first_cost), *better = plans
    extra = {
        "preparation": 0.25,
        "first_cost": first_cost,
        "better_plans": [[found, cost, "x"] for found, cost in better],
    }
    cost = plans[-1][1]
    return search(where, method, state, search_time=first, total_time=seconds, cost=cost, extra=extra, **more)


def entries() -> list[Entry]:
    """Two seeds competed on blocks (10 + 12 s of training), and the second won; rovers has one, and no lama-full."""
    blocks, rovers = "blocks/hard/p1", "rovers/hard/p1"
    return [
        training(blocks, "n-rsl", 0, 10.0, validated=1),
        training(blocks, "n-rsl", 1, 12.0, validated=2),
        training(rovers, "n-rsl", 0, 5.0, validated=2),
        solved(blocks, "n-rsl", "s0", 1.0, (0.25, 30), (0.5, 20), seed=1),
        solved(blocks, "n-rsl", "s1", 1.0, (0.25, 10), seed=1),
        solved(blocks, "n-rsl", "s0", 1.0, (0.25, 99), seed=0),
        solved(rovers, "n-rsl", "s0", 2.0, (0.75, 8), seed=0),
        solved(blocks, "lama-full", "s0", 30.0, (0.25, 40), (8.75, 20), (20.0, 10)),
        solved(blocks, "lama-full", "s1", 30.0, (0.25, 20)),
        solved(blocks, "portfolio", "s0", 0.5, (0.25, 20)),
        search(blocks, "portfolio", "s1", False, total_time=3.0),
        solved(rovers, "portfolio", "s0", 1.0, (0.5, 8)),
    ]


def test_the_chosen_seed_speaks_and_all_that_competed_were_trained(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        experiment = load(store)
        found = curves(experiment, store)
    blocks = ("blocks", "hard", "p1")
    assert found["n-rsl"][blocks, "s0"].plans == ((0.5, 30), (0.75, 20))
    assert found["portfolio"][blocks, "s1"].plans == ()
    assert training_seconds(experiment) == {(blocks, "n-rsl"): 22.0, (("rovers", "hard", "p1"), "n-rsl"): 5.0}


def test_training_has_paid_by_instance(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        experiment = load(store)
        rows = break_even_rows(experiment, curves(experiment, store))
    shown = {
        (one.as_good.baseline, one.instance[0]): [
            (e.seconds, e.baseline_seconds, e.unmatched, e.states) for e in (one.as_good, one.any_plan)
        ]
        for one in rows
    }
    assert shown == {
        # s0: as good after 9 s; s1: never in 30 s. 22 / (19.5 - 1) = 1.2.
        ("lama-full", "blocks"): [(1.0, 19.5, 1, 2), (0.5, 0.5, 0, None)],
        # s0: after 0.5 s; s1: no plan in 3 s. 22 / (1.75 - 1) = 29.3, and 22 / (1.75 - 0.5) = 17.6.
        ("portfolio", "blocks"): [(1.0, 1.75, 1, 30), (0.5, 1.75, 1, 18)],
        ("portfolio", "rovers"): [(2.0, 0.75, 0, None), (1.0, 0.75, 0, None)],
    }


def test_ratios_are_summed_by_domain(tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        times, sums = ratios_over_time(curves(load(store), store))
    assert times[0] == 0.01
    assert times[-1] >= 30 > times[-2]
    found = {(one.method, one.domain): one for one in sums}
    assert found.keys() == {(method, "blocks") for method in LABELS} | {(m, "rovers") for m in ("n-rsl", "portfolio")}
    last = {place: (one.states, math.exp(one.sums[-1])) for place, one in found.items()}
    # The best known costs are 10, 10 and 8; portfolio has no plan for s1, whose dearest plan costs 20.
    assert last["n-rsl", "blocks"] == (2, pytest.approx(2.0 * 1.0))
    assert last["lama-full", "blocks"] == (2, pytest.approx(1.0 * 2.0))
    assert last["portfolio", "blocks"] == (2, pytest.approx(2.0 * 2 * 20 / 10))
    assert math.exp(found["n-rsl", "blocks"].sums[0]) == pytest.approx(2 * 40 / 10 * 2 * 20 / 10)
    assert last["n-rsl", "rovers"] == (1, pytest.approx(1.0))


def test_one_method_alone_has_no_ratios(tmp_path: Path) -> None:
    with store_of(tmp_path, [solved("d/hard/p", "ff", "s", 1.0, (0.5, 9))], META) as store:
        assert ratios_over_time(curves(load(store), store)) == ([], [])


def test_the_page_draws_ratios_and_lists_when_training_has_paid(browser: Any, tmp_path: Path) -> None:
    with store_of(tmp_path, entries(), META) as store:
        write_report(store, tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as shown:
        page = shown.page
        assert shown.complaints == []
        last = "document.getElementById('plot-ratios').data.map(t => [t.name, t.y.at(-1)])"
        # Three states, of which lama-full was tried on two.
        assert dict(page.evaluate(last)) == {
            "n-rsl": pytest.approx(2 ** (1 / 3), abs=1e-3),
            "portfolio": pytest.approx(8 ** (1 / 3), abs=1e-3),
        }
        assert (
            page.inner_text("#ratios-note")
            == "3 states. Left out, because they were not run on all of them: lama-full."
        )
        rows = [row.split("\t") for row in page.inner_text("#break-even-table tbody").splitlines()]
        assert rows == [["blocks · hard · p1", "2", "22 s", "1.00 s", "20 s", "≤ 2", "0.50 s", "0.50 s", "–"]]
        assert "training n-rsl pays after at most 10 states on 1 of 1 instance" in page.inner_text("#break-even-note")
        page.select_option("#break-even-baseline", "portfolio")
        rows = [row.split("\t") for row in page.inner_text("#break-even-table tbody").splitlines()]
        assert [(row[0], row[5], row[8]) for row in rows] == [
            ("blocks · hard · p1", "≤ 30", "≤ 18"),
            ("rovers · hard · p1", "–", "–"),
        ]
        shown.drawn_after(lambda: page.click(".chip[data-domain=rovers]"))
        assert dict(page.evaluate(last)) == {
            "n-rsl": pytest.approx(2**0.5, abs=1e-3),
            "lama-full": pytest.approx(2**0.5, abs=1e-3),
            "portfolio": pytest.approx(8**0.5, abs=1e-3),
        }
        assert page.inner_text("#break-even-table tbody").count("rovers") == 0
