"""Heuristic values against slow oracles: definitions written out, and exhaustive relaxed plans."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.search import HEURISTICS, bind_heuristic, search
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Ints, Task
from helpers import Tiny, make_tiny
from oracle import as_set, cheapest_cost, make_task, relaxed_plan_costs, relaxed_value, strips_tasks, with_init

HIGHEST = 2**27  # relaxed costs saturate here

TWO_DEAR_STEPS = make_task(3, [([0], [1], [], HIGHEST), ([1], [2], [], HIGHEST)], [0], [2])
TWO_DEAR_GOALS = make_task(2, [([], [0], [], HIGHEST), ([], [1], [], HIGHEST)], [], [0, 1])
ODD_BEYOND_FLOATS = make_task(2, [([0], [1], [], 2**24 + 3)], [0], [1])


def array(state: frozenset[int]) -> Ints:
    return np.array(sorted(state), dtype=np.int32)


def some_states(task: Task) -> st.SearchStrategy[list[frozenset[int]]]:
    """The task's initial state and others, reachable or not."""
    others = st.lists(st.frozensets(st.integers(0, task.n_atoms - 1)), max_size=4)
    return others.map(lambda states: [as_set(task.init), *states])


def values(task: Task, name: str, states: list[frozenset[int]], *, unit_costs: bool) -> list[float]:
    heuristic = bind_heuristic(task, name, unit_costs=unit_costs)
    return heuristic.evaluate(to_bits([array(state) for state in states], task.n_atoms)).tolist()


# --- random tasks ---


@given(task=strips_tasks(max_cost=10_000), unit_costs=st.booleans(), data=st.data())
def test_h_max_and_h_add_are_their_fixpoints(task: Task, unit_costs: bool, data: st.DataObject) -> None:
    states = data.draw(some_states(task))
    for name, combine in (("hmax", max), ("add", sum)):
        expected = [relaxed_value(task, state, combine, unit_costs=unit_costs) for state in states]
        assert values(task, name, states, unit_costs=unit_costs) == expected


@given(task=strips_tasks(), data=st.data())
def test_goalcount_counts_the_goal_atoms_that_do_not_hold(task: Task, data: st.DataObject) -> None:
    states = data.draw(some_states(task))
    assert values(task, "goalcount", states, unit_costs=True) == [len(as_set(task.goal) - state) for state in states]


@given(task=strips_tasks(), unit_costs=st.booleans(), data=st.data())
def test_blind_is_zero_in_goals_and_at_most_one_cheapest_step_elsewhere(
    task: Task, unit_costs: bool, data: st.DataObject
) -> None:
    states = data.draw(some_states(task))
    cheapest = 1 if unit_costs else min(task.costs.tolist(), default=0)
    for state, value in zip(states, values(task, "blind", states, unit_costs=unit_costs), strict=True):
        optimum = cheapest_cost(with_init(task, state), unit_costs=unit_costs)
        if as_set(task.goal) <= state:
            assert value == 0
        elif optimum < inf:
            assert cheapest <= value <= optimum
        else:
            assert 0 <= value < inf


@given(task=strips_tasks(max_cost=2**31 - 1))
@example(ODD_BEYOND_FLOATS)
def test_blind_never_exceeds_the_optimum_however_dear_the_operators(task: Task) -> None:
    optimum = cheapest_cost(task, unit_costs=False)
    if 0 < optimum < inf:
        (value,) = values(task, "blind", [as_set(task.init)], unit_costs=False)
        assert min(task.costs.tolist()) * 0.999_999 <= value <= optimum


@settings(max_examples=60)
@given(task=strips_tasks(max_operators=7), unit_costs=st.booleans(), data=st.data())
def test_h_ff_is_the_cost_of_a_relaxed_plan(task: Task, unit_costs: bool, data: st.DataObject) -> None:
    states = data.draw(some_states(task))
    for state, value in zip(states, values(task, "ff", states, unit_costs=unit_costs), strict=True):
        plans = relaxed_plan_costs(task, state, unit_costs=unit_costs)
        assert value in plans or (value == inf and not plans)
        lowest = relaxed_value(task, state, max, unit_costs=unit_costs)
        highest = relaxed_value(task, state, sum, unit_costs=unit_costs)
        assert lowest <= value <= highest


@given(task=strips_tasks(), data=st.data())
def test_helpful_actions_are_applicable_and_there_where_a_plan_is(task: Task, data: st.DataObject) -> None:
    states = data.draw(some_states(task))
    heuristic = bind_heuristic(task, "ff")
    bits = to_bits([array(state) for state in states], task.n_atoms)
    helpful = heuristic.helpful_actions(bits)
    for state, value, operators in zip(states, heuristic.evaluate(bits), helpful, strict=True):
        assert all(as_set(task.pre[o]) <= state for o in operators)
        assert all(as_set(task.add[o]) - state for o in operators)
        assert bool(operators) == (0 < value < inf)
        assert sorted(set(operators)) == operators


@given(task=strips_tasks(max_cost=2**31 - 1))
@example(TWO_DEAR_STEPS)
@example(ODD_BEYOND_FLOATS)
def test_h_max_never_exceeds_its_true_value_however_dear_the_operators(task: Task) -> None:
    state = as_set(task.init)
    (value,) = values(task, "hmax", [state], unit_costs=False)
    true = relaxed_value(task, state, max, unit_costs=False)
    assert min(true, HIGHEST) * 0.999_999 <= value <= true


@given(task=strips_tasks(), unit_costs=st.booleans(), data=st.data())
def test_values_and_helpful_actions_do_not_depend_on_what_was_evaluated_before(
    task: Task, unit_costs: bool, data: st.DataObject
) -> None:
    bits = to_bits([array(state) for state in data.draw(some_states(task))], task.n_atoms)
    ff = bind_heuristic(task, "ff", unit_costs=unit_costs)
    assert ff.evaluate(bits).tolist() == ff.evaluate(bits[::-1].copy())[::-1].tolist()
    assert ff.helpful_actions(bits) == ff.helpful_actions(bits[::-1].copy())[::-1]


@pytest.mark.parametrize(("name", "combine"), [("add", sum), ("ff", None)])
@given(task=strips_tasks(max_cost=2**31 - 1))
@example(TWO_DEAR_STEPS)
@example(TWO_DEAR_GOALS)
def test_sums_of_dear_operators_saturate(name: str, combine: Callable[..., float] | None, task: Task) -> None:
    state = as_set(task.init)
    (value,) = values(task, name, [state], unit_costs=False)
    highest = relaxed_value(task, state, combine or sum, unit_costs=False)
    lowest = highest if combine else relaxed_value(task, state, max, unit_costs=False)
    assert min(lowest, HIGHEST) * 0.999_999 <= value
    assert value <= (min(highest, HIGHEST) * 1.000_001 if highest < inf else inf)


@given(data=st.data(), unit_costs=st.booleans())
def test_operators_with_many_preconditions_in_common(data: st.DataObject, unit_costs: bool) -> None:
    """More than six: effects that another operator gives as easily are dropped where all preconditions are the same."""
    conditions = st.sampled_from([range(8), range(9), [*range(7), 8], range(1, 9), range(3)])
    effects = st.lists(st.integers(9, 12), min_size=1, unique=True).map(sorted)
    operators = data.draw(
        st.lists(st.tuples(conditions.map(list), effects, st.just([]), st.integers(0, 3)), max_size=6)
    )
    task = make_task(13, operators, range(9), [9, 10])
    states = data.draw(some_states(task))
    for name, combine in (("hmax", max), ("add", sum)):
        expected = [relaxed_value(task, state, combine, unit_costs=unit_costs) for state in states]
        assert values(task, name, states, unit_costs=unit_costs) == expected


def test_operators_as_wide_as_the_task_are_compared_once_not_for_each_effect() -> None:
    atoms = list(range(150_000))  # compared for each effect, it takes longer than any test may
    task = make_task(len(atoms), [(atoms, atoms, [], 1), (atoms, atoms, [], 1)], [], atoms)
    assert bind_heuristic(task, "hmax").value(task.init) == inf


# --- tasks of the bundled domains ---


@pytest.mark.parametrize("unit_costs", [True, False])
def test_values_on_states_of_bundled_domains(tiny: Tiny, unit_costs: bool) -> None:
    task = tiny.task
    states = [as_set(state) for state in [task.init, *random_walk_states(task, 8, 30, seed=1)]]
    low = [relaxed_value(task, state, max, unit_costs=unit_costs) for state in states]
    high = [relaxed_value(task, state, sum, unit_costs=unit_costs) for state in states]
    assert values(task, "hmax", states, unit_costs=unit_costs) == low
    assert values(task, "add", states, unit_costs=unit_costs) == high
    relaxed = values(task, "ff", states, unit_costs=unit_costs)
    assert all(a <= b <= c for a, b, c in zip(low, relaxed, high, strict=True))
    count = values(task, "goalcount", states, unit_costs=unit_costs)
    assert count == [len(as_set(task.goal) - state) for state in states]


def test_storage_has_dead_ends_that_the_relaxation_sees() -> None:
    task = make_tiny("storage").task
    h_max = bind_heuristic(task, "hmax")
    assert inf in {h_max.value(state) for state in random_walk_states(task, 50, 50, seed=0)}


# --- the interface ---


def test_a_batch_has_the_values_of_its_states(tiny: Tiny) -> None:
    states = random_walk_states(tiny.task, 70, 20, seed=2)
    for name in HEURISTICS:
        heuristic = bind_heuristic(tiny.task, name)
        batch = heuristic.evaluate(to_bits(states, tiny.task.n_atoms))
        assert batch.dtype == np.float32
        assert batch.tolist() == [heuristic.value(state) for state in states]


def test_a_python_function_sees_zeros_and_ones_of_all_atoms(tiny: Tiny) -> None:
    seen = []

    def weigh(states: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> list[float]:
        seen.append(states.copy())
        return [0.5 * number for number in range(len(states))]

    states = random_walk_states(tiny.task, 5, 10, seed=2)
    heuristic = bind_heuristic(tiny.task, weigh)
    assert heuristic.name == "weigh"
    assert heuristic.evaluate(to_bits(states, tiny.task.n_atoms)).tolist() == [0, 0.5, 1, 1.5, 2]
    (rows,) = seen
    assert rows.dtype == np.uint8
    assert [np.flatnonzero(row).tolist() for row in rows] == [state.tolist() for state in states]


def test_goals_are_worth_zero_and_nothing_else_is(tiny: Tiny) -> None:
    goal = next(s for s in _states_on_the_way(tiny.task) if tiny.task.is_goal(s))
    for name in HEURISTICS:
        heuristic = bind_heuristic(tiny.task, name)
        assert heuristic.value(goal) == 0
        assert heuristic.value(tiny.task.init) > 0


def _states_on_the_way(task: Task) -> list[Ints]:
    state, states = as_set(task.init), [task.init]
    for operator in search(task, "ff").plan or ():
        state = (state - as_set(task.delete[operator])) | as_set(task.add[operator])
        states.append(array(state))
    return states


def test_an_unknown_name_comes_with_the_nearest_known_one() -> None:
    task = make_tiny("blocks").task
    with pytest.raises(UsageError, match="unknown heuristic 'hmaxx'; did you mean hmax"):
        bind_heuristic(task, "hmaxx")
    with pytest.raises(UsageError, match=r"known: ff, add, hmax, goalcount, blind"):
        bind_heuristic(task, "zzz")


def test_helpful_actions_need_ff() -> None:
    task = make_tiny("blocks").task
    with pytest.raises(UsageError, match="ff"):
        bind_heuristic(task, "add").helpful_actions(to_bits([task.init], task.n_atoms))


@pytest.mark.parametrize("name", HEURISTICS)
def test_rows_of_the_wrong_width_or_with_bits_beyond_the_atoms_are_refused(name: str) -> None:
    task = make_tiny("blocks").task
    heuristic = bind_heuristic(task, name)
    with pytest.raises(ValueError, match="bit"):
        heuristic.evaluate(np.array([[1 << 63]], dtype=np.uint64) | to_bits([task.init], task.n_atoms))
    fixed = to_bits([task.init], task.n_atoms)
    with pytest.raises(UsageError, match="must have 1 64-bit words, but has 3"):
        heuristic.evaluate(np.hstack([fixed, fixed, fixed]))
    with pytest.raises(ValueError, match="width of the bit rows"):
        heuristic.evaluator(fixed).evaluate(np.hstack([fixed, fixed, fixed]))


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_task_without_atoms_or_operators_has_values(name: str) -> None:
    assert bind_heuristic(make_task(0, [], [], []), name).value(np.zeros(0, dtype=np.int32)) == 0
    nothing_to_do = make_task(1, [], [], [0])
    assert bind_heuristic(nothing_to_do, name).value(nothing_to_do.init) == (
        1 if name in {"goalcount", "blind"} else inf
    )


def test_a_bound_heuristic_says_what_it_is_and_takes_states_by_name() -> None:
    task = make_tiny("blocks").task
    heuristic = bind_heuristic(task, "ff")
    assert repr(heuristic) == f"<BoundHeuristic ff for {task.problem_name}, in steps>"
    assert heuristic.value(set(task.state_names(task.init))) == heuristic.value(task.init)
    with pytest.raises(UsageError, match="must be a name, a function or a model, but is 3"):
        bind_heuristic(task, 3)  # type: ignore[arg-type]
