"""Solving one state: the plan is checked on the PDDL, and the record says what happened."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goalward.errors import GoalwardError, UsageError
from goalward.search import SearchOptions, Statistics, Status, best_first, bind_heuristic, search, solving
from goalward.search.solving import DEFAULT_IMPROVEMENT, Improvement, Outcome, solve, solve_all
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import default_search
from goalward.task.states import format_problem, random_walk_states
from goalward.task.validate import validate_plan
from helpers import TINY, make_tiny, read_texts

GREEDY = SearchOptions()


@pytest.mark.parametrize("name", TINY)
def test_states_that_were_never_pddl_are_solved_and_their_plans_are_checked(name: str) -> None:
    tiny = make_tiny(name)
    walked = [Start(tiny.task, atoms) for atoms in random_walk_states(tiny.task, 8, 20, seed=3)]
    solved = [outcome for outcome in (solve(start, "ff", GREEDY) for start in walked) if outcome.solved]
    assert solved
    for outcome in solved:
        text = format_problem(tiny.task, outcome.start.atoms, "walked")
        verdict = validate_plan(*read_texts(tiny.instance.domain_text, text), _words(outcome))
        assert (verdict.valid, verdict.length, verdict.cost) == (True, outcome.length, outcome.cost)


def _words(outcome: Outcome) -> list[tuple[str, ...]]:
    return [tuple(step[1:-1].split()) for step in outcome.steps or []]


def test_it_is_the_pddl_that_decides_not_the_search() -> None:
    task = make_tiny("gripper").task
    elsewhere = next(state for state in random_walk_states(task, 20, 9, seed=0) if not task.is_goal(state))
    lie = replace(initial_state(task), text=format_problem(task, elsewhere, "another"))
    with pytest.raises(GoalwardError, match=r"its own validator rejects; please report: step 4 .* is false"):
        solve(lie, "ff", GREEDY)


def test_a_plan_that_stops_before_the_goal_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_tiny("blocks").task
    found = search(task, "ff")
    assert found.plan
    monkeypatch.setattr(solving, "search", lambda *_, **__: replace(found, plan=found.plan[:-1]))
    with pytest.raises(GoalwardError, match="the goal does not hold after the last step"):
        solve(initial_state(task), "ff", GREEDY)


def test_the_record_holds_every_figure_and_is_json() -> None:
    task = make_tiny("courier").task
    outcome = solve(initial_state(task), "ff", GREEDY)
    record = json.loads(json.dumps(outcome.record(), allow_nan=False))
    assert (record["status"], record["plan_length"], record["cost"]) == ("solved", outcome.length, outcome.cost)
    assert record["expanded"] == outcome.statistics.expanded
    named = {"evaluations_by_heuristic", "expansions_by_queue", "effort_by_part", "evicted"}
    improvement = {"first_plan_length", "first_cost", "improve_time"}
    assert record.keys() - {"status", "plan_length", "cost", "search_time"} - improvement == (
        Statistics.__annotations__.keys() - {"seconds"} - named
    )
    several = replace(outcome.statistics, expansions_by_queue=[("ff", 3), ("network", 4)])
    several_found = replace(outcome, found=replace(outcome.found, statistics=several))
    assert several_found.record()["expansions_by_queue"] == {"ff": 3, "network": 4}


def test_the_record_of_a_dead_end_has_neither_a_plan_nor_infinity() -> None:
    task = make_tiny("lights").task
    nothing = Start(task, np.array([], dtype=np.int32))
    outcome = solve(nothing, "ff", GREEDY)
    assert outcome.status is Status.UNSOLVABLE
    assert (outcome.plan, outcome.steps, outcome.length, outcome.cost) == (None, None, None, None)
    record = outcome.record()
    assert (record["initial_h"], record["plan_length"]) == (None, None)
    json.dumps(record, allow_nan=False)


def test_a_plan_file_has_the_steps_and_the_cost() -> None:
    outcome = solve(initial_state(make_tiny("courier").task), "ff", GREEDY)
    *steps, last = outcome.plan_text.splitlines()
    assert steps == outcome.steps
    assert last == f"; cost = {outcome.cost} (general cost)"


def test_a_learned_heuristic_is_searched_in_several_widths_unless_told_otherwise() -> None:
    assert default_search(learned=True).batches == (1, 32, 256)
    assert default_search(learned=False).batches == (1,)
    assert default_search(learned=True, batch=8).batches == (8,)
    assert default_search(learned=True, algorithm="astar").batches == (1,), "only greedy searches take turns"


@pytest.mark.parametrize("jobs", [1, 3, 2**62])
def test_many_states_of_several_tasks_come_back_in_order(jobs: int) -> None:
    tasks = [make_tiny(name).task for name in ("blocks", "tiles")]
    starts = [
        Start(task, atoms) for seed in range(4) for task in tasks for atoms in random_walk_states(task, 1, 9, seed)
    ]
    outcomes = list(solve_all(starts, lambda task: bind_heuristic(task, "ff"), GREEDY, jobs=jobs))
    assert [outcome.start for outcome in outcomes] == starts
    assert [outcome.plan for outcome in outcomes] == [solve(start, "ff", GREEDY).plan for start in starts]


@pytest.mark.parametrize(
    ("searched", "limit", "expected"),
    [
        (0.001, None, {"effort_limit": 10**8, "max_effort": 25 * 10**7, "time_limit": None}),
        (0.4, None, {"effort_limit": 16 * 10**7, "max_effort": 4 * 10**8, "time_limit": None}),
        (0.4, 0.5, {"effort_limit": 16 * 10**7, "max_effort": 4 * 10**8, "time_limit": pytest.approx(0.1)}),
    ],
)
def test_a_plan_is_improved_while_it_pays_and_at_most_as_long_as_a_long_search_took(
    searched: float, limit: float | None, expected: object
) -> None:
    assert DEFAULT_IMPROVEMENT.limits(searched, limit) == expected
    with pytest.raises(UsageError, match="the time for improving a plan must be above 0 s, but is 0"):
        Improvement(0.0)


def test_what_comes_before_a_search_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_tiny("blocks").task
    left: list[float | None] = []
    native, prepare = SearchOptions.native, best_first.prepare

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.2)
        return prepare(*arguments)

    def noted(self: SearchOptions) -> Any:
        left.append(self.time_limit)
        return native(self)

    monkeypatch.setattr(best_first, "prepare", slowly)
    monkeypatch.setattr(SearchOptions, "native", noted)
    for limit in (50.0, 0.1):
        assert search(task, "ff", SearchOptions(time_limit=limit)).solved
    first, second = left
    assert first is not None
    assert first <= 49.8
    assert second == 1e-3
