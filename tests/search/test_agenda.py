"""Goal agendas: the order of goals against a plain implementation, and plans against brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward import _core
from goalward.search import BoundHeuristic, SearchOptions, Status, search
from goalward.search import best_first as searches
from goalward.task.states import to_bits
from goalward.task.strips import Task
from goalward.task.validate import validate_plan
from helpers import make_tiny
from oracle import cheapest_cost, make_task, strips_tasks

DOMAINS = ["blocks", "delivery", "gripper", "lights", "storage", "tiles", "visitall"]


def guidance_of(task: Task) -> _core.Guidance:
    heuristic = BoundHeuristic(task, "ff", lambda p: _core.native_heuristic(p, "ff", True), whole=True)
    return heuristic.guidance(to_bits([task.init], task.n_atoms))


def run(
    task: Task,
    limit: int | None = None,
    guidance: _core.Guidance | None = None,
    progress: Callable[[object], bool] | None = None,
) -> _core.SearchResult:
    part = _core.PortfolioPart(name="agenda", kind=_core.PartKind.AGENDA)
    options = SearchOptions(expansion_limit=limit).native()
    return _core.portfolio_search(guidance or guidance_of(task), None, [part], task.init, options, progress)


def states_on_the_way(task: Task, plan: list[int]) -> list[set[int]]:
    states = [set(task.init.tolist())]
    for op in plan:
        states.append((states[-1] - set(task.delete[op].tolist())) | set(task.add[op].tolist()))
    return states


def chain(n: int) -> Task:
    """Lights in a row: each is lit where the one before it is dark, so that they are lit from the last to the first."""
    lit, dark = range(n), range(n, 2 * n)
    operators = [({dark[i], *([dark[i - 1]] if i else [])}, {lit[i]}, {dark[i]}, 1) for i in range(n)]
    operators += [({lit[i]}, {dark[i]}, {lit[i]}, 1) for i in range(n)]
    return make_task(2 * n, operators, set(dark), set(lit), groups=[{lit[i], dark[i]} for i in range(n)])


@pytest.mark.parametrize("n", [2, 5, 9])
@pytest.mark.parametrize("attempt", [0, 1, 5])
def test_what_walks_from_the_goal_undo_last_comes_first(n: int, attempt: int) -> None:
    # Backwards, the light that was lit last goes out first: only the first one's neighbour may be lit at that time.
    assert guidance_of(chain(n)).agenda(attempt) == list(range(n))[::-1]


@given(strips_tasks(), st.integers(0, 3))
def test_an_agenda_holds_the_goal_and_repeats(task: Task, attempt: int) -> None:
    agenda = guidance_of(task).agenda(attempt)
    assert sorted(agenda) == sorted(task.goal.tolist())
    other = guidance_of(task)
    other.agenda(attempt + 1)  # asked for in another order
    assert other.agenda(attempt) == agenda


def test_goals_are_kept_once_they_are_reached() -> None:
    task = chain(6)
    found = run(task)
    assert found.status == _core.Status.SOLVED
    lit = [sum(light in state for light in range(6)) for state in states_on_the_way(task, found.plan)]
    assert lit == list(range(7))  # no light is lit twice


@given(strips_tasks())
def test_it_finds_a_plan_exactly_where_there_is_one(task: Task) -> None:
    solvable = cheapest_cost(task, unit_costs=True) < float("inf")
    found = run(task, limit=4_000)
    if solvable:
        assert found.status == _core.Status.SOLVED
        states = states_on_the_way(task, found.plan)
        assert set(task.goal.tolist()) <= states[-1]
        for op, before in zip(found.plan, states, strict=False):
            assert set(task.pre[op].tolist()) <= before
    else:  # a part of the goal may be out of reach only together with another one
        assert found.status in (_core.Status.EXHAUSTED, _core.Status.OUT_OF_EXPANSIONS)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("size", [1, 2])
def test_its_plans_are_plans(domain: str, size: int) -> None:
    tiny = make_tiny(domain, size)
    found = run(tiny.task)
    assert found.status == _core.Status.SOLVED
    assert validate_plan(tiny.domain, tiny.problem, [tiny.task.operators[op] for op in found.plan]).valid
    counts = found.statistics
    assert counts.best_h == 0
    assert counts.initial_h == len(set(tiny.task.goal.tolist()) - set(tiny.task.init.tolist()))
    assert sum(n for _, n in counts.expansions_by_queue) <= counts.expanded
    assert all(name.startswith("agenda: ") for name, _ in counts.expansions_by_queue)


def test_the_same_search_again_does_the_same() -> None:
    task = make_tiny("tiles", 2).task
    guidance = guidance_of(task)
    runs = [run(task, guidance=guidance) for _ in range(3)]
    for first, second in pairwise(runs):
        assert first.plan == second.plan
        assert first.statistics.expanded == second.statistics.expanded


def test_what_cannot_be_undone_leads_to_another_attempt() -> None:
    # One match, two candles on either side of a door that falls shut: the wrong goal first spoils the other.
    start, near, far, both, left = range(5)
    operators = [
        ({start}, {near}, {start}, 1),  # the trap: `far` is out of reach for good
        ({start}, {both}, {start}, 1),
        ({both}, {far}, set(), 1),
        ({both, far}, {near, left}, {both}, 1),
    ]
    task = make_task(5, operators, {start}, {near, far})
    found = run(task)
    assert found.status == _core.Status.SOLVED
    assert [int(op) for op in found.plan] == [1, 2, 3]


def test_limits_hold() -> None:
    task = make_tiny("tiles", 3).task
    found = run(task, limit=5)
    assert found.status == _core.Status.OUT_OF_EXPANSIONS
    stopped = run(task, progress=lambda _: False)
    assert stopped.status in (_core.Status.CANCELLED, _core.Status.SOLVED)  # solved before anybody was asked


def test_finding_an_agenda_asks_whether_to_go_on() -> None:
    found = run(chain(200), progress=lambda _: False)
    assert found.status == _core.Status.CANCELLED
    assert found.statistics.stored == 0, "it searched before it asked"


@pytest.mark.parametrize(("name", "kind"), [("agenda", _core.PartKind.AGENDA), ("novelty", _core.PartKind.NOVELTY)])
def test_it_takes_its_turn_beside_h_ff_and_landmarks(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: _core.PartKind
) -> None:
    task = make_tiny("storage", 1).task
    parts = [
        _core.PortfolioPart(name="landmarks", kind=_core.PartKind.GUIDED, share=1e-9, delay=1),
        _core.PortfolioPart(name=name, kind=kind),
    ]
    monkeypatch.setattr(searches, "portfolio_parts", lambda *_: parts)
    result = search(task, "ff", SearchOptions(algorithm="portfolio"))
    assert result.status == Status.SOLVED
    assert result.statistics.led_by.partition(":")[0] == name


def test_a_goal_that_holds_needs_no_step() -> None:
    task = make_task(2, [({0}, {1}, set(), 1)], {0}, {0})
    found = run(task)
    assert (found.status, list(found.plan)) == (_core.Status.SOLVED, [])
    assert np.isfinite(found.statistics.initial_h)
