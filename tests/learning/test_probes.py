"""Probes: training ends when more of it cannot matter, and at the same epoch every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goalward.learning import probes
from goalward.learning.methods import train_with
from goalward.learning.probes import EXPANSIONS, STATES, STRAIGHT, TRAINED_PER_EXPANSION, Probe, Probes
from goalward.learning.results import Epoch
from goalward.learning.rsl import PreimageOptions
from goalward.learning.validation import validation_states
from goalward.learning.watchers import Relay
from goalward.search import SearchOptions, Status, search
from goalward.search.batches import ManyResults, search_many
from goalward.search.model import Model
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import to_lists
from goalward.task.strips import Rows
from helpers import make_tiny, whole_number_network
from wasteful_plans import wandering_plan

NOWHERE = np.empty((0, 1), dtype=np.uint64)
"""No search has reached its limit on expansions."""
QUICK = PreimageOptions(
    width=32, samples=4000, length=20, rollouts=2, sampler="reachable", expert=False, max_epochs=9, validation_states=10
)


def epoch(number: int, states: int) -> Epoch:
    return Epoch(number, 1.0, 1.0, 0.1, 1e-3, states)


class Searches:
    """Stands in for the searches of probes: where they began, and how many expansions they are said to take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, expansions: Callable[[int], int] | None = None) -> None:
        self.begun: list[list[list[int]]] = []
        self.expansions = expansions
        monkeypatch.setattr(probes, "search_many", self.search)

    def search(self, heuristic: Any, states: Any, *, expansion_limit: int, go_on: Any) -> ManyResults:
        self.begun.append([state.tolist() for state in to_lists(states, heuristic.task.n_atoms)])
        if self.expansions is None:
            return search_many(heuristic, states, expansion_limit=expansion_limit)
        n = self.expansions(len(self.begun))
        found = search_many(heuristic, states, expansion_limit=1 if n > expansion_limit else None)
        return replace(found, expanded=np.full(len(states), min(n, expansion_limit), dtype=np.int32))


@pytest.fixture
def weights() -> NetworkWeights:
    """A network that is trained well enough to solve four blocks."""
    return train_with(make_tiny("blocks").task, "n-rsl", QUICK).weights


# --- one probe ---


def test_a_probe_counts_the_states_that_plain_search_solves_with_few_expansions(weights: NetworkWeights) -> None:
    task = make_tiny("blocks").task
    states = validation_states(task, STATES, 0)
    options = SearchOptions(expansion_limit=EXPANSIONS)
    alone = sum(search(task, bind_network(task, weights), options, init=state).solved for state in states)
    probe = Probes(task, states)(epoch(1, 100), lambda: weights)
    assert probe is not None
    assert (probe.solved, probe.states) == (alone, STATES)
    assert probe.cost_ratio is not None
    assert probe.cost_ratio >= 1
    assert probe.expansions_per_step is not None
    assert probe.expansions_per_step >= 1


def test_probes_judge_each_state_by_the_last_search_from_it(
    monkeypatch: pytest.MonkeyPatch, weights: NetworkWeights
) -> None:
    task = make_tiny("blocks").task
    states = validation_states(task, STATES + 2, 0)
    heuristic, probe = bind_network(task, weights), Probes(task, states)
    first, second = (probe(epoch(number, 10**9), lambda: weights) for number in (1, 2))
    assert first is not None
    assert second is not None
    assert (first.solved, second.solved, second.states) == (STATES, STATES + 2, STATES + 2)
    found = [search(task, heuristic, SearchOptions(), init=state) for state in states]
    steps = sum(len(result.plan or ()) for result in found)
    assert second.expansions_per_step == sum(result.statistics.expanded for result in found) / steps

    def fail(heuristic: Any, states: Any, **limits: Any) -> ManyResults:
        return search_many(heuristic, states, expansion_limit=1)

    monkeypatch.setattr(probes, "search_many", fail)
    third, fourth = (probe(epoch(number, 10**9), lambda: weights) for number in (3, 4))
    assert third is not None
    assert (third.solved, fourth) == (2, Probe(0, STATES + 2, enough=False))


@pytest.mark.parametrize(("name", "unit_costs"), [("blocks", True), ("courier", False)])
def test_the_cost_of_plans_is_that_over_the_best_known_ones(
    monkeypatch: pytest.MonkeyPatch, name: str, unit_costs: bool
) -> None:
    task = make_tiny(name).task
    weights = whole_number_network(task)
    best = search(task, "blind", SearchOptions("astar")).plan
    assert best is not None
    plans = [tuple(wandering_plan(task, 3, best, steps=20)), tuple(best), tuple(wandering_plan(task, 3, best, steps=6))]
    monkeypatch.setattr(
        probes,
        "search_many",
        lambda *_, **__: ManyResults([Status.SOLVED], np.array([9], np.int32), Rows.of([plans[0]]), NOWHERE),
    )
    probe, long = Probes(task, [task.init], unit_costs=unit_costs), task.cost_of(plans[2])
    ratios = []
    for number in range(1, 4):
        found = probe(epoch(number, 10**9), lambda: weights)
        assert found is not None
        ratios.append(found.cost_ratio)
        plans.pop(0)
    assert ratios[0] is not None
    assert ratios[0] > 1, "improvement shortens it"
    assert ratios[1:] == [1.0, long / task.cost_of(best)]


@pytest.mark.parametrize(
    ("expansions", "detour", "enough"), [(1.0, 0, True), (STRAIGHT, 0, True), (2.0, 0, False), (1.0, 20, False)]
)
def test_it_is_enough_when_searches_go_straight_to_the_goal_by_short_plans(
    monkeypatch: pytest.MonkeyPatch, weights: NetworkWeights, expansions: float, detour: int, enough: bool
) -> None:
    task = make_tiny("blocks").task
    plan = search(task, "blind", SearchOptions("astar")).plan
    assert plan is not None
    plan = tuple(wandering_plan(task, 3, plan, steps=detour))

    def found(*arguments: Any, **named: Any) -> ManyResults:
        expanded = np.array([int(expansions * len(plan))], dtype=np.int32)
        return ManyResults([Status.SOLVED], expanded, Rows.of([plan]), NOWHERE)

    monkeypatch.setattr(probes, "search_many", found)
    probe = Probes(task, [task.init])(epoch(1, 100), lambda: weights)
    assert probe is not None
    assert (probe.solved, probe.states, probe.enough) == (1, 1, enough)


def test_probes_go_round_all_validation_states(monkeypatch: pytest.MonkeyPatch, weights: NetworkWeights) -> None:
    task = make_tiny("blocks").task
    states = [np.array(list(state), dtype=np.int32) for state in validation_states(task, 10, 0)]
    searches, probe = Searches(monkeypatch), Probes(task, states)
    for number in range(1, 6):
        probe(epoch(number, 10**9), lambda: weights)
    order = [state for begun in searches.begun for state in begun]
    assert order == [states[i % 10].tolist() for i in range(20)]


def test_probes_spend_expansions_by_the_states_that_were_trained_on(
    monkeypatch: pytest.MonkeyPatch, weights: NetworkWeights
) -> None:
    task = make_tiny("blocks").task
    Searches(monkeypatch, lambda number: 25)  # a hundred expansions in each probe
    probe = Probes(task, validation_states(task, 4, 0))
    step = 100 * TRAINED_PER_EXPANSION // 2
    taken = [probe(epoch(number, number * step), lambda: weights) is not None for number in range(1, 8)]
    assert taken == [True, True, False, True, False, True, False]


def test_without_validation_states_there_is_nothing_to_search(weights: NetworkWeights) -> None:
    assert Probes(make_tiny("blocks").task, [])(epoch(1, 10**9), lambda: weights) is None


# --- the end of training ---


def train(options: PreimageOptions, watcher: Any = None) -> Model:
    return train_with(make_tiny("blocks").task, "n-rsl", options, watcher)


def test_training_ends_after_enough_probes_in_a_row_that_solve_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    no_better = {"improve": lambda plan, **_: SimpleNamespace(cost=len(plan)), "cost": len}
    monkeypatch.setattr(probes, "Improver", lambda *_, **__: SimpleNamespace(**no_better))
    # The third probe needs too many expansions: the row begins anew.
    Searches(monkeypatch, lambda number: EXPANSIONS + 1 if number == 3 else 1)
    monkeypatch.setattr(probes, "TRAINED_PER_EXPANSION", 0)
    info = train(QUICK).info
    assert (info["end"], len(info["curve"]), info["best_epoch"]) == ("validation states solved", 6, 6)
    Searches(monkeypatch, lambda number: 1)
    assert len(train(replace(QUICK, required_probes=5)).info["curve"]) == 5
    assert len(train(replace(QUICK, required_probes=0)).info["curve"]) == 9
    assert train(replace(QUICK, preset="paper")).info["end"] == "all epochs", "the paper's training goes on"


def test_it_ends_at_the_same_epoch_whoever_looks_on() -> None:
    options = replace(QUICK, samples=20_000, max_epochs=30, required_probes=1)
    first = train(options)
    assert first.info["end"] == "validation states solved"
    again = train(options, Relay())
    assert again.info["best_epoch"] == first.info["best_epoch"]
    assert again.weights.table.tobytes() == first.weights.table.tobytes()
