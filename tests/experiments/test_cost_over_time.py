"""Cost over time: curves of results, ratios, and when training pays, against cases worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.experiments.cost_over_time import (
    MIN_SAVED_SECONDS,
    PENALTY,
    Curve,
    break_even,
    cost_ratios,
    curve_of,
    log_ratios,
)
from goalward.experiments.store import Result

exactly = settings(derandomize=True, database=None, deadline=None, max_examples=100)
OURS = Curve(((0.2, 30.0), (0.5, 20.0)), 1.0)
LAMA = Curve(((0.1, 40.0), (2.0, 25.0), (9.0, 20.0), (20.0, 18.0)), 30.0)


def test_a_curve_has_the_best_cost_at_each_time_and_the_time_of_each_cost() -> None:
    assert [LAMA.cost_at(seconds) for seconds in (0.05, 0.1, 1.99, 2.0, 100.0)] == [math.inf, 40, 40, 25, 18]
    assert [LAMA.time_until(cost) for cost in (math.inf, 30, 20, 19, 17)] == [0.1, 2.0, 9.0, 20.0, None]
    assert LAMA.cost == 18
    assert Curve((), 3.0).cost == math.inf
    assert Curve((), 3.0).time_until(math.inf) is None


def result(**more: Any) -> Result:
    return Result("unit", "solved", solved=True, **{"total_time": 10.0, "cost": 20} | more)


def test_the_curve_of_a_result_counts_what_came_before_the_search() -> None:
    better = [[0.6, 25, "window"], [1.5, 20, "network"]]
    extra = {"preparation": 0.25, "first_cost": 30, "better_plans": better}
    assert curve_of(result(search_time=0.5, extra=extra)) == Curve(((0.75, 30), (0.85, 25), (1.75, 20)), 10.0)
    assert curve_of(result(search_time=0.5, extra=extra | {"first_plan_time": 0.55})) == Curve(
        ((0.8, 30), (0.85, 25), (1.75, 20)), 10.0
    )
    late = result(search_time=0.5, total_time=1.0, extra=extra)
    assert curve_of(late) == Curve(((0.75, 30), (0.85, 25), (1.0, 20)), 1.0), "no plan comes after the end"


def test_a_plan_of_which_nothing_is_known_was_found_at_the_end() -> None:
    assert curve_of(result(search_time=0.5)) == Curve(((10.0, 20),), 10.0)
    assert curve_of(Result("unit", "out of time", total_time=10.0)) == Curve((), 10.0)
    assert curve_of(Result("unit", "failed")) is None, "its time is not known"
    assert curve_of(result(cost=None)) is None, "its cost is not known"


def test_plans_as_good_are_waited_for_and_any_plan_is_the_first() -> None:
    good = break_even("lama-full", 60.0, [(OURS, LAMA)], as_good=True)
    assert good is not None
    assert (good.seconds, good.baseline_seconds, good.unmatched, good.states) == (1.0, 9.0, 0, 8)  # 60 / (9 - 1)
    assert good.text == (
        "compared with plans as good from lama-full, training pays off after 8 states "
        "(1 m 00 s of training, then 1.00 s per state against 9.00 s)"
    )
    first = break_even("lama", 60.0, [(OURS, LAMA)], as_good=False)
    assert first is not None
    assert (first.seconds, first.baseline_seconds, first.states) == (0.2, 0.1, None)
    assert first.text == "compared with any plan from lama, training does not pay off (0.20 s per state against 0.10 s)"


def test_a_baseline_that_never_has_a_plan_as_good_gives_a_bound() -> None:
    best = Curve(((0.5, 10.0),), 1.0)
    found = break_even("lama-full", 58.0, [(best, LAMA), (OURS, LAMA)], as_good=True)
    assert found is not None
    assert (found.baseline_seconds, found.unmatched, found.states) == ((30 + 9) / 2, 1, 4)  # 58 / 18.5 = 3.1
    assert "training pays off after at most 4 states" in found.text
    assert found.text.endswith("; lama-full found no plan for 1 of 2 states)")
    short = break_even("portfolio", 58.0, [(best, Curve(((0.1, 40.0),), 0.3))], as_good=True)
    assert short is not None
    assert short.states is None
    assert "it is not known when training pays off" in short.text


def test_a_state_that_we_do_not_solve_costs_time_and_saves_none() -> None:
    given_up = Curve((), 30.0)
    for as_good in (True, False):
        found = break_even("lama", 10.0, [(given_up, LAMA)], as_good=as_good)
        assert found is not None
        assert (found.seconds, found.baseline_seconds, found.unmatched, found.states) == (30.0, 0.0, 0, None)
    assert break_even("lama", 10.0, [], as_good=True) is None


@given(st.floats(0, 1e4), st.floats(0, 100), st.floats(0, 100))
@exactly
def test_training_has_paid_after_the_first_number_of_states_that_takes_no_longer(
    training: float, each: float, without: float
) -> None:
    found = break_even(
        "lama", training, [(Curve(((each, 1.0),), each), Curve(((without, 1.0),), without))], as_good=True
    )
    assert found is not None
    if found.states is None:
        assert without - each < MIN_SAVED_SECONDS
    elif found.states < 10**6:  # beyond that, sums of floats say nothing
        assert training + found.states * each <= found.states * without + 1e-6
        assert found.states == 0 or training + (found.states - 1) * each >= (found.states - 1) * without - 1e-6


def test_ratios_are_geometric_means_over_the_best_known_costs() -> None:
    curves = {
        "ours": {"a": OURS, "b": Curve(((0.1, 8.0),), 0.5), "nobody": Curve((), 1.0)},
        "lama": {"a": LAMA, "b": Curve((), 30.0), "nobody": Curve((), 30.0)},
    }
    ratios = cost_ratios(curves, [0.01, 0.3, 30.0])
    unsolved = math.sqrt((PENALTY * 40 / 18) * (PENALTY * 8 / 8))
    assert ratios["ours"] == pytest.approx([unsolved, math.sqrt(30 / 18), math.sqrt(20 / 18)])
    assert ratios["lama"] == pytest.approx([unsolved, math.sqrt(40 / 18 * PENALTY), math.sqrt(PENALTY)])
    assert log_ratios(curves, [30.0])["lama"].keys() == {"a", "b"}, "a state that nobody solved says nothing"


def test_a_method_that_was_not_tried_on_all_states_has_no_mean() -> None:
    curves = {"ours": {"a": OURS, "b": OURS}, "lama": {"a": LAMA}}
    assert cost_ratios(curves, [1.0])["lama"] is None
    assert cost_ratios(curves, [1.0])["ours"] is not None


def test_a_plan_that_costs_nothing_has_a_ratio() -> None:
    curves = {"ours": {"a": Curve(((0.1, 0.0),), 1.0)}, "lama": {"a": Curve(((0.1, 3.0),), 1.0)}}
    assert cost_ratios(curves, [1.0]) == {"ours": pytest.approx([1.0]), "lama": pytest.approx([3.0])}
