"""Pairs, speed, time, failures and what was learned, against small cases worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.report import load
from goalward.report.data import gather
from goalward.report.not_solved import unsolved
from goalward.report.side_by_side import failures, outcomes, pairwise, rates
from goalward.report.training import MAX_CURVES, curves, heuristic_along_plans, settings, thin
from report.examples import CONFIG, search, small, store_of, training


def test_pairs_are_over_commonly_solved_states_with_the_chosen_seed() -> None:
    pair = pairwise(gather(small()), "n-rsl", "ff", "expansions")
    assert sorted(pair.points) == [(10, 20), (20, 20), (30, 20)]
    assert pair.shares == pytest.approx((100 / 3, 100 / 3, 100 / 3))


def test_a_pair_without_common_states_has_no_shares() -> None:
    entries = [search("d/hard/p", "a", "s0", expansions=1), search("d/hard/p", "b", "s1", expansions=1)]
    assert pairwise(gather(entries), "a", "b", "expansions").shares == (0, 0, 0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_shares_add_up_and_swap_with_the_methods(values: list[tuple[int, int]]) -> None:
    entries = [
        search("d/hard/p", method, f"s{i}", plan_length=value)
        for i, both in enumerate(values)
        for method, value in zip("ab", both, strict=True)
    ]
    first, second, equal = pairwise(gather(entries), "a", "b", "plan_length").shares
    assert first + second + equal == pytest.approx(100)
    assert pairwise(gather(entries), "b", "a", "plan_length").shares == pytest.approx((second, first, equal))


def test_the_rate_is_all_evaluations_over_all_seconds() -> None:
    entries = [
        search("d/hard/p", "ff", "s0", n_atoms=10, evaluations=10, search_time=0.001),
        search("d/hard/p", "ff", "s1", False, n_atoms=10, evaluations=2990, search_time=2.999),
        search("d/hard/q", "ff", "s0", evaluations=5, search_time=1.0),  # atoms unknown
    ]
    assert rates(gather(entries)) == {"ff": [(("d", "hard", "p"), pytest.approx(1000))]}


def test_failures_say_why_and_running_out_of_time_is_none() -> None:
    (failure,) = failures(gather(small()))
    assert (failure.method, failure.domain, failure.reason, failure.count) == ("ff", "blocks", "the worker was lost", 1)
    assert failure.example == "search/blocks/moderate/p0/ff/-/s0"
    assert outcomes(gather(small()))["ff"] == {"solved": 4, "out of time": 2, "failed": 1}


def test_settings_are_read_from_the_config_with_defaults() -> None:
    found = settings(gather(small(), {"config": CONFIG}))
    assert [(setting.label, setting.values["L"], setting.values["N_t"]) for setting in found] == [
        ("n-rsl", 500, 100_000),
        ("short", 50, 100_000),
    ]
    assert found[1].averages == {"hard": pytest.approx(37.5)}


def test_settings_that_do_not_differ_are_no_figure() -> None:
    same = {"methods": [{"label": label, "method": "n-rsl", "options": {}} for label in ("n-rsl", "short")]}
    assert settings(gather(small(), {"config": same})) == []
    assert settings(gather(small())) == []


def test_h_is_paired_with_the_steps_that_remained(tmp_path: Path) -> None:
    with store_of(tmp_path, small()) as store:
        blocks, rovers = heuristic_along_plans(load(store), store)
    assert (blocks.method, blocks.instance, blocks.n_plans) == ("n-rsl", ("blocks", "hard", "p1"), 3)
    assert set(blocks.points) == {(2, 4.0), (1, 2.5), (0, 0.0)}
    assert rovers.n_plans == 1


def test_curves_of_chosen_seeds_are_kept_first() -> None:
    entries = [training(f"d/hard/p{i}", "n-rsl", seed, 1.0, seed) for i in range(600) for seed in (0, 1)]
    found, total = curves(gather(entries))
    assert total == 1200
    assert len(found) == MAX_CURVES
    assert sum(curve.chosen for curve in found) == 600
    assert found[0].points == [(1, 9.0, 10.0), (2, 3.0, 4.0)]


@given(st.lists(st.integers()), st.integers(1, 20))
def test_thinning_keeps_order_and_ends(items: list[int], most: int) -> None:
    kept = thin(list(enumerate(items)), most)
    assert len(kept) == min(len(items), most)
    assert kept == sorted(set(kept))
    if items and most > 1:
        assert (kept[0][0], kept[-1][0]) == (0, len(items) - 1)


def test_states_without_a_plan_are_named_by_the_chosen_seed() -> None:
    found = {(one.method, one.instance[0]): (one.status, one.states) for one in unsolved(gather(small()))}
    assert found["n-rsl", "blocks"] == ("out of time", ["s3"])
    assert found["short", "blocks"] == ("out of time", ["s1", "s2", "s3"])
    assert ("ff", "rovers") in found
    assert len(found) == 6
