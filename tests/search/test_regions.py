"""Regions: which states short greedy searches expand, and what these are worth with the border behind them."""

from __future__ import annotations

from math import inf

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward._core import RegionEnd
from goalward.search import BoundHeuristic, bind_heuristic
from goalward.search.batches import Regions, search_regions
from goalward.task.states import BitRows, from_bits, random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import State, as_set, make_task, strips_tasks, successors


def distinct_values(cells: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Another number for every state, so that no order among equals matters, and infinity for one in eleven."""
    weights = np.random.default_rng(cells.shape[1]).uniform(-2, 5, cells.shape[1])
    values = (cells @ weights).astype(np.float32)
    values[(cells @ (np.arange(cells.shape[1]) + 1)) % 11 == 5] = inf
    return values


def states_of(task: Task, rows: BitRows) -> list[State]:
    return [as_set(np.flatnonzero(truth)) for truth in from_bits(rows, task.n_atoms)]


def value_of(heuristic: BoundHeuristic, state: State) -> float:
    return heuristic.value(np.array(sorted(state), dtype=np.int32))


class SlowRegion:
    """The same search over sets, and values by going over all edges until nothing changes."""

    def __init__(self, heuristic: BoundHeuristic, first: State, expansions: int, batch: int) -> None:
        self.task = heuristic.task
        self.goal = as_set(self.task.goal)
        order = [first]  # of their first meeting
        self.h = {first: value_of(heuristic, first)}
        self.children: dict[State, list[State]] = {}
        self.expanded: list[State] = []
        while not self.met_goal and self.open and len(self.expanded) < expansions:
            best = sorted(self.open, key=lambda state: (self.h[state], order.index(state)))
            chosen = best[: min(batch, expansions - len(self.expanded))]
            for state in chosen:
                self.expanded.append(state)
                self.children[state] = [child for _, child in successors(self.task, state)]
                order += [child for child in dict.fromkeys(self.children[state]) if child not in order]
            self.h |= {state: value_of(heuristic, state) for state in order if state not in self.h}
        self.exit = min(self.open, key=lambda state: (self.h[state], order.index(state)), default=None)

    @property
    def open(self) -> list[State]:
        return [state for state, h in self.h.items() if state not in self.children and h != inf]

    @property
    def met_goal(self) -> bool:
        return any(self.goal <= state for state in self.h)

    def values(self) -> dict[State, float]:
        worth = {s: 0.0 if self.goal <= s else inf if s in self.children else max(h, 1.0) for s, h in self.h.items()}
        changed = True
        while changed:
            changed = False
            for state in self.expanded:
                least = min((worth[child] + 1 for child in self.children[state]), default=inf)
                if least < worth[state]:
                    worth[state], changed = least, True
        return worth


def check(heuristic: BoundHeuristic, rows: BitRows, expansions: int, batch: int) -> Regions:
    """Compare all regions with slow ones."""
    task = heuristic.task
    found = search_regions(heuristic, rows, expansions=expansions, batch=batch)
    expanded, exits = states_of(task, found.states), states_of(task, found.exits)
    for number, first in enumerate(states_of(task, rows)):
        slow = SlowRegion(heuristic, first, expansions, batch)
        mine = np.flatnonzero(found.origins == number)
        assert [expanded[i] for i in mine] == slow.expanded
        worth = slow.values()
        assert found.values[mine].tolist() == pytest.approx([worth[state] for state in slow.expanded])
        if slow.met_goal:
            assert found.ends[number] == RegionEnd.GOAL
        elif slow.exit is None:
            assert found.ends[number] == RegionEnd.DEAD_END
        else:
            assert found.ends[number] == RegionEnd.BORDER
            assert exits[number] == slow.exit
    return found


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize(("expansions", "batch"), [(12, 1), (30, 4)])
def test_regions_are_those_of_a_slow_search(name: str, expansions: int, batch: int) -> None:
    task = make_tiny(name).task
    rows = to_bits(random_walk_states(task, 4, 20, 3), task.n_atoms)
    check(bind_heuristic(task, distinct_values), rows, expansions, batch)


@settings(max_examples=60, deadline=None)
@given(strips_tasks(), st.integers(1, 20), st.integers(1, 5))
def test_regions_of_any_task(task: Task, expansions: int, batch: int) -> None:
    check(bind_heuristic(task, distinct_values), to_bits([task.init], task.n_atoms), expansions, batch)


# One key opens one of two doors: the goal, both open, cannot be reached.
TWO_DOORS = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])


def test_where_no_way_leads_out_values_are_infinite() -> None:
    found = search_regions(bind_heuristic(TWO_DOORS, "goalcount"), to_bits([TWO_DOORS.init], 3))
    assert found.ends == [RegionEnd.DEAD_END]
    assert found.values.tolist() == [inf] * 3


# A hollow of three states before the exit, 0 → 1 → 2 → 3 → goal 4 and back, that a heuristic makes attractive.
HOLLOW = make_task(
    5, [([i], [j], [i], 1) for i in range(5) for j in (i - 1, i + 1) if 0 <= j < 5], [1], [4], [[0, 1, 2, 3, 4]]
)


def test_a_hollow_is_filled_up() -> None:
    h = {0: 1.0, 1: 1.0, 2: 1.0, 3: 6.0, 4: 0.0}
    heuristic = bind_heuristic(HOLLOW, lambda cells: [h[int(np.flatnonzero(row)[0])] for row in cells])
    found = search_regions(heuristic, to_bits([HOLLOW.init], 5), expansions=3, batch=1)
    values = {
        int(np.flatnonzero(truth)[0]): float(v)
        for truth, v in zip(from_bits(found.states, 5), found.values, strict=True)
    }
    assert values == {2: 7.0, 1: 8.0, 0: 9.0}
    assert found.ends == [RegionEnd.BORDER]
    assert np.flatnonzero(from_bits(found.exits, 5)[0]).tolist() == [3]


def test_a_goal_state_has_no_region() -> None:
    found = search_regions(bind_heuristic(HOLLOW, "ff"), to_bits([np.array([4], dtype=np.int32)], 5))
    assert len(found) == 0
    assert found.ends == [RegionEnd.GOAL]


def test_no_state_is_worth_less_than_a_step() -> None:
    below = bind_heuristic(HOLLOW, lambda cells: np.full(len(cells), -50.0))
    found = search_regions(below, to_bits([HOLLOW.init], 5), expansions=1)
    assert found.values.tolist() == [2.0]


def test_atoms_that_always_hold_are_there() -> None:
    # Atom 2 holds, is never deleted and is needed: sampled states lack it, states of regions must not.
    task = make_task(3, [([0, 2], [1], [0], 1)], [0, 2], [1])
    found = search_regions(bind_heuristic(task, "blind"), to_bits([task.init], 3), expansions=1)
    assert states_of(task, found.states) == [{0, 2}]
    lacking = search_regions(bind_heuristic(task, "blind"), to_bits([np.array([0], dtype=np.int32)], 3), expansions=1)
    assert states_of(task, lacking.states) == [{0}]


def test_regions_do_not_depend_on_one_another() -> None:
    task = make_tiny("blocks").task
    rows = to_bits(random_walk_states(task, 6, 20, 5), task.n_atoms)
    heuristic = bind_heuristic(task, "ff")
    together = search_regions(heuristic, rows, expansions=9, batch=2)
    alone = [search_regions(heuristic, rows[i : i + 1], expansions=9, batch=2) for i in range(len(rows))]
    assert np.array_equal(together.states, np.concatenate([part.states for part in alone]))
    assert together.values.tolist() == [value for part in alone for value in part.values.tolist()]


@pytest.mark.parametrize(("expansions", "batch"), [(0, 1), (1, 0)])
def test_a_region_needs_an_expansion(expansions: int, batch: int) -> None:
    with pytest.raises(ValueError, match="expansions and batch must be at least 1"):
        search_regions(bind_heuristic(HOLLOW, "ff"), to_bits([HOLLOW.init], 5), expansions=expansions, batch=batch)
