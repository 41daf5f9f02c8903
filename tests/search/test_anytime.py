"""Plans as they are found, from Python: a generator that a caller may leave whenever it likes."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from goalward import anytime_plans, plan
from goalward.errors import UsageError
from goalward.search import ImproveStatus, Status
from goalward.search.solving import UNLIMITED_IMPROVEMENT, Outcome
from goalward.task.domains import generate
from goalward.task.strips import Task
from oracle import as_set, cheapest_cost, make_task
from wasteful_plans import end_state


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "goalward-anytime"]


def all_of(task: Task, **options: object) -> tuple[list[Outcome], Outcome]:
    """Every plan, and the generator's value."""
    plans, generator = [], anytime_plans(task, **options)  # type: ignore[arg-type]
    while True:
        try:
            plans.append(next(generator))
        except StopIteration as end:
            return plans, end.value


def test_plans_come_one_better_than_the_other_and_the_last_is_optimal() -> None:
    task = generate("delivery", size=3, packages=2, seed=1).ground()
    plans, whole = all_of(task, heuristic="goalcount")
    for outcome in plans:
        assert outcome.plan is not None
        reached = end_state(task, outcome.plan)
        assert reached is not None
        assert as_set(task.goal) <= reached
    values = [(outcome.cost, outcome.length) for outcome in plans]
    assert all(later < earlier for earlier, later in pairwise(values))  # type: ignore[operator]
    assert [o.found_after for o in plans] == sorted(o.found_after for o in plans)
    assert whole.plan == plans[-1].plan
    assert whole.improved is not None
    assert whole.improved.status is ImproveStatus.OPTIMAL
    assert whole.cost == cheapest_cost(task, unit_costs=False)


def test_a_caller_who_leaves_ends_the_work(puzzle: Task) -> None:
    plans = anytime_plans(puzzle)
    first = next(plans)
    better = next(plans)
    assert better.length < first.length  # type: ignore[operator]
    assert len(workers()) == 1
    plans.close()
    assert workers() == []
    for _ in anytime_plans(puzzle):
        break  # dropped, not closed
    assert workers() == []


def test_where_there_is_no_plan_the_outcome_says_why() -> None:
    task = make_task(3, [([0], [1], [0], 1), ([1], [0], [1], 1)], [0], [0, 1])
    plans, whole = all_of(task)
    assert (plans, whole.status, whole.plan) == ([], Status.UNSOLVABLE, None)


def test_errors_of_the_search_are_the_callers(puzzle: Task) -> None:
    with pytest.raises(UsageError, match="unknown heuristic"):
        next(anytime_plans(puzzle, "no-such"))

    def broken(states: np.ndarray) -> np.ndarray:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        next(anytime_plans(puzzle, broken))  # type: ignore[arg-type]


def test_a_function_hears_of_each_plan(puzzle: Task) -> None:
    heard: list[Outcome] = []
    outcome = plan(puzzle, improve=UNLIMITED_IMPROVEMENT, on_plan=heard.append, progress=lambda _: len(heard) < 3)
    assert heard[0].plan == outcome.found.plan
    assert heard[0].improved is None
    assert heard[-1].plan == outcome.plan
    assert len({o.plan for o in heard}) == len(heard) >= 3
    only = []
    plan(puzzle, improve=None, on_plan=only.append)
    assert len(only) == 1
