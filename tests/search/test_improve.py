"""Improved plans: still plans by the checker that works on the PDDL, never worse, and optimal where that is claimed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from goalward import _core, improve_plan
from goalward.errors import UsageError
from goalward.search import ImprovedPlan, ImproveStatus, SearchOptions, search
from goalward.search.heuristics import bind_heuristic
from goalward.search.improve import Improver
from goalward.task.domains import generate
from goalward.task.packing import native_problem, problem_for
from goalward.task.states import to_bits
from goalward.task.strips import Task
from goalward.task.validate import validate_plan
from helpers import Tiny, make_tiny
from oracle import as_set, cheapest_cost, make_task, reachable_states, with_init
from wasteful_plans import as_pddl, cost, end_state, wandering_plan, wasteful_plan

EFFORT = 3_000_000


def assert_better_or_same(improved: ImprovedPlan, task: Task, plan: list[int]) -> None:
    """What must be true of every result, whenever it ended."""
    assert improved.before == tuple(plan)
    reached = end_state(task, improved.plan)
    assert reached is not None, "a step cannot be taken"
    assert as_set(task.goal) <= reached
    assert improved.cost_before == cost(task, plan)
    assert improved.cost == cost(task, improved.plan) <= improved.cost_before
    values = [(improved.cost_before, len(plan)), *((b.cost, b.length) for b in improved.better)]
    assert all(later < earlier for earlier, later in pairwise(values)), "a plan that is not better"
    assert all(b.cost == cost(task, b.plan) for b in improved.better)
    times = [b.seconds for b in improved.better]
    assert times == sorted(times)
    assert all(0 <= t <= improved.seconds for t in times)


# --- random tasks ---


@pytest.mark.parametrize("block", range(8))
def test_improved_plans_are_plans_by_the_checker_on_the_pddl(block: int) -> None:
    for seed in range(block * 400, block * 400 + 400):
        task, plan = wasteful_plan(seed)
        improved = improve_plan(task, plan, effort_limit=EFFORT, seed=seed)
        assert_better_or_same(improved, task, plan)
        verdict = validate_plan(*as_pddl(task), [(step[1:-1],) for step in improved.steps])
        assert (verdict.valid, verdict.cost) == (True, improved.cost), (seed, verdict.reason)


def test_a_plan_called_optimal_is_optimal() -> None:
    called_optimal = 0
    for seed in range(600):
        task, plan = wasteful_plan(seed)
        improved = improve_plan(task, plan, effort_limit=100 * EFFORT)
        if improved.status is ImproveStatus.OPTIMAL:
            called_optimal += 1
            assert improved.cost == cheapest_cost(task, unit_costs=False), seed
    assert called_optimal > 590, "states around small plans can be exhausted"


def test_steps_are_counted_where_costs_do_not_matter() -> None:
    for seed in range(300):
        task, plan = wasteful_plan(seed)
        improved = improve_plan(task, plan, effort_limit=100 * EFFORT, unit_costs=True)
        assert improved.cost == improved.length
        if improved.status is ImproveStatus.OPTIMAL:
            assert improved.length == cheapest_cost(task, unit_costs=True), seed
        assert improved.plan == improve_plan(replace(task, uses_costs=False), plan, effort_limit=100 * EFFORT).plan


def test_dear_operators_do_not_overflow() -> None:
    for seed in range(200):
        task, plan = wasteful_plan(seed, most_cost=2**31 - 1)
        improved = improve_plan(task, plan, effort_limit=EFFORT)
        assert_better_or_same(improved, task, plan)


def test_whenever_it_is_stopped_it_has_a_plan() -> None:
    draw = random.Random(0)
    for seed in range(1000):
        task, plan = wasteful_plan(seed)
        stop = {"effort_limit": draw.randint(1, 20_000)} if seed % 2 else {"time_limit": draw.uniform(1e-7, 1e-3)}
        assert_better_or_same(improve_plan(task, plan, **stop), task, plan)  # type: ignore[arg-type]


def test_the_same_seed_and_effort_give_the_same_plans() -> None:
    task = generate("delivery", size=5, seed=2).ground()
    plan = search(task, "ff").plan
    assert plan is not None
    results = [improve_plan(task, plan, effort_limit=50_000_000, seed=3) for _ in range(2)]
    assert results[0].better
    assert results[0].status is ImproveStatus.OUT_OF_EFFORT
    assert [(b.plan, b.by) for b in results[0].better] == [(b.plan, b.by) for b in results[1].better]
    assert results[0].effort == results[1].effort


# --- steps that can go ---


def useful(task: Task, plan: list[int]) -> list[int]:
    """The steps that add something that the goal can depend on."""
    wanted, active = as_set(task.goal), set[int]()
    while True:
        more = {o for o in range(task.n_operators) if as_set(task.add[o]) & wanted} - active
        if not more:
            return [o for o in plan if o in active]
        active |= more
        wanted |= {int(a) for o in more for a in task.pre[o]}


def without(task: Task, plan: list[int], first: int) -> list[int] | None:
    """The indices that go with a step; None if the rest is no plan."""
    gone, state = [first], end_state(task, plan[:first])
    assert state is not None
    for i in range(first + 1, len(plan)):
        after = end_state(task, plan[i : i + 1], state)
        if after is None:
            gone.append(i)
        else:
            state = after
    return gone if as_set(task.goal) <= state else None


def eliminated(task: Task, plan: list[int]) -> list[int]:
    """Action elimination by replaying the plan for every step."""
    while True:
        trials = [(i, gone) for i in range(len(plan)) if (gone := without(task, plan, i)) is not None]
        if not trials:
            return plan
        trials.sort(key=lambda trial: (-cost(task, [plan[i] for i in trial[1]]), -len(trial[1])))
        left = list(range(len(plan)))
        for first, _ in trials:
            steps = [plan[i] for i in left]
            gone = without(task, steps, left.index(first)) if first in left else None
            if gone is not None:
                left = [i for at, i in enumerate(left) if at not in gone]
        plan = [plan[i] for i in left]


def test_elimination_gives_the_plan_that_replaying_gives() -> None:
    shorter = 0
    for seed in range(800):
        task, plan = wasteful_plan(seed, most_atoms=5 + seed % 20, most_operators=6 + seed % 25)
        expected = eliminated(task, useful(task, plan))
        improved = improve_plan(task, plan, effort_limit=1)
        assert improved.plan == tuple(expected), seed
        shorter += 0 < len(expected) < len(plan)
    assert shorter > 200


def test_elimination_of_steps_by_the_ten_thousand_fits_into_a_time_limit() -> None:
    # on, off, on, off, …: each pair can go, and each of 25,000 trials that work used to replay the plan
    task = make_task(3, [([0], [1], [0], 1), ([1], [0], [1], 1), ([0], [2], [], 1)], [0], [2])
    improved = improve_plan(task, [0, 1] * 25_000 + [2], time_limit=10)
    assert (improved.plan, improved.status) == ((2,), ImproveStatus.OPTIMAL)


# --- the suffix index ---


def regressed(task: Task, plan: list[int]) -> list[frozenset[int]]:
    """x_0 … x_n: what the steps from each place on need to reach the goal."""
    needed = [as_set(task.goal)]
    for operator in reversed(plan):
        needed.append((needed[-1] - as_set(task.add[operator])) | as_set(task.pre[operator]))
    return needed[::-1]


def test_the_furthest_suffix_is_that_of_brute_force() -> None:
    draw = random.Random(1)
    found = 0
    for seed in range(300):
        task, plan = wasteful_plan(seed, most_atoms=10, most_operators=14)
        states = sorted(reachable_states(task), key=sorted)
        needed = regressed(task, plan)
        rows = [draw.choice(states) for _ in range(40)]
        least = [draw.randint(0, len(plan)) for _ in rows]
        expected = [
            max((j for j in range(low, len(plan) + 1) if needed[j] <= state), default=-1)
            for state, low in zip(rows, least, strict=True)
        ]
        bits = to_bits([np.array(sorted(state), dtype=np.int32) for state in rows], task.n_atoms)
        answer = _core.last_applicable_suffixes(
            native_problem(task, whole=True), task.init, np.array(plan, dtype=np.int32), bits, np.array(least, np.int32)
        )
        assert answer == expected, seed
        found += sum(j >= 0 for j in answer)
    assert found > 1000


def test_the_furthest_suffix_of_a_plan_that_needs_several_words_of_bits() -> None:
    task = make_tiny("tiles").task
    solution = search(task, "ff").plan
    assert solution is not None
    plan = wandering_plan(task, 5, solution, steps=100)
    assert len(plan) > 200
    needed = regressed(task, plan)
    states = sorted(reachable_states(task), key=sorted)
    bits = to_bits([np.array(sorted(state), dtype=np.int32) for state in states], task.n_atoms)
    for low in (0, 63, 64, 150, len(plan)):
        answer = _core.last_applicable_suffixes(
            problem_for(task, task.init), task.init, np.array(plan, dtype=np.int32), bits,
            np.full(len(states), low, dtype=np.int32),
        )  # fmt: skip
        fixed = as_set(task.init) - {int(a) for a in task.delete.values}
        expected = [
            max((j for j in range(low, len(plan) + 1) if needed[j] - fixed <= state), default=-1) for state in states
        ]
        assert answer == expected
        assert any(j >= 0 for j in answer)
        for state, j in list(zip(states, answer, strict=True))[:50]:
            if j >= 0:
                reached = end_state(task, plan[j:], state)
                assert reached is not None
                assert as_set(task.goal) <= reached


# --- bundled domains ---


REVERSIBLE = ("blocks", "courier", "delivery", "gripper", "tiles")


@pytest.mark.parametrize("name", REVERSIBLE)
def test_wandering_about_is_taken_out_of_plans(name: str) -> None:
    tiny = make_tiny(name)
    task = tiny.task
    solution = search(task, "hmax", SearchOptions("astar")).plan
    assert solution is not None
    for seed in range(3):
        plan = wandering_plan(task, seed, solution)
        improved = improve_plan(task, plan, effort_limit=100_000_000, seed=seed)
        assert improved.cost == cost(task, solution)
        assert validate_plan(tiny.domain, tiny.problem, [tuple(s[1:-1].split()) for s in improved.steps]).valid


def test_plans_of_greedy_search_become_nearly_optimal(tiny: Tiny) -> None:
    plan = search(tiny.task, "goalcount").plan
    assert plan is not None
    improved = improve_plan(tiny.task, plan, effort_limit=200_000_000)
    assert improved.cost <= 1.05 * cheapest_cost(tiny.task, unit_costs=False)


# --- odd cases ---


def test_a_plan_of_one_step_that_is_needed_stays() -> None:
    task = make_task(2, [([0], [1], [], 3)], [0], [1])
    improved = improve_plan(task, [0])
    assert (improved.plan, improved.cost, improved.better) == ((0,), 3, ())
    assert improved.status is ImproveStatus.OPTIMAL


def test_free_steps_that_are_not_needed_go() -> None:
    task = make_task(3, [([0], [1], [], 0), ([0], [2], [], 1)], [0], [2])
    improved = improve_plan(task, [0, 1])
    assert (improved.plan, improved.cost_before, improved.cost) == ((1,), 1, 1)
    assert improve_plan(make_task(1, [], [0], []), []).plan == ()


@pytest.mark.parametrize("plan", [[], [0], [1, 0, 1]])
def test_where_the_goal_holds_already_no_step_is_left(plan: list[int]) -> None:
    task = make_task(3, [([0], [1], [0], 0), ([], [0], [1], 2)], [0, 2], [2])
    improved = improve_plan(task, plan)
    assert (improved.plan, improved.cost, improved.status) == ((), 0, ImproveStatus.OPTIMAL)


def test_the_state_to_begin_at_may_be_another_one() -> None:
    task = make_task(3, [([0], [1], [0], 1), ([1], [2], [], 1), ([1], [0], [1], 1)], [0], [2])
    improved = improve_plan(task, [2, 0, 1], init=np.array([1], dtype=np.int32))
    assert improved.plan == (1,)
    with pytest.raises(UsageError, match="is not valid"):
        improve_plan(task, [1])


def test_a_state_without_an_atom_that_always_holds_is_served() -> None:
    # atom 0 holds initially and is never deleted; operator 0 makes it again
    task = make_task(3, [([], [0], [], 1), ([0], [1], [], 1), ([0], [2], [1], 1)], [0], [1, 2])
    without = with_init(task, []).init
    improved = improve_plan(task, [0, 1, 2, 1], init=without)
    assert improved.plan == (0, 2, 1)


@pytest.mark.parametrize("plan", [[0, 0], [5], [-1]])
def test_what_is_no_plan_is_refused(plan: list[int]) -> None:
    with pytest.raises(UsageError, match=r"is not valid|operators of a plan must be between 0 and 0"):
        improve_plan(make_task(2, [([0], [1], [0], 1)], [0], [1]), plan)


def test_a_limit_on_effort_is_put_off_while_that_pays() -> None:
    task = generate("blocks", n=14, seed=1).ground()
    plan = search(task, "ff").plan or ()
    step, most = 2_000_000, 40_000_000
    improver = Improver(task)
    at_once, longer = (
        improver.improve(plan, effort_limit=step),
        improver.improve(plan, effort_limit=step, max_effort=most),
    )
    assert at_once.status is longer.status is ImproveStatus.OUT_OF_EFFORT
    assert longer.effort > at_once.effort, "it paid at first"
    assert longer.cost < at_once.cost
    assert longer.effort <= most + step
    assert longer.plan == improver.improve(plan, effort_limit=step, max_effort=most).plan, "repeatable"
    done = improver.improve(longer.plan, effort_limit=20 * most).plan
    again = improver.improve(done, effort_limit=step, max_effort=most)
    assert (again.plan, again.status) == (done, ImproveStatus.OUT_OF_EFFORT)
    assert again.effort < most / 4, "where nothing is found it ends"


def test_the_search_of_a_window_ends_at_the_limit_on_effort() -> None:
    task = generate("visitall", rows=8, cols=8, seed=1).ground()
    plan = search(task, "ff", SearchOptions("portfolio")).plan or ()
    limit = 3_000_000
    assert limit <= improve_plan(task, plan, effort_limit=limit).effort < 1.02 * limit


def test_windows_are_searched_without_a_limit_on_effort() -> None:
    task = generate("visitall", rows=8, cols=8, seed=1).ground()
    plan = search(task, "ff", SearchOptions("portfolio")).plan or ()

    def by_window(improved: ImprovedPlan) -> bool:
        return any(better.by == "window" for better in improved.better)

    improved = improve_plan(task, plan, time_limit=10, progress=lambda so_far: not by_window(so_far))
    assert by_window(improved)


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"memory_limit": -1}, {"effort_limit": 0}, {"seed": -1}])
def test_options_out_of_bounds_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=r"must be above 0|must be between 0"):
        improve_plan(make_task(1, [], [0], []), [], **wrong)  # type: ignore[arg-type]


# --- limits ---


@pytest.fixture(scope="module")
def endless(puzzle: Task) -> tuple[Task, tuple[int, ...]]:
    """A plan whose improvement does not end in the time of a test."""
    return puzzle, search(puzzle, "ff").plan or ()


def test_it_stops_when_it_is_told_to(endless: tuple[Task, tuple[int, ...]]) -> None:
    task, plan = endless
    seen: list[ImprovedPlan] = []

    def stop_at_the_third(so_far: ImprovedPlan) -> bool:
        seen.append(so_far)
        return len(seen) < 3

    improved = improve_plan(task, plan, progress=stop_at_the_third)
    assert improved.status is ImproveStatus.CANCELLED
    assert len(seen) == 3
    assert improved.cost <= seen[-1].cost <= seen[0].cost
    assert_better_or_same(improved, task, list(plan))


def test_it_stops_in_time(endless: tuple[Task, tuple[int, ...]]) -> None:
    task, plan = endless
    improved = improve_plan(task, plan, time_limit=0.3)
    assert improved.status is ImproveStatus.OUT_OF_TIME
    assert_better_or_same(improved, task, list(plan))
    assert improved.better


def test_without_memory_the_plan_stays_as_it_is(endless: tuple[Task, tuple[int, ...]]) -> None:
    task, plan = endless
    improved = improve_plan(task, plan, memory_limit=1)
    assert improved.status is ImproveStatus.OUT_OF_MEMORY
    assert_better_or_same(improved, task, list(plan))


def test_with_little_memory_it_goes_on_with_less(endless: tuple[Task, tuple[int, ...]]) -> None:
    task, plan = endless
    room = 16 * 2**20
    improved = improve_plan(task, plan, memory_limit=_core.resident_memory() + room, effort_limit=600_000_000)
    assert improved.status is ImproveStatus.OUT_OF_EFFORT
    assert_better_or_same(improved, task, list(plan))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the memory in use")
def test_better_plans_count_as_memory() -> None:
    # One step deeper into the mine (0 to 800), the way out is two cheaper: 800 better plans, one after the other. From
    # the mine's exit (801) a corridor of 3000 steps leads to the goal.
    script = """
from goalward import _core
from goalward.search.improve import Improver
from oracle import make_task
depth, corridor, room = 800, 3000, 16 * 2**20
places = range(depth + 1 + corridor + 1)
deeper = [([i], [i + 1], [i], 1) for i in range(depth)]
out = [([i], [depth + 1], [i], 2 * (depth - i)) for i in range(depth + 1)]
on = [([i], [i + 1], [i], 1) for i in range(depth + 1, places[-1])]
task = make_task(len(places), [*deeper, *out, *on], [0], [places[-1]], groups=[places])
plan = [depth, *range(2 * depth + 1, task.n_operators)]
improver = Improver(task)
improver.improve(plan, effort_limit=1)  # makes ready what does not count as the improver's
limit = _core.resident_memory() + room
improved = improver.improve(plan, memory_limit=limit, progress=lambda so_far: True)
kept = sum(12 * b.length for b in improved.better)  # 4 bytes of a step are native, 8 in the tuple
print(improved.status.name, len(improved.better), kept / room, _core.peak_memory() / limit)
"""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=here)
    status, plans, kept, share = run.stdout.split()
    assert status == "OUT_OF_MEMORY"
    assert int(plans) > 20
    assert float(kept) < 1.05
    assert float(share) < 1.2, "without the limit it is 2.5"


def test_what_a_progress_function_is_given_stays_as_it_was(endless: tuple[Task, tuple[int, ...]]) -> None:
    task, plan = endless
    kept: list[_core.ImproveResult] = []
    seen: list[tuple[int, float, list[list[int]]]] = []

    def look(result: _core.ImproveResult) -> tuple[int, float, list[list[int]]]:
        return result.effort, result.seconds, [list(b.plan) for b in result.better_since(0)]

    def keep(result: _core.ImproveResult) -> bool:
        assert not any(result is earlier for earlier in kept), "the same object again"
        kept.append(result)
        seen.append(look(result))
        return len(kept) < 6

    guidance = bind_heuristic(task, "ff").guidance(to_bits([task.init], task.n_atoms))
    last = _core.improve(
        guidance, None, task.init, np.array(plan, dtype=np.int32), unit_costs=True, seed=0, time_limit=0.0,
        memory_limit=0, n_concurrent=1, effort_limit=0, max_effort=0, cores=1, network_share=0.0, progress=keep,
    )  # fmt: skip
    assert last is not None
    assert [look(result) for result in kept] == seen
    assert len({effort for effort, _, _ in seen}) > 1
    assert look(last)[2][: len(seen[-1][2])] == seen[-1][2]


def test_an_error_in_the_progress_function_reaches_the_caller(endless: tuple[Task, tuple[int, ...]]) -> None:
    def fail(so_far: ImprovedPlan) -> bool:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        improve_plan(*endless, progress=fail)
