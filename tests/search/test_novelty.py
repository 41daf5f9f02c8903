"""Search by novelty, against one written as plainly as can be and against brute force."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from novelty_oracle import run

from goalward import _core
from goalward.search import BoundHeuristic, SearchOptions
from goalward.task.states import to_bits
from goalward.task.strips import Task
from goalward.task.validate import validate_plan
from helpers import make_tiny
from oracle import cheapest_cost, make_task, strips_tasks


def run_native(task: Task, limit: int | None = None) -> _core.SearchResult:
    heuristic = BoundHeuristic(task, "ff", lambda p: _core.native_heuristic(p, "ff", True), whole=True)
    return _core.portfolio_search(
        heuristic.guidance(to_bits([task.init], task.n_atoms)),
        None,
        [_core.PortfolioPart(name="novelty", kind=_core.PartKind.NOVELTY)],
        task.init,
        SearchOptions(expansion_limit=limit).native(),
    )


@st.composite
def tasks_of_single_adders(draw: st.DrawFn) -> Task:
    task = draw(strips_tasks(max_atoms=9, max_operators=12))
    taken: set[int] = set()
    operators = []
    for op in range(task.n_operators):
        pre, add, delete = (set(rows[op].tolist()) for rows in (task.pre, task.add, task.delete))
        operators.append((pre, add - taken, delete, 1))
        taken |= add
    return make_task(task.n_atoms, operators, set(task.init.tolist()), set(task.goal.tolist()))


@given(tasks_of_single_adders(), st.sampled_from([1, 2, 3, 5, 8, 1000]))
def test_it_goes_where_the_plain_search_goes(task: Task, limit: int) -> None:
    wanted, found = run(task, limit), run_native(task, limit)
    counts = found.statistics
    assert (counts.expanded, counts.dead_ends) == (wanted.expanded, wanted.dead_ends)
    assert counts.stored == wanted.stored
    if wanted.plan is None:
        ended = _core.Status.OUT_OF_EXPANSIONS if wanted.cut else _core.Status.EXHAUSTED
        assert found.status == ended
    else:
        assert found.status == _core.Status.SOLVED
        assert len(found.plan) == len(wanted.plan)


@pytest.mark.parametrize("n_atoms", [1, 2, 63, 64, 65, 129])
def test_pairs_are_told_apart_at_the_borders_of_words(n_atoms: int) -> None:
    # Few atoms change, and the goal comes last: most states share a partition, and many have no new pair.
    rng = random.Random(n_atoms)
    near = [a for a in range(n_atoms) if (a + 2) % 64 < 5 or a + 3 >= n_atoms]
    for limit in [10, 20, 40] * 10:
        others = [a for a in range(n_atoms) if a not in near]
        *active, goal = rng.sample(near + rng.sample(others, min(len(others), 6)), min(n_atoms, 9))
        operators = [(set(), {a}, set(rng.sample(active, min(len(active), 2))) - {a}, 1) for a in active]
        operators.append((set(active), {goal}, set(), 1))
        task = make_task(n_atoms, operators, set(rng.sample(active, len(active) * 2 // 3)), {goal})
        wanted, found = run(task, limit), run_native(task, limit).statistics
        assert (found.expanded, found.dead_ends, found.stored) == (wanted.expanded, wanted.dead_ends, wanted.stored)


@given(strips_tasks())
def test_it_finds_a_plan_exactly_where_there_is_one(task: Task) -> None:
    solvable = cheapest_cost(task, unit_costs=True) < float("inf")
    assert run_native(task).status == (_core.Status.SOLVED if solvable else _core.Status.EXHAUSTED)


@pytest.mark.parametrize("domain", ["blocks", "delivery", "gripper", "lights", "storage", "tiles", "visitall"])
def test_its_plans_are_plans(domain: str) -> None:
    tiny = make_tiny(domain, 1)
    found = run_native(tiny.task)
    steps = [tiny.task.operators[op] for op in found.plan]
    assert found.status == _core.Status.SOLVED
    assert validate_plan(tiny.domain, tiny.problem, steps).valid
    assert found.statistics.led_by in ("novelty", "")
    assert found.statistics.evaluations_by_heuristic == [("novelty", found.statistics.stored)]
