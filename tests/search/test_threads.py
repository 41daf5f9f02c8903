"""Searches side by side: heuristics may be used by any number of threads, and one state may be searched by several."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from goalward import _core
from goalward.errors import UsageError
from goalward.search import BoundHeuristic, SearchOptions, SearchResult, Statistics, Status, bind_heuristic, search
from goalward.search.anytime import anytime_plans
from goalward.search.batches import lookahead, search_many
from goalward.search.improve import ImprovedPlan, Improver, ImproveStatus, improve_plan
from goalward.search.landmarks import find_landmarks, landmark_finder
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.search.planning import plan
from goalward.search.portfolio import portfolio_parts
from goalward.search.solving import Outcome
from goalward.task.domains import generate
from goalward.task.states import to_bits
from goalward.task.strips import Task
from helpers import whole_number_network
from oracle import make_task

THREADS = 4


def bundled(domain: str, **options: int) -> Task:
    return generate(domain, seed=5, **options).ground()


@pytest.fixture(scope="module")
def task() -> Task:
    return bundled("delivery", size=5)


@pytest.fixture(scope="module")
def tiles() -> Task:
    return bundled("tiles", size=4)


def side_by_side(work: Callable[[], Any], n: int) -> list[Any]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda _: work(), range(n)))


def odd_function(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    return (states.argmin(axis=1) % 7).astype(np.float32)


HEURISTICS: dict[str, Callable[[Task], BoundHeuristic]] = {
    **{
        name: lambda task, name=name: bind_heuristic(task, name) for name in ("ff", "add", "hmax", "goalcount", "blind")
    },
    "python": lambda task: bind_heuristic(task, odd_function),
    "network": lambda task: bind_network(task, whole_number_network(task)),
}


# --- one heuristic, many threads ---


@pytest.mark.parametrize("name", HEURISTICS)
def test_any_number_of_threads_may_ask_one_heuristic(task: Task, name: str) -> None:
    bound = HEURISTICS[name](task)
    expected = bound.value(task.init)
    assert side_by_side(lambda: bound.value(task.init), 2000) == [expected] * 2000


@pytest.mark.parametrize("algorithm", ["portfolio", "hybrid", "gbfs"])
def test_searches_with_one_bound_heuristic_do_not_disturb_each_other(task: Task, algorithm: str) -> None:
    bound = HEURISTICS["ff" if algorithm == "portfolio" else "network"](task)
    options = SearchOptions(algorithm, expansion_limit=300)  # type: ignore[arg-type]
    alone = search(task, bound, options)
    for result in side_by_side(lambda: search(task, bound, options), 12):
        assert result.plan == alone.plan
        assert without_time(result.statistics) == without_time(alone.statistics)


def test_landmarks_helpful_actions_and_batches_from_many_threads(task: Task) -> None:
    ff, finder = bind_heuristic(task, "ff"), landmark_finder(task, task.init)
    states = to_bits([task.init] * 8, task.n_atoms)
    works: list[Callable[[], Any]] = [
        lambda: find_landmarks(task).orders("reasonable"),
        lambda: [array.tolist() for array in finder.find(task.init) or ()],
        lambda: ff.helpful_actions(states),
        lambda: list(lookahead(ff, states, 2)),
        lambda: list(search_many(ff, states, expansion_limit=50).expanded),
    ]
    for work in works:
        expected = work()
        assert side_by_side(work, 16) == [expected] * 16


def test_plans_are_improved_side_by_side(tiles: Task) -> None:
    found = search(tiles, "ff", SearchOptions("portfolio"))
    assert found.plan is not None
    plan = found.plan
    improved = side_by_side(lambda: improve_plan(tiles, plan, effort_limit=30_000_000).plan, 4)
    assert len(set(improved)) == 1
    assert len(improved[0]) < len(plan)


# --- callbacks ---


def test_a_callback_may_search_with_the_heuristic_that_is_searching() -> None:
    """Landmark discovery calls back too: what it has found so far must survive."""
    task = many_switches(300)
    bound = bind_heuristic(task, "ff")
    alone = search(task, bound, SearchOptions("portfolio"))
    inner: list[SearchResult] = []

    def progress(so_far: Statistics) -> None:
        if not inner:
            inner.append(search(task, bound, SearchOptions("portfolio")))

    outer = search(task, bound, SearchOptions("portfolio"), progress=progress)
    assert inner, "nobody called back"
    assert outer.plan == inner[0].plan == alone.plan
    assert without_time(outer.statistics) == without_time(inner[0].statistics) == without_time(alone.statistics)


def many_switches(n: int) -> Task:
    """Light after light, with as many landmarks as atoms: finding them takes a while."""
    return make_task(2 * n, [([i], [n + i], [i], 1) for i in range(n)], list(range(n)), list(range(n, 2 * n)))


def test_a_search_from_within_an_improvement_finds_a_plan(tiles: Task) -> None:
    """The improver aims h_FF at parts of the plan; others who search at that time need it aimed at the goal."""
    bound = bind_heuristic(tiles, "ff")
    found = search(tiles, bound, SearchOptions("portfolio"))
    assert found.plan is not None
    short = SearchOptions("portfolio", expansion_limit=20)
    alone = without_time(search(tiles, bound, short).statistics)
    inner: list[Statistics] = []

    def progress(_: object) -> bool:
        inner.append(without_time(search(tiles, bound, short).statistics))
        return len(inner) < 40

    Improver(tiles, heuristic=bound).improve(found.plan, progress=progress)
    assert len(inner) == 40
    assert all(statistics == alone for statistics in inner)


def test_a_search_from_within_on_plan_finds_a_plan(tiles: Task) -> None:
    bound = bind_heuristic(tiles, "ff")
    inner: list[SearchResult] = []

    def on_plan(_: Outcome) -> None:
        inner.append(search(tiles, bound, SearchOptions("portfolio")))

    outcome = plan(tiles, bound, improve=1.0, on_plan=on_plan)
    assert len(inner) > 1, "the plan was never improved"
    assert {result.plan for result in inner} == {outcome.found.plan}


# --- several cores for one state ---


def without_time(statistics: Statistics) -> Statistics:
    return replace(statistics, seconds=0)


@pytest.mark.parametrize("algorithm", ["portfolio", "hybrid"])
@pytest.mark.parametrize("domain", ["tiles", "blocks"])
def test_the_same_number_of_cores_gives_the_same_plan(algorithm: str, domain: str) -> None:
    task = bundled(domain, size=4 if domain == "tiles" else 14)
    bound = HEURISTICS["ff" if algorithm == "portfolio" else "network"](task)
    plans = {
        cores: [search(task, bound, SearchOptions(algorithm, cores=cores)).plan for _ in range(3)]  # type: ignore[arg-type]
        for cores in (1, 2, 3)
    }
    assert all(len(set(found)) == 1 and found[0] for found in plans.values())
    assert plans[2] == plans[3], "the plan found with the least effort wins, whatever the number of threads"


def test_greedy_searches_of_several_widths_run_on_cores() -> None:
    small = bundled("blocks", size=5)
    bound = HEURISTICS["network"](small)
    found = [search(small, bound, SearchOptions("gbfs", batch=(1, 8, 64), cores=cores)).plan for cores in (2, 2, 3)]
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_all_parts_are_advanced_as_far_as_the_one_that_decides(tiles: Task) -> None:
    """The same effort as on one core, whichever thread was faster: due times of parts differ by one turn at most."""
    parts = {part.name: part for part in portfolio_parts()}
    found = search(tiles, "ff", SearchOptions("portfolio", cores=2))
    due = {name: parts[name].delay + effort / parts[name].share for name, effort in found.statistics.effort_by_part}
    winner = found.statistics.led_by.split(":")[0]
    behind = [name for name, part in parts.items() if due.get(name, part.delay) < due[winner]]
    assert behind == []


@pytest.mark.parametrize("cores", [2, 3])
def test_an_improver_on_cores_gives_the_same_plans_again(tiles: Task, cores: int) -> None:
    found = search(tiles, "ff", SearchOptions("portfolio"))
    assert found.plan is not None
    first, second = (improve_plan(tiles, found.plan, effort_limit=60_000_000, cores=cores, seed=3) for _ in range(2))
    assert len(first.plan) < len(found.plan)
    assert [(b.plan, b.by) for b in first.better] == [(b.plan, b.by) for b in second.better]
    assert first.effort == second.effort


def test_an_improver_on_cores_proves_the_same_cost_optimal(task: Task) -> None:
    small = bundled("delivery", size=1)
    found = search(small, "ff", SearchOptions("portfolio"))
    assert found.plan is not None
    on_one, on_two = (improve_plan(small, found.plan, time_limit=60, cores=cores) for cores in (1, 2))
    assert on_one.status is on_two.status is ImproveStatus.OPTIMAL
    assert on_one.cost == on_two.cost


def test_an_improver_on_cores_keeps_its_limits_and_may_be_cancelled(tiles: Task) -> None:
    found = search(tiles, "ff", SearchOptions("portfolio"))
    assert found.plan is not None
    threads: set[int] = set()

    def progress(_: object) -> bool:
        threads.add(threading.get_ident())
        return False

    limited = improve_plan(tiles, found.plan, effort_limit=20_000_000, cores=2)
    assert limited.status in (ImproveStatus.OUT_OF_EFFORT, ImproveStatus.OPTIMAL)
    assert limited.effort < 40_000_000
    cancelled = improve_plan(tiles, found.plan, cores=2, progress=progress)
    assert cancelled.status is ImproveStatus.CANCELLED
    assert threads == {threading.get_ident()}


def test_an_improver_on_cores_ends_at_its_effort_limit(task: Task) -> None:
    """Windows of a plan are searched to their end, but not beyond the limit: it was 1.4 times as much."""
    found = search(task, "ff", SearchOptions("portfolio"))
    assert found.plan is not None
    limited = improve_plan(task, found.plan, effort_limit=3_000_000, cores=2)
    assert limited.status is ImproveStatus.OUT_OF_EFFORT
    assert limited.effort < 3_150_000


def test_solving_uses_the_cores_for_improvement_too(tiles: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    improve = Improver.improve

    def spy(self: Improver, *arguments: Any, cores: int = 1, **others: Any) -> ImprovedPlan:
        asked.append(cores)
        return improve(self, *arguments, cores=cores, **others)

    monkeypatch.setattr(Improver, "improve", spy)
    assert plan(tiles, cores=2, improve=0.1).solved
    better = anytime_plans(tiles, cores=3)
    assert next(better).cost > next(better).cost, "the second is an improvement"
    better.close()
    plan(tiles, options=SearchOptions("portfolio", cores=2), improve=0.1)
    plan(tiles, improve=0.1)
    assert asked == [2, 3, 2, 1]


def test_a_model_solves_on_cores(task: Task) -> None:
    model = Model(task, whole_number_network(task), {})
    one, two = (model.solve(task.init.tolist(), cores=cores, time_limit=60, improve=None) for cores in (2, 2))
    assert one.plan is not None
    assert one.plan == two.plan


@pytest.mark.parametrize("cores", [0, 1025])
def test_a_number_of_cores_out_of_bounds_is_refused(task: Task, cores: int) -> None:
    message = rf"cores must be between 1 and 1024, but is {cores}"
    with pytest.raises(UsageError, match=message):
        plan(task, cores=cores)
    with pytest.raises(UsageError, match=message):
        improve_plan(task, [], cores=cores)


def test_cores_prove_that_there_is_no_plan() -> None:
    doors = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])
    assert search(doors, "ff", SearchOptions("portfolio", cores=2)).status is Status.UNSOLVABLE


def test_cores_keep_to_the_time_limit(endless: Task) -> None:
    found = search(endless, "ff", SearchOptions("portfolio", cores=2, time_limit=0.5))
    assert found.status is Status.OUT_OF_TIME


def test_progress_is_told_by_the_thread_that_called_and_may_cancel_or_raise(endless: Task) -> None:
    seen: list[tuple[int, int]] = []

    def progress(so_far: Statistics) -> bool:
        seen.append((threading.get_ident(), so_far.expanded))
        return len({expanded for _, expanded in seen}) < 3

    options = SearchOptions("portfolio", cores=2)
    assert search(endless, "ff", options, progress=progress).status is Status.CANCELLED
    assert {thread for thread, _ in seen} == {threading.get_ident()}
    assert seen[-1][1] > seen[0][1]

    def failing(so_far: Statistics) -> None:
        if so_far.expanded:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(endless, "ff", options, progress=failing)


def test_what_a_heuristic_raises_on_a_thread_reaches_the_caller(endless: Task) -> None:
    calls = 0

    def failing(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise ZeroDivisionError
        return np.zeros(len(states), dtype=np.float32)

    with pytest.raises(ZeroDivisionError):
        search(endless, failing, SearchOptions("hybrid", cores=3, time_limit=20))


@pytest.mark.parametrize("cores", [1, 2])
def test_the_part_that_holds_most_is_evicted_when_memory_runs_out(endless: Task, cores: int) -> None:
    bound = bind_heuristic(endless, "ff")
    search(endless, bound, SearchOptions("portfolio", expansion_limit=10))
    limit = _core.resident_memory() + 8 * 2**20
    found = search(endless, bound, SearchOptions("portfolio", memory_limit=limit, cores=cores))
    assert found.status is Status.OUT_OF_MEMORY
    assert len(found.statistics.evicted) == 2, "the last part goes on until the memory is not enough for it alone"
    assert found.statistics.stored > 0
