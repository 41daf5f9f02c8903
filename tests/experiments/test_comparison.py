"""A comparison in this process is an experiment: the same units give the same results."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from goalward.errors import UsageError
from goalward.experiments.benchmark import find_instances
from goalward.experiments.comparison import Comparison, parse_methods
from goalward.experiments.config import read_config
from goalward.experiments.method_configs import MethodConfig
from goalward.experiments.store import Result, Unit
from goalward.experiments.summary import summarise
from goalward.experiments.units import Schedule
from goalward.experiments.worker import run_unit

# Preset paper: that of fast lets the learning rate fall with the clock.
CONFIG = """
states = 2
steps = 30
[[generate]]
domain = "blocks"
parameters = { n = 4 }
[budgets]
train = "60s"
[[methods]]
method = "n-rsl"
options = { preset = "paper", samples = 300, length = 20, rollouts = 2, trials = 1, max_epochs = 2 }
[[methods]]
method = "ff"
search = { batch = 4 }
[[methods]]
method = "blind"
"""
SETTINGS = [
    *(f"n-rsl.{one}" for one in ("preset=paper", "samples=300", "length=20", "rollouts=2", "trials=1", "max_epochs=2")),
    "ff.search.batch=4",
]


class Silent:
    """Sees everything and says nothing; wants an end after so many units."""

    def __init__(self, enough: int = 1000) -> None:
        self.begun: list[str] = []
        self.enough = enough

    def begins(self, unit: Unit) -> None:
        self.begun.append(unit.id)

    def ended(self, unit: Unit, result: Result) -> None:
        assert self.begun[-1] == unit.id == result.unit

    def go_on(self) -> bool:
        return len(self.begun) < self.enough


@pytest.fixture
def schedule(tmp_path: Path) -> Schedule:
    config = read_config(tomllib.loads(CONFIG))
    return Schedule(config, find_instances(config, tmp_path), tmp_path)


@pytest.fixture
def comparison(schedule: Schedule, tmp_path: Path) -> Comparison:
    folder = tmp_path / "instances" / "blocks" / "bundled" / schedule.units[0].instance
    return Comparison(
        folder / "domain.pddl",
        folder / "problem.pddl",
        (folder / "p1.pddl", folder / "p2.pddl"),
        tuple(parse_methods("n-rsl,ff,blind", SETTINGS)),
        schedule.config.budgets,
        seed=0,
        models=tmp_path,
        plans=tmp_path,
    )


def measured(result: Result) -> dict[str, Any]:
    """What does not depend on the clock, the process or the name of the unit."""
    moving = {"unit", "total_time", "search_time", "memory", "finished", "attempts"}
    kept = {name: value for name, value in asdict(result).items() if name not in moving}
    kept["extra"] = result.extra.get("h_along")
    return kept


def test_the_same_units_give_the_same_results_as_in_their_own_processes(
    schedule: Schedule, comparison: Comparison
) -> None:
    def key(unit: Unit) -> tuple[str, str, str]:
        return unit.kind, unit.method, Path(unit.state or "").stem

    alone = {}
    for unit in schedule.units:
        product = schedule.product_file(unit)
        product.parent.mkdir(parents=True, exist_ok=True)
        result = run_unit(schedule.job(unit, product)).result
        assert result is not None
        alone[key(unit)] = measured(result)
    comparison.check()
    together = {key(unit): measured(result) for unit, result in comparison.run(Silent())}
    assert together == alone
    assert {entry["status"] for entry in together.values()} == {"trained", "solved"}


def test_what_queues_and_heuristics_did_is_kept(comparison: Comparison) -> None:
    methods = parse_methods("portfolio,goalcount,ff", ["goalcount.search.algorithm=hybrid"])
    found = list(replace(comparison, methods=tuple(methods)).run(Silent()))
    assert {unit.method: result.status for unit, result in found} == dict.fromkeys(
        ("portfolio", "goalcount", "ff"), "solved"
    )
    for unit, result in found:
        evaluations, expansions = (
            result.extra.get(name) for name in ("evaluations_by_heuristic", "expansions_by_queue")
        )
        if unit.method == "ff":
            assert not evaluations
            assert not expansions
            assert not result.extra["led_by"]
            continue
        assert evaluations["ff"] > 0
        assert evaluations["landmarks"] > 0
        assert sum(expansions.values()) + 1 == result.expansions, "no queue leads to the initial state"
        assert result.extra["led_by"] in expansions


def test_plans_are_improved_where_the_search_says_so_and_both_costs_are_kept(comparison: Comparison) -> None:
    methods = parse_methods("ff,goalcount", ["ff.search.improve=auto", "goalcount.search.improve=none"])
    found = {
        (unit.method, unit.state): result for unit, result in replace(comparison, methods=tuple(methods)).run(Silent())
    }
    improved = [result for (method, _), result in found.items() if method == "ff"]
    left_alone = [result for (method, _), result in found.items() if method == "goalcount"]
    for result in improved:
        costs = [cost for _, cost, _ in result.extra["better_plans"]]
        assert costs == sorted(costs, reverse=True)
        assert [result.cost] == (costs or [result.extra["first_cost"]])[-1:]
        assert result.extra["improve_time"] > 0
    for result in left_alone:
        assert (result.cost, result.extra["better_plans"]) == (result.extra["first_cost"], [])
    with pytest.raises(UsageError, match=r"improve must be a duration .+, but is 'soon'"):
        MethodConfig("a", "ff", search={"improve": "soon"}).check()


def test_it_stops_between_units_and_keeps_what_it_has(comparison: Comparison) -> None:
    entries = list(comparison.run(Silent(enough=3)))
    assert [unit.kind for unit, _ in entries] == ["train", "search", "search"]
    (summary,) = summarise(entries)
    assert (summary.method, summary.states) == ("n-rsl", 2)


def test_a_summary_has_medians_over_solved_states_and_rates_over_all() -> None:
    def search(state: str, solved: bool, expansions: int, seconds: float, length: int | None = None) -> Any:
        unit = Unit("search", "d", "e", "i", "m", 0, state)
        status = "solved" if solved else "out of time"
        return unit, Result(
            unit.id, status, solved, 2 * seconds, seconds, expansions, 10 * expansions, plan_length=length
        )

    training = Unit("train", "d", "e", "i", "m", 0)
    entries = [
        (training, Result(training.id, "trained", total_time=7.0)),
        search("a", True, 10, 1.0, 4), search("b", True, 30, 2.0, 8), search("c", False, 60, 7.0),
    ]  # fmt: skip
    (summary,) = summarise(entries)
    assert (summary.solved, summary.states, summary.training_time, summary.failure) == (2, 3, 7.0, None)
    assert (summary.median_expansions, summary.median_plan_length) == (20, 6)
    assert (summary.median_search_time, summary.median_total_time) == (1.5, 3.0)
    assert summary.evaluations_per_second == 1000 / 10
    failed = Result(training.id, "failed", error="nothing to learn from")
    (summary,) = summarise([(training, failed)])
    assert (summary.states, summary.training_time, summary.failure) == (0, None, "nothing to learn from")


def test_a_summary_says_when_training_has_paid_beside_what_is_not_trained() -> None:
    def entries(method: str, *runs: tuple[float, int], training: float | None = None) -> list[tuple[Unit, Result]]:
        units = [Unit("search", "d", "e", "i", method, 0, f"s{i}") for i in range(len(runs))]
        found = [
            (unit, Result(unit.id, "solved", solved=True, total_time=seconds, cost=cost))
            for unit, (seconds, cost) in zip(units, runs, strict=True)
        ]
        if training is not None:
            unit = Unit("train", "d", "e", "i", method, 0)
            found.insert(0, (unit, Result(unit.id, "trained", total_time=training)))
        return found

    learned = entries("n-rsl", (1.0, 20), (2.0, 20), training=60.0)
    assert [summary.break_even for summary in summarise(learned)] == [()], "nothing to compare with"
    both = [*learned, *entries("portfolio", (4.0, 20), (5.0, 30))]
    ours, theirs = summarise(both)
    assert [(one.baseline, one.as_good, one.states, one.unmatched) for one in ours.break_even] == [
        ("portfolio", True, 20, 1),
        ("portfolio", False, 20, 0),
    ]
    assert theirs.break_even == ()
    more = [*both, *entries("lama", (1.0, 50), (1.0, 50)), *entries("lama-full", (7.0, 20), (8.0, 20))]
    assert [(one.baseline, one.as_good, one.states) for one in summarise(more)[0].break_even] == [
        ("lama-full", True, 10),
        ("portfolio", True, 20),
        ("lama", False, None),
    ]


def test_a_summary_has_costs_over_the_best_known_ones() -> None:
    def entry(method: str, seed: int | None, seconds: float, cost: int) -> tuple[Unit, Result]:
        unit = Unit("search", "d", "e", "i", method, seed, "s")
        extra = {"preparation": 0.0, "first_cost": 2 * cost, "better_plans": [[seconds, cost, "window"]]}
        return unit, Result(unit.id, "solved", True, total_time=5.0, search_time=0.01, cost=cost, extra=extra)

    alone = [entry("n-rsl", 0, 0.5, 10)]
    assert summarise(alone)[0].cost_ratios is None, "nothing to compare with"
    ours, lama = summarise([*alone, entry("n-rsl", 1, 0.5, 40), entry("lama-full", None, 2.0, 20)])
    # The best known cost is 10 with seed 0 and 20 with seed 1, for lama-full's plan counts with both.
    assert ours.cost_ratios == {0.1: pytest.approx(8**0.5), 1.0: pytest.approx(2**0.5)}
    assert lama.cost_ratios == {0.1: pytest.approx(8**0.5), 1.0: pytest.approx(8**0.5)}
