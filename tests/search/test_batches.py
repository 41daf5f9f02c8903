"""Many searches and lookaheads in one call: each as if it were alone, whatever the batch they come in."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import cache
from math import inf

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.search import BoundHeuristic, SearchOptions, Status, bind_heuristic, search
from goalward.search.batches import ManyResults, lookahead, search_many
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.states import BitRows, from_bits, random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import State, as_set, bellman, make_task, strips_tasks, successors

# One key opens one of two doors: the goal, both open, cannot be reached.
TWO_DOORS = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])


def random_network(task: Task, seed: int, offset: float = 0.0, width: int = 9) -> NetworkWeights:
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> npt.NDArray[np.float32]:
        return random.normal(0, 1, shape).astype(np.float32)

    hidden, last = Layer(draw(width, width), draw(width), 0), Layer(draw(1, width), draw(1) + np.float32(offset))
    return NetworkWeights(draw(task.n_atoms, width), draw(width), (hidden, last))


def odd_function(cells: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Any number per state, negative ones and infinity among them."""
    weights = np.arange(1, cells.shape[1] + 1) ** 3 % 97
    values = (cells @ weights % 101 - 4).astype(np.float32)
    values[values % 7 == 3] = inf
    return values


def bind(task: Task, name: str) -> BoundHeuristic:
    if name == "network":
        return bind_network(task, random_network(task, 3))
    return bind_heuristic(task, odd_function if name == "python" else name)


@cache
def walked(name: str, n: int, steps: int = 30) -> tuple[Task, BitRows]:
    task = make_tiny(name).task
    return task, to_bits(random_walk_states(task, n, steps, 7), task.n_atoms)


def state_of(row: BitRows, task: Task) -> State:
    return as_set(np.flatnonzero(from_bits(row[None], task.n_atoms)[0]))


def entries(results: ManyResults) -> list[tuple[Status, int, list[int]]]:
    return [
        (status, int(expanded), plan.tolist())
        for status, expanded, plan in zip(results.status, results.expanded, results.plans, strict=True)
    ]


def one_by_one(
    heuristic: BoundHeuristic, states: BitRows, options: SearchOptions
) -> list[tuple[Status, int, list[int]]]:
    task, found = heuristic.task, []
    for truth in from_bits(states, task.n_atoms):
        result = search(task, heuristic, options, init=np.flatnonzero(truth).astype(np.int32))
        found.append((result.status, result.statistics.expanded, list(result.plan or ())))
    return found


# --- many searches ---


@pytest.mark.parametrize("heuristic", ["ff", "add", "hmax", "goalcount", "blind", "network", "python"])
@pytest.mark.parametrize("batch", [1, 3, 16])
@pytest.mark.parametrize("limit", [None, 7])
def test_many_searches_end_as_each_alone(heuristic: str, batch: int, limit: int | None) -> None:
    for name in ("blocks", "lights", "storage", "visitall"):
        task, states = walked(name, 8)
        bound = bind(task, heuristic)
        options = SearchOptions(batch=batch, expansion_limit=limit)
        together = entries(search_many(bound, states, batch=batch, expansion_limit=limit))
        assert together == one_by_one(bound, states, options)
        assert len(together) == 8


@given(task=strips_tasks(), data=st.data(), name=st.sampled_from(["ff", "network", "python"]))
@settings(max_examples=60)
def test_many_searches_of_random_tasks_end_as_each_alone(task: Task, data: st.DataObject, name: str) -> None:
    # Atoms that always hold are in all states or in none: a batch is searched on one problem, the reduced or the whole.
    fixed = set(np.flatnonzero(fixed_atoms(task)).tolist()) if data.draw(st.booleans()) else set()
    drawn = data.draw(st.lists(st.sets(st.integers(0, task.n_atoms - 1)), min_size=1, max_size=4))
    if not fixed:
        drawn = [state - set(task.init.tolist()) for state in drawn]
    states = to_bits([np.array(sorted(state | fixed), dtype=np.int32) for state in drawn], task.n_atoms)
    bound = bind(task, name)
    assert entries(search_many(bound, states)) == one_by_one(bound, states, SearchOptions())


def test_only_a_heuristic_that_never_errs_proves_that_there_is_no_plan() -> None:
    states = to_bits([TWO_DOORS.init] * 2, 3)
    assert search_many(bind_heuristic(TWO_DOORS, "blind"), states).status == [Status.UNSOLVABLE] * 2
    unsure = search_many(bind_heuristic(TWO_DOORS, lambda cells: np.zeros(len(cells))), states)
    assert unsure.status == [Status.EXHAUSTED] * 2
    assert unsure.solved.tolist() == [False, False]
    assert [plan.tolist() for plan in unsure.plans] == [[], []]


def slow_next(heuristic: BoundHeuristic, first: State, expansions: int, batch: int) -> State | None:
    """What a greedy search over sets would expand next; None if it meets a goal or has nothing left."""
    goal, order, expanded = as_set(heuristic.task.goal), [first], 0
    h = {first: heuristic.value(np.array(sorted(first), dtype=np.int32))}
    closed: set[State] = set()
    while not any(goal <= state for state in order):
        open_states = [state for state in order if state not in closed and h[state] != inf]
        best = sorted(open_states, key=lambda state: h[state])  # stable: ties go to the state that was met first
        if not best or expanded == expansions:
            return best[0] if best else None
        for state in best[: min(batch, expansions - expanded)]:
            closed.add(state)
            expanded += 1
            for _, child in successors(heuristic.task, state):
                if child not in h:
                    order.append(child)
                    h[child] = heuristic.value(np.array(sorted(child), dtype=np.int32))
    return None


@given(task=strips_tasks(), expansions=st.integers(1, 20), batch=st.integers(1, 5))
@settings(max_examples=60)
def test_a_search_at_its_limit_says_what_it_would_expand_next(task: Task, expansions: int, batch: int) -> None:
    heuristic = bind(task, "python")
    found = search_many(heuristic, to_bits([task.init], task.n_atoms), expansion_limit=expansions, batch=batch)
    left_at = slow_next(heuristic, as_set(task.init), expansions, batch)
    assert [state_of(row, task) for row in found.left_at] == ([] if left_at is None else [left_at])


def test_only_searches_at_their_limit_are_left_somewhere_with_all_atoms_that_always_hold() -> None:
    # Atom 3 holds, is never deleted and is needed: sampled states lack it.
    task = make_task(4, [([0, 3], [1], [0], 1), ([1], [2], [], 1)], [0, 3], [2])
    blind = bind_heuristic(task, "blind")
    states = to_bits([task.init, np.array([1, 3], dtype=np.int32)], 4)
    assert [state_of(row, task) for row in search_many(blind, states, expansion_limit=1).left_at] == [{1, 3}]
    without = to_bits([np.array([0], dtype=np.int32)], 4)
    assert len(search_many(blind, without, expansion_limit=1).left_at) == 0


def test_no_states_are_no_searches() -> None:
    task, states = walked("blocks", 8)
    assert len(search_many(bind_heuristic(task, "ff"), states[:0])) == 0
    assert lookahead(bind_heuristic(task, "ff"), states[:0]).tolist() == []


# --- a limit on expansions ---


@pytest.mark.parametrize("heuristic", ["blind", "goalcount", "network"])
@pytest.mark.parametrize("batch", [1, 5, 64])
def test_a_search_gets_just_the_expansions_it_may_have(heuristic: str, batch: int) -> None:
    task, states = walked("tiles", 6, 200)
    bound = bind(task, heuristic)
    for truth in from_bits(states, task.n_atoms):
        init = np.flatnonzero(truth).astype(np.int32)
        free = search(task, bound, SearchOptions(batch=batch), init=init)
        needed = free.statistics.expanded
        assert free.solved
        assert needed > 1
        enough = search(task, bound, SearchOptions(batch=batch, expansion_limit=needed), init=init)
        assert (enough.status, enough.plan) == (Status.SOLVED, free.plan)
        short = search(task, bound, SearchOptions(batch=batch, expansion_limit=needed - 1), init=init)
        assert (short.status, short.plan, short.statistics.expanded) == (Status.OUT_OF_EXPANSIONS, None, needed - 1)


def test_a_proof_within_the_limit_is_a_proof() -> None:
    assert search(TWO_DOORS, "blind", SearchOptions(expansion_limit=3)).status is Status.UNSOLVABLE
    assert search(TWO_DOORS, "blind", SearchOptions(expansion_limit=2)).status is Status.OUT_OF_EXPANSIONS


@pytest.mark.parametrize("limit", [0, -1, 2**63])
def test_limits_that_are_none_are_refused(limit: int) -> None:
    with pytest.raises(UsageError, match="expansion_limit must be above 0"):
        SearchOptions(expansion_limit=limit)


# --- stopping ---


@pytest.fixture
def searches(puzzle: Task) -> tuple[BoundHeuristic, BitRows]:
    """Searches that no test waits for."""
    return bind_heuristic(puzzle, "blind"), to_bits([puzzle.init] * 3, puzzle.n_atoms)


def after(calls: int) -> Callable[[], bool]:
    """Says yes so often."""
    answers = iter([True] * calls)
    return lambda: next(answers, False)


@pytest.mark.parametrize("calls", [0, 1, 20, 300])
def test_a_no_gives_only_the_searches_that_have_ended(calls: int) -> None:
    task, states = walked("blocks", 200)
    bound = bind_heuristic(task, "ff")
    everything = entries(search_many(bound, states))
    some = entries(search_many(bound, states, go_on=after(calls)))
    assert some == everything[: len(some)]
    assert len(some) < 200 or calls >= 200
    assert len(entries(search_many(bound, states, go_on=lambda: True))) == 200


def test_a_no_ends_a_long_search(searches: tuple[BoundHeuristic, BitRows]) -> None:
    assert len(search_many(*searches, go_on=after(2))) == 0


def test_an_exception_reaches_the_caller(searches: tuple[BoundHeuristic, BitRows]) -> None:
    def refuse() -> bool:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        search_many(*searches, go_on=refuse)


@pytest.mark.parametrize("go_on", [None, lambda: True])
def test_ctrl_c_reaches_the_caller(searches: tuple[BoundHeuristic, BitRows], go_on: Callable[[], bool] | None) -> None:
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search_many(*searches, go_on=go_on)
    timer.join()


def test_a_time_limit_holds_for_each_search(searches: tuple[BoundHeuristic, BitRows]) -> None:
    assert search_many(*searches, time_limit=0.05).status == [Status.OUT_OF_TIME] * 3


# --- lookahead ---


def steps_of(task: Task, states: BitRows, name: str) -> list[int]:
    """The operators that a lookahead takes: a native heuristic sees no step that leaves all that matters as it is."""
    fixed = to_bits([np.flatnonzero(fixed_atoms(task)).astype(np.int32)], task.n_atoms)
    if name == "python" or ((states & fixed) != fixed).any():
        return list(range(task.n_operators))
    core = core_atoms(task)
    return [o for o in range(task.n_operators) if core[task.add[o]].any()]


def expected(task: Task, states: BitRows, depth: int, name: str, weights: NetworkWeights) -> list[float]:
    """By brute force, the network's values from NumPy."""

    def h(state: State) -> float:
        truth = np.zeros((1, task.n_atoms), dtype=bool)
        truth[0, list(state)] = True
        if name == "python":
            return float(odd_function(truth.astype(np.uint8))[0])
        return float(weights.forward(truth)[0])

    operators = steps_of(task, states, name)
    return [bellman(task, state_of(row, task), depth, h, operators) for row in states]


def silenced(task: Task, seed: int, offset: float = 0.0) -> NetworkWeights:
    """A random network as training makes them: nothing depends on atoms that do not matter."""
    weights = random_network(task, seed, offset)
    weights.table[~core_atoms(task)] = 0
    return weights


def look(task: Task, states: BitRows, depth: int, name: str, weights: NetworkWeights) -> npt.NDArray[np.float32]:
    return lookahead(bind_network(task, weights) if name == "network" else bind(task, name), states, depth)


@pytest.mark.parametrize("name", ["python", "network"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("domain", ["blocks", "gripper", "lights", "storage", "visitall"])
def test_lookahead_is_a_bellman_minimisation(domain: str, depth: int, name: str) -> None:
    task, states = walked(domain, 6 if depth == 3 else 15)
    weights = silenced(task, 5, offset=15)
    values = look(task, states, depth, name, weights)
    assert values == pytest.approx(expected(task, states, depth, name, weights), rel=1e-4, abs=1e-4)
    assert len(set(values.tolist())) > 1


@given(
    task=strips_tasks(), depth=st.integers(1, 3), seed=st.integers(0, 99),
    data=st.data(), name=st.sampled_from(["python", "network"]),
)  # fmt: skip
@settings(max_examples=150)
def test_lookahead_on_random_tasks(task: Task, depth: int, seed: int, data: st.DataObject, name: str) -> None:
    drawn = data.draw(st.lists(st.sets(st.integers(0, task.n_atoms - 1)), min_size=1, max_size=5))
    if data.draw(st.booleans()):
        drawn = [state | set(np.flatnonzero(fixed_atoms(task)).tolist()) for state in drawn]
    states = to_bits([np.array(sorted(state), dtype=np.int32) for state in drawn], task.n_atoms)
    weights = silenced(task, seed)
    values = look(task, states, depth, name, weights)
    assert values == pytest.approx(expected(task, states, depth, name, weights), rel=1e-4, abs=1e-4)


def test_a_lookahead_counts_costs_if_the_heuristic_does() -> None:
    task, states = walked("courier", 40)
    heuristic = bind_network(task, silenced(task, 5, offset=15), unit_costs=False)
    goal = as_set(task.goal)

    def expected(state: State) -> float:
        if goal <= state:
            return 0.0
        prices = []
        for operator, after in successors(task, state):
            h = 0.0 if goal <= after else max(heuristic.value(np.array(sorted(after), dtype=np.int32)), 0.0)
            prices.append(int(task.costs[operator]) + h)
        return min(prices, default=inf)

    found = lookahead(heuristic, states, 1)
    assert found.tolist() == pytest.approx([expected(state_of(row, task)) for row in states], rel=1e-4)
    assert not np.allclose(found, lookahead(bind_network(task, silenced(task, 5, offset=15)), states, 1))
    with pytest.raises(UsageError, match="cost"):
        lookahead(heuristic, states, 2)


def test_values_below_zero_count_as_zero() -> None:
    task, states = walked("blocks", 15)
    weights = silenced(task, 5, offset=-1000)
    assert (bind_network(task, weights).evaluate(states) < 0).all()
    distance = lookahead(bind_heuristic(task, lambda cells: np.zeros(len(cells))), states)
    assert lookahead(bind_network(task, weights), states).tolist() == distance.tolist()
    assert set(distance.tolist()) <= {0.0, 1.0, 2.0}


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_goals_on_the_way_and_dead_ends(depth: int) -> None:
    # 0 → 1 → 2 → 3 → goal 4, and 0 → 5, which leads nowhere.
    chain = [([i], [i + 1], [i], 1) for i in range(4)]
    task = make_task(6, [*chain, ([0], [5], [0], 1)], [0], [4], [range(6)])
    states = to_bits([np.array([atom], dtype=np.int32) for atom in (4, 3, 2, 1, 0, 5)], 6)
    values = lookahead(bind_heuristic(task, lambda cells: np.full(len(cells), 100.0)), states, depth)
    by_distance = [distance if distance <= depth else depth + 100 for distance in (0, 1, 2, 3, 4)]
    assert values.tolist() == [*by_distance, inf]


def test_a_dead_end_that_the_heuristic_sees_is_not_looked_through() -> None:
    task = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2]])
    states = to_bits([task.init], 3)
    assert lookahead(bind_heuristic(task, lambda cells: np.full(len(cells), inf)), states, 1).tolist() == [inf]


@pytest.mark.parametrize("name", ["python", "network"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_value_of_a_state_does_not_depend_on_its_batch(name: str, depth: int) -> None:
    # Several thousand leaves: parents of later slices lie where those of earlier ones did.
    task = walked("tiles", 1250, 100)[0]
    states = np.concatenate([walked("tiles", 1250, steps)[1] for steps in (100, 101)])  # half of all states each
    assert len(np.unique(states, axis=0)) > 300
    weights = silenced(task, 8, offset=15)
    heuristic = bind_network(task, weights) if name == "network" else bind(task, name)
    together = lookahead(heuristic, states, depth)
    rows, where = np.unique(states, axis=0, return_inverse=True)
    alone = np.array([lookahead(heuristic, row[None], depth)[0] for row in rows])
    np.testing.assert_allclose(together, alone[where.ravel()], rtol=1e-5)
    assert lookahead(heuristic, states, depth).tolist() == together.tolist()
    some = slice(0, 2500, 97)
    assert together[some] == pytest.approx(expected(task, states[some], depth, name, weights), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("domain", TINY)
def test_a_lookahead_leaves_no_trace_in_the_heuristic(domain: str) -> None:
    task, states = walked(domain, 40)
    used, fresh = bind(task, "network"), bind(task, "network")
    for _ in range(3):
        lookahead(used, states)
        assert entries(search_many(used, states[:5])) == entries(search_many(fresh, states[:5]))
        assert used.evaluate(states).tolist() == fresh.evaluate(states).tolist()


@pytest.mark.parametrize("depth", [0, -1])
def test_a_lookahead_takes_a_step_at_least(depth: int) -> None:
    task, states = walked("blocks", 8)
    with pytest.raises(ValueError, match="at least 1"):
        lookahead(bind_heuristic(task, "ff"), states, depth)
