"""Best-first search: optimal where promised, honest about how it ended, and a good citizen of the interpreter."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise
from math import inf, isclose
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalward import _core
from goalward.errors import UsageError
from goalward.search import (
    HEURISTICS,
    BoundHeuristic,
    SearchOptions,
    SearchResult,
    Statistics,
    Status,
    bind_heuristic,
    search,
)
from goalward.search.batches import lookahead
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task
from goalward.task.validate import validate_plan
from helpers import Tiny, make_tiny
from oracle import as_set, cheapest_cost, make_task, reachable_states, strips_tasks

BEST_FIRST = ("gbfs", "astar", "wastar")
Cells = npt.NDArray[np.uint8]
Algorithm = Any

# One key opens one of two doors: without deletes both, in truth never.
TWO_DOORS = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])
# One step of cost 1, or two of cost 0.
DETOUR = make_task(3, [([0], [2], [0], 1), ([0], [1], [0], 0), ([1], [2], [1], 0)], [0], [2])
# The cheaper way is the one with the larger rounded estimate.
CLOSE_AND_DEAR = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 2**26 + 5), ([0], [2], [0], 2**26 + 7)], [0], [2])
# 16,777,219 lies between two floats: rounded up, the cost of one step made two steps look as dear as the single one.
TWO_ARE_CHEAPER = make_task(
    3, [([0], [2], [0], 2 * 16_777_219 + 1), ([0], [1], [0], 16_777_219), ([1], [2], [1], 16_777_219)], [0], [2]
)


GUIDED = ("portfolio", "hybrid")


def misleading(states: Cells) -> npt.NDArray[np.float32]:
    """A heuristic that is sure of nonsense: every other state is a dead end, the rest are near."""
    return np.where(states.sum(axis=1) % 2, inf, -1.0 * states.argmax(axis=1)).astype(np.float32)


def heuristic_for(algorithm: Algorithm) -> Any:
    return {"portfolio": "ff", "hybrid": misleading}.get(algorithm, "blind")


def run(task: Task, algorithm: Algorithm, name: str | None = None, **options: Any) -> SearchResult:
    return search(task, name or heuristic_for(algorithm), SearchOptions(algorithm, **options))


def run_plan(task: Task, plan: tuple[int, ...], start: Ints | None = None) -> frozenset[int]:
    """The state that a plan leads to; every step must be applicable."""
    state = as_set(task.init if start is None else start)
    for operator in plan:
        assert as_set(task.pre[operator]) <= state
        state = (state - as_set(task.delete[operator])) | as_set(task.add[operator])
    return state


def assert_solves(result: SearchResult, task: Task, start: Ints | None = None) -> None:
    assert result.status is Status.SOLVED
    assert result.solved
    assert result.plan is not None
    assert as_set(task.goal) <= run_plan(task, result.plan, start)


def without_time(statistics: Statistics) -> Statistics:
    return replace(statistics, seconds=0)


# --- plans ---


@given(task=strips_tasks(max_cost=10_000), unit_costs=st.booleans(), name=st.sampled_from(["hmax", "blind"]))
@pytest.mark.parametrize("batch", [1, 7])
def test_a_star_is_optimal_with_admissible_heuristics(batch: int, task: Task, unit_costs: bool, name: str) -> None:
    result = search(task, name, SearchOptions("astar", batch=batch, unit_costs=unit_costs))
    optimum = cheapest_cost(task, unit_costs=unit_costs)
    if optimum == inf:
        assert (result.status, result.plan) == (Status.UNSOLVABLE, None)
    else:
        assert_solves(result, task)
        assert (result.length if unit_costs else result.cost) == optimum


@pytest.mark.parametrize("name", ["hmax", "blind"])
@given(task=strips_tasks(max_operators=5, max_cost=2**31 - 1))
@example(CLOSE_AND_DEAR)
@example(TWO_ARE_CHEAPER)
def test_a_star_is_optimal_however_dear_the_operators(name: str, task: Task) -> None:
    result = search(task, name, SearchOptions("astar"))
    optimum = cheapest_cost(task, unit_costs=False)
    assert (result.cost if result.solved else inf) == optimum


@given(task=strips_tasks(max_cost=1000), weight=st.sampled_from([0.0, 1.0, 1.5, 5.0]), batch=st.sampled_from([1, 3]))
def test_weighted_a_star_is_within_its_weight_of_the_optimum(task: Task, weight: float, batch: int) -> None:
    result = search(task, "hmax", SearchOptions("wastar", weight=weight, batch=batch))
    optimum = cheapest_cost(task, unit_costs=False)
    assert result.solved == (optimum < inf)
    if result.solved:
        assert_solves(result, task)
        assert result.cost <= max(weight, 1) * optimum


@given(task=strips_tasks(), name=st.sampled_from(list(HEURISTICS)), batch=st.sampled_from([1, 2, 50]))
def test_greedy_search_finds_a_plan_wherever_there_is_one(task: Task, name: str, batch: int) -> None:
    result = search(task, name, SearchOptions(batch=batch))
    if cheapest_cost(task, unit_costs=True) < inf:
        assert_solves(result, task)
    else:
        assert result.status is Status.UNSOLVABLE


@pytest.mark.parametrize("algorithm", BEST_FIRST)
@pytest.mark.parametrize("name", HEURISTICS)
@pytest.mark.filterwarnings("ignore:We cannot establish:UserWarning", "ignore:The Grounder used:UserWarning")
def test_plans_hold_by_the_checkers_of_goalward_and_of_unified_planning(
    tiny: Tiny, algorithm: str, name: str, up_validator: Callable[[Tiny, list[str]], str]
) -> None:
    for batch in (1, 5):
        result = search(tiny.task, name, SearchOptions(algorithm, batch=batch))  # type: ignore[arg-type]
        assert_solves(result, tiny.task)
        verdict = validate_plan(tiny.domain, tiny.problem, [tuple(step[1:-1].split()) for step in result.steps])
        assert (verdict.valid, verdict.length, verdict.cost) == (True, result.length, result.cost)
        assert up_validator(tiny, result.steps) == "VALID"


@pytest.fixture(scope="module")
def up_validator() -> Callable[[Tiny, list[str]], str]:
    """What unified-planning says of a plan."""
    shortcuts = pytest.importorskip("unified_planning.shortcuts", reason="unified-planning is not installed")
    io = pytest.importorskip("unified_planning.io")
    validation = pytest.importorskip("unified_planning.engines.plan_validator")
    plans = pytest.importorskip("unified_planning.plans")
    shortcuts.get_environment().credits_stream = None
    problems: dict[str, object] = {}
    verdicts: dict[tuple[str, ...], str] = {}

    def validate(tiny: Tiny, steps: list[str]) -> str:
        name, key = tiny.instance.problem_name, (tiny.instance.problem_name, *steps)
        if name not in problems:
            problems[name] = io.PDDLReader().parse_problem_string(tiny.instance.domain_text, tiny.instance.problem_text)
        if key not in verdicts:
            problem = problems[name]
            actions = [
                plans.ActionInstance(
                    problem.action(words[0]),  # type: ignore[attr-defined]
                    [shortcuts.ObjectExp(problem.object(word)) for word in words[1:]],  # type: ignore[attr-defined]
                )
                for words in (step[1:-1].split() for step in steps)
            ]
            validator = validation.SequentialPlanValidator()
            validator.skip_checks = True  # it doubts problems whose table of costs has gaps, without need
            result = validator.validate(problem, plans.SequentialPlan(actions))
            verdicts[key] = result.status.name
        return verdicts[key]

    return validate


def test_search_starts_where_it_is_told_to(tiny: Tiny) -> None:
    heuristic = bind_heuristic(tiny.task, "hmax")
    for start in random_walk_states(tiny.task, 5, 15, seed=6):
        result = search(tiny.task, heuristic, init=start)
        if result.solved:
            assert_solves(result, tiny.task, start)
        else:
            assert result.status is Status.UNSOLVABLE
            assert not any(as_set(tiny.task.goal) <= s for s in reachable_states(tiny.task, as_set(start)))


def test_the_cost_of_a_plan_is_that_of_its_steps() -> None:
    task = make_tiny("courier").task
    cheap = search(task, "hmax", SearchOptions("astar"))
    short = search(task, "hmax", SearchOptions("astar", unit_costs=True))
    assert cheap.cost == sum(int(task.costs[operator]) for operator in cheap.plan or ())
    assert cheap.cost <= short.cost
    assert cheap.length >= short.length
    assert len(cheap.steps) == cheap.length


@pytest.mark.parametrize("algorithm", [*BEST_FIRST, *GUIDED])
def test_a_goal_that_holds_needs_no_steps(algorithm: Algorithm) -> None:
    for goal in ([0], []):
        result = run(make_task(2, [([0], [1], [], 1)], [0], goal), algorithm)
        assert (result.status, result.plan, result.steps, result.cost) == (Status.SOLVED, (), [], 0)
        assert result.statistics.expanded == 0


# --- how it ends ---


@pytest.mark.parametrize(
    ("algorithm", "name"), [*((a, name) for a in BEST_FIRST for name in HEURISTICS), *((a, None) for a in GUIDED)]
)
def test_an_unsolvable_task_that_its_relaxation_solves_is_proven_unsolvable(
    algorithm: Algorithm, name: str | None
) -> None:
    result = run(TWO_DOORS, algorithm, name)
    assert (result.status, result.plan, result.length, result.cost) == (Status.UNSOLVABLE, None, None, None)
    assert result.statistics.led_by == ""


def test_all_reachable_states_are_stored_before_a_task_is_called_unsolvable(tiny: Tiny) -> None:
    task = tiny.task
    never = make_task(
        task.n_atoms + 1,
        [
            *((task.pre[o], task.add[o], task.delete[o], int(task.costs[o])) for o in range(task.n_operators)),
            ([*range(task.n_atoms)], [task.n_atoms], [], 1),
        ],
        task.init,
        [task.n_atoms],
    )
    expected = len(reachable_states(task))
    result = search(never, lambda states: np.ones(len(states)))
    assert result.status is Status.EXHAUSTED
    assert result.statistics.stored == result.statistics.expanded == result.statistics.evaluated == expected


def test_a_python_heuristic_that_prunes_proves_nothing(tiny: Tiny) -> None:
    result = search(tiny.task, lambda states: np.full(len(states), inf))
    assert (result.status, result.plan) == (Status.EXHAUSTED, None)
    assert result.statistics.dead_ends == result.statistics.evaluated == 1


@pytest.mark.parametrize("algorithm", ["gbfs", *GUIDED])
def test_limits_on_time_and_expansions(endless: Task, algorithm: Algorithm) -> None:
    result = run(endless, algorithm, time_limit=0.2)
    assert (result.status, result.plan) == (Status.OUT_OF_TIME, None)
    assert result.statistics.expanded > 0
    result = run(endless, algorithm, expansion_limit=7)
    assert (result.status, result.statistics.expanded) == (Status.OUT_OF_EXPANSIONS, 7)


def test_time_runs_out_inside_a_python_heuristic_too(endless: Task) -> None:
    def slow(states: Cells) -> Cells:
        time.sleep(0.01)
        return states.sum(axis=1)

    assert search(endless, slow, SearchOptions(time_limit=0.1)).status is Status.OUT_OF_TIME


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the memory in use")
@pytest.mark.parametrize("algorithm", ["gbfs", "astar"])
def test_memory_runs_out_near_its_limit(algorithm: str) -> None:
    script = f"""
import re
from pathlib import Path
from typing import Any
from goalward import _core
from goalward.search import SearchOptions, search
from goalward.task.domains import generate
task = generate("tiles", rows=4, cols=4, seed=0).ground()
limit = _core.resident_memory() + 25 * 2**20
result = search(task, "blind", SearchOptions("{algorithm}", memory_limit=limit))
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(result.status.value, peak / limit, result.statistics.bytes / (25 * 2**20), sep=", ")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    status, share, held = run.stdout.split(", ")
    assert status == "out of memory"
    assert float(share) < 1.05
    assert 0.8 < float(held) < 1.05


def test_a_memory_limit_below_what_is_in_use_ends_the_search_at_once(endless: Task) -> None:
    result = search(endless, "blind", SearchOptions(memory_limit=_core.resident_memory() // 2))
    assert result.status is Status.OUT_OF_MEMORY
    assert result.statistics.expanded <= 1


def test_peak_memory_is_that_of_the_process_and_not_of_its_parent() -> None:
    child = "from goalward import _core; print(_core.peak_memory(), _core.resident_memory())"
    parent = (
        "import subprocess, sys; block = bytearray(b'x') * (300 * 2**20); "
        f"print(subprocess.run([sys.executable, '-c', {child!r}], capture_output=True, text=True, check=True).stdout)"
    )
    run = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, check=True)
    peak, resident = map(int, run.stdout.split())
    assert 0 < resident <= peak < 300 * 2**20


@pytest.mark.parametrize("algorithm", ["gbfs", *GUIDED])
def test_progress_sees_counts_and_can_cancel(endless: Task, algorithm: Algorithm) -> None:
    seen: list[Statistics] = []

    def stop_at_third(statistics: Statistics) -> bool:
        seen.append(statistics)
        return len(seen) < 3

    result = search(endless, heuristic_for(algorithm), SearchOptions(algorithm), progress=stop_at_third)
    assert (result.status, result.plan) == (Status.CANCELLED, None)
    assert len(seen) == 3
    assert 0 < seen[1].expanded <= seen[2].expanded
    assert bool(seen[2].evaluations_by_heuristic) == (algorithm in GUIDED)


def test_progress_sees_statistics_that_only_grow(endless: Task) -> None:
    seen: list[Statistics] = []
    result = search(endless, "goalcount", SearchOptions("astar", time_limit=0.6), progress=seen.append)
    assert result.status is Status.OUT_OF_TIME
    assert len(seen) > 2
    for before, after in pairwise([*seen, result.statistics]):
        for name in ("expanded", "evaluated", "generated", "reopened", "dead_ends", "stored", "bytes", "seconds"):
            assert getattr(before, name) <= getattr(after, name), name
        assert after.best_h <= before.best_h
        assert after.initial_h == before.initial_h
    last = result.statistics
    assert last.expanded <= last.stored <= last.generated + 1
    assert last.evaluated <= last.stored
    assert last.open <= last.stored


@pytest.mark.parametrize("batches", [[], [0], [1, -1]])
def test_the_core_refuses_batches_that_are_none(batches: list[int]) -> None:
    evaluator = bind_heuristic(TWO_DOORS, "blind").evaluator(to_bits([TWO_DOORS.init], TWO_DOORS.n_atoms))
    with pytest.raises(ValueError, match="at least one batch size, and each must be at least 1"):
        _core.search(evaluator, TWO_DOORS.init, _core.SearchOptions(batches=batches))


# --- heuristics from Python ---


def count_goals(task: Task) -> Callable[[Cells], npt.NDArray[np.float64]]:
    return lambda states: (1.0 - states[:, task.goal]).sum(axis=1)


@pytest.mark.parametrize("algorithm", BEST_FIRST)
@pytest.mark.parametrize("batch", [1, 6])
def test_a_python_heuristic_searches_like_the_same_native_one(tiny: Tiny, algorithm: str, batch: int) -> None:
    task, options = tiny.task, SearchOptions(algorithm, batch=batch, unit_costs=True)  # type: ignore[arg-type]
    # A Python function sees the whole problem, so the native heuristic gets it too.
    native = BoundHeuristic(task, "goalcount", lambda p: _core.native_heuristic(p, "goalcount", True), whole=True)
    theirs, ours = search(task, native, options), search(task, count_goals(task), options)
    assert ours.plan == theirs.plan
    # The open list is another one: queues where a heuristic is known to have few values, a heap elsewhere.
    assert replace(ours.statistics, seconds=0, bytes=0) == replace(theirs.statistics, seconds=0, bytes=0)


def test_values_may_be_fractions_and_negative(tiny: Tiny) -> None:
    count = count_goals(tiny.task)
    plain = search(tiny.task, count)
    shifted = search(tiny.task, lambda states: count(states) / 1024 - 3)
    assert shifted.plan == plain.plan
    assert shifted.statistics.expanded == plain.statistics.expanded
    assert isclose(shifted.statistics.initial_h, plain.statistics.initial_h / 1024 - 3)


def test_a_small_difference_is_a_difference() -> None:
    # From atom 0 to atoms 1, 2 and 3; rounding would take the first, the third is the best by a little.
    task = make_task(5, [*(([0], [i], [0], 1) for i in (1, 2, 3)), ([3], [4], [3], 1), ([1], [4], [1], 1)], [0], [4])
    value = np.array([9, 1.2, 1.3, 1.1, 0])
    result = search(task, lambda states: states @ value)
    assert result.steps == ["(o2)", "(o3)"]
    assert result.statistics.expanded == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n: np.zeros((n, 1)), "got 1 states and returned an array of shape (1, 1)"),
        (lambda n: np.zeros(n + 1), "got 1 states and returned an array of shape (2,)"),
        (lambda n: 0.0, "got 1 states and returned an array of shape ()"),
        (lambda n: ["near"] * n, "returned list"),
        (lambda n: np.full(n, np.nan), "returned NaN for 1 of 1 states"),
    ],
    ids=["two dimensions", "too many", "a number", "no numbers", "NaN"],
)
def test_values_that_search_cannot_order_are_an_error_that_names_the_function(
    answer: Callable[[int], npt.ArrayLike], words: str
) -> None:
    def near(states: Cells) -> npt.ArrayLike:
        return answer(len(states))

    with pytest.raises(UsageError, match=re.escape(f"the heuristic function near {words}; ")):
        search(make_tiny("blocks").task, near)


def test_nan_far_from_the_initial_state_ends_the_search_too() -> None:
    tiny = make_tiny("blocks")
    seen = 0

    def near(states: Cells) -> npt.NDArray[np.float64]:
        nonlocal seen
        seen += len(states)
        return np.where(np.arange(len(states)) + seen > 10, np.nan, states.sum(axis=1))

    with pytest.raises(UsageError, match="near returned NaN"):
        search(tiny.task, near)
    assert seen > 10


# --- the interpreter ---


def test_other_threads_run_during_a_search(endless: Task) -> None:
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    search(endless, "blind", SearchOptions(time_limit=0.5))
    during = ticks - before
    done.set()
    thread.join()
    assert during > 5


@pytest.mark.parametrize("heuristic", ['"blind"', "lambda states: states.sum(axis=1)"])
def test_ctrl_c_raises_keyboard_interrupt(heuristic: str) -> None:
    script = f"""
from goalward.search import SearchOptions, search
from goalward.task.domains import generate
task = generate("tiles", rows=4, cols=4, seed=0).ground()
print("ready", flush=True)
try:
    print(search(task, {heuristic}, SearchOptions(time_limit=60, memory_limit=4 * 2**30)).status, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        process.wait()


# --- the same again ---


@pytest.mark.parametrize("algorithm", [*BEST_FIRST, *GUIDED])
def test_the_same_search_again_is_the_same(tiny: Tiny, algorithm: Algorithm) -> None:
    for batch in (1, 8) if algorithm in BEST_FIRST else (1,):
        first, second = (run(tiny.task, algorithm, algorithm in BEST_FIRST and "ff", batch=batch) for _ in range(2))
        assert first.plan == second.plan
        assert without_time(first.statistics) == without_time(second.statistics)


def test_a_bound_heuristic_carries_nothing_from_one_search_to_the_next(tiny: Tiny) -> None:
    heuristic = bind_heuristic(tiny.task, "ff")
    fresh = search(tiny.task, "ff")
    for start in random_walk_states(tiny.task, 3, 10, seed=0):
        search(tiny.task, heuristic, init=start)
    again = search(tiny.task, heuristic)
    assert again.plan == fresh.plan
    assert without_time(again.statistics) == without_time(fresh.statistics)


def test_greedy_search_expands_first_in_first_out_among_equals() -> None:
    # Two chains of equal h; the goal is at the end of the second, so breadth-first order expands all of both first.
    ways = [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)]
    task = make_task(7, [([i], [j], [], 1) for i, j in ways], [0], [6])
    order: list[frozenset[int]] = []

    def constant(states: Cells) -> npt.NDArray[np.float64]:
        order.extend(frozenset(np.flatnonzero(row).tolist()) for row in states)
        return np.ones(len(states))

    search(task, constant)
    assert [len(state) for state in order] == sorted(len(state) for state in order)


# --- wrong use ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "bfs"}, "unknown search 'bfs'"),
        ({"batch": 0}, "batch must be between 1 and 1000000, .*, but is 0"),
        ({"batch": 1_000_001}, "batch must be between 1 and 1000000, .*, but is 1000001"),
        ({"weight": -1.0}, "weight must be .* at least 0, but is -1"),
        ({"weight": inf}, "weight must be .* at least 0, but is inf"),
        ({"weight": float("nan")}, "weight must be .* at least 0, but is nan"),
        ({"time_limit": 0.0}, "time_limit must be above 0"),
        ({"time_limit": float("nan")}, "time_limit must be above 0"),
        ({"memory_limit": 0}, "memory_limit must be above 0"),
        ({"memory_limit": 2**63}, "memory_limit must be above 0"),
        ({"n_concurrent": 0}, "n_concurrent must be at least 1, but is 0"),
        ({"algorithm": "astar", "batch": (1, 8)}, "the search astar takes only one batch size"),
    ],
)
def test_options_out_of_bounds(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SearchOptions(**options)  # type: ignore[arg-type]


def test_a_heuristic_of_another_task_is_refused() -> None:
    with pytest.raises(UsageError, match="another task"):
        search(make_tiny("blocks").task, bind_heuristic(make_tiny("tiles").task, "ff"))


@pytest.mark.parametrize("name", ["hmax", "blind", "add", "ff"])
def test_a_heuristic_known_by_name_counts_what_the_search_counts(name: str) -> None:
    cheap = search(DETOUR, name, SearchOptions("astar"))
    short = search(DETOUR, name, SearchOptions("astar", unit_costs=True))
    assert (cheap.cost, cheap.length, short.cost, short.length) == (0, 2, 1, 1)


@pytest.mark.parametrize("algorithm", ["astar", "wastar"])
@pytest.mark.parametrize(
    ("unit_costs", "message"),
    [
        (
            True,
            "counts steps, but the search {} counts the costs in the PDDL: bind the heuristic with unit_costs=False",
        ),
        (
            False,
            "counts the costs in the PDDL, but the search {} counts steps: bind the heuristic with unit_costs=True",
        ),
    ],
)
def test_a_bound_heuristic_that_counts_something_else_than_the_search_is_refused(
    algorithm: str, unit_costs: bool, message: str
) -> None:
    heuristic = bind_heuristic(DETOUR, "hmax", unit_costs=unit_costs)
    assert heuristic.unit_costs is unit_costs
    same, other = (SearchOptions(algorithm, unit_costs=costs) for costs in (unit_costs, not unit_costs))  # type: ignore[arg-type]
    assert search(DETOUR, heuristic, same).solved
    assert search(DETOUR, heuristic).solved, "greedy search goes by the heuristic alone"
    with pytest.raises(UsageError) as refused:
        search(DETOUR, heuristic, other)
    assert str(refused.value) == "the heuristic hmax " + message.format(algorithm)


def test_what_a_heuristic_counts_is_the_same_where_every_action_costs_one() -> None:
    task = make_tiny("blocks").task
    assert search(task, bind_heuristic(task, "hmax"), SearchOptions("astar")).solved


def test_what_a_function_counts_is_unknown() -> None:
    heuristic = bind_heuristic(DETOUR, count_goals(DETOUR))
    assert heuristic.unit_costs is None
    assert all(search(DETOUR, heuristic, SearchOptions("astar", unit_costs=costs)).solved for costs in (True, False))


def test_a_lookahead_of_several_steps_refuses_a_heuristic_that_counts_costs() -> None:
    states = to_bits([DETOUR.init], DETOUR.n_atoms)
    lookahead(bind_heuristic(DETOUR, "ff"), states, 2)
    lookahead(bind_heuristic(DETOUR, "ff", unit_costs=False), states, 1)
    with pytest.raises(UsageError, match=r"counts the costs in the PDDL, but .* counts steps"):
        lookahead(bind_heuristic(DETOUR, "ff", unit_costs=False), states, 2)


def test_statistics_have_names_for_everything_the_core_counts() -> None:
    statistics = search(make_tiny("blocks").task, "ff").statistics
    named = asdict(statistics)
    for several in ("evaluations_by_heuristic", "expansions_by_queue", "effort_by_part", "evicted"):
        assert named.pop(several) == []
    assert named.pop("led_by") == ""
    assert all(value >= 0 for value in named.values())
    assert statistics.initial_h == bind_heuristic(make_tiny("blocks").task, "ff").value(make_tiny("blocks").task.init)


# --- beam search ---


@pytest.mark.parametrize("domain", ["blocks", "tiles", "gripper"])
def test_a_beam_that_holds_every_layer_finds_a_shortest_plan(domain: str) -> None:
    task = make_tiny(domain).task
    beam = search(task, "goalcount", SearchOptions("beam", batch=100_000))
    assert beam.length == search(task, "blind", SearchOptions("astar", unit_costs=True)).length


def test_a_narrow_beam_forgets_states_and_proves_nothing() -> None:
    # The heuristic prefers the first of two branches, which is a dead end.
    steps = [({0}, {1}, {0}, 1), ({0}, {2}, {0}, 1), ({2}, {3}, {2}, 1)]
    task = make_task(4, steps, init={0}, goal={3})

    def prefers_the_dead_end(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        return (2 - states[:, 1]).astype(np.float32)

    narrow = search(task, prefers_the_dead_end, SearchOptions("beam", batch=1))
    assert narrow.status is Status.EXHAUSTED
    assert search(task, prefers_the_dead_end, SearchOptions("beam", batch=2)).length == 2
