"""Searches with several heuristics, whose queues take turns, against one written as plainly as can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from queue_oracle import Guide, QueueSearch, Steps, Trace

from goalward import _core
from goalward.search import BoundHeuristic, SearchOptions, search
from goalward.search.landmarks import atom_kinds
from goalward.task.packing import native_problem
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Rows, Task
from helpers import make_tiny
from oracle import State, strips_tasks

SIZES = {"blocks": 0, "delivery": 1, "gripper": 0, "lights": 0, "storage": 0, "tiles": 2, "visitall": 0}


class Native:
    """A task with its guides, as the search under test and the oracle both use them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.problem = native_problem(task, whole=True)
        self.ff = BoundHeuristic(task, "ff", lambda p: _core.native_heuristic(p, "ff", True), whole=True)
        groups = task.mutex_groups
        self.finder = _core.LandmarkKnowledge(
            self.problem, groups.offsets, groups.values, atom_kinds(task), max_disjuncts=4, reasonable=True
        )

    def bits(self, state: State) -> BitRows:
        return to_bits([np.array(sorted(state), dtype=np.int32)], self.task.n_atoms)

    def by_ff(self, state: State, _: int, __: Steps) -> tuple[float, set[int]]:
        bits = self.bits(state)
        return float(self.ff.evaluate(bits)[0]), set(self.ff.helpful_actions(bits)[0])

    def by_landmarks(self, _: State, number: int, steps: Steps) -> tuple[float, set[int]]:
        parents, operators = (
            (np.array(column, dtype=np.int32) for column in zip(*steps, strict=True))
            if steps
            else (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
        )
        _, values, _, offsets, liked, _ = _core.follow_landmarks(self.finder, self.task.init, parents, operators)
        return float(values[number]), set(Rows(offsets, liked)[number].tolist())

    @property
    def guides(self) -> dict[str, Guide]:
        return {"ff": self.by_ff, "landmarks": self.by_landmarks}


def odd_values(states: np.ndarray) -> np.ndarray:
    """A heuristic as a network gives one: fractions, below zero too, and wrong."""
    weights = np.cos(np.arange(states.shape[1]) * 2.5).astype(np.float32) * 3
    return states @ weights


class Recorder:
    """The same as a Python heuristic that remembers which states it was asked for."""

    def __init__(self) -> None:
        self.seen: list[frozenset[int]] = []

    def __call__(self, states: np.ndarray) -> np.ndarray:
        self.seen += [frozenset(np.flatnonzero(row).tolist()) for row in states]
        return odd_values(states)


def run_native(
    native: Native, part: _core.PortfolioPart, limit: int, recorder: Recorder | None = None
) -> _core.SearchResult:
    function = recorder or odd_values
    network = BoundHeuristic(native.task, "odd", lambda p: _core.callable_heuristic(p, function), whole=True)
    states = to_bits([native.task.init], native.task.n_atoms)
    return _core.portfolio_search(
        network.guidance(states),
        network.evaluator(states),
        [part],
        native.task.init,
        SearchOptions(expansion_limit=limit).native(),
    )


def run_oracle(native: Native, part: _core.PartKind, batch: int, limit: int) -> tuple[Trace, list[State]]:
    seen: list[State] = []

    def network(state: State) -> float:
        seen.append(state)
        row = np.zeros((1, native.task.n_atoms), dtype=np.uint8)
        row[0, sorted(state)] = 1
        return float(odd_values(row)[0])

    oracle = QueueSearch(native.task, native.guides, None if part == _core.PartKind.GUIDED else network, batch)
    return oracle.run(native.task.init, limit), seen


PARTS = {"landmarks": _core.PartKind.GUIDED, "hybrid": _core.PartKind.HYBRID}


def assert_alike(task: Task, part: str, batch: int, limit: int) -> None:
    native, recorder = Native(task), Recorder()
    wanted, asked = run_oracle(native, PARTS[part], batch, limit)
    found = run_native(native, _core.PortfolioPart(name=part, batch=batch, kind=PARTS[part]), limit, recorder)
    counts = found.statistics
    assert [tuple(pair) for pair in counts.expansions_by_queue] == [(q.name, q.expanded) for q in wanted.queues]
    assert (counts.expanded, counts.dead_ends) == (len(wanted.expanded), wanted.dead_ends)
    assert recorder.seen == asked  # children in the order in which their parents were expanded
    if wanted.plan is None:
        ended = _core.Status.OUT_OF_EXPANSIONS if wanted.cut else _core.Status.EXHAUSTED
        assert found.status == ended
    else:
        assert (found.status, len(found.plan), counts.led_by) == (_core.Status.SOLVED, len(wanted.plan), wanted.led_by)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 13, 21, 34, 55, 1000])
@pytest.mark.parametrize("domain", SIZES)
def test_queues_of_guides_lead_where_the_plain_search_goes(domain: str, limit: int) -> None:
    assert_alike(make_tiny(domain, SIZES[domain]).task, "landmarks", 1, limit)


@pytest.mark.parametrize("limit", [3, 10, 30, 1000])
@pytest.mark.parametrize(("part", "batch"), [("hybrid", 1), ("hybrid", 3)])
@pytest.mark.parametrize("domain", SIZES)
def test_queues_of_a_network_lead_where_the_plain_search_goes(domain: str, part: str, batch: int, limit: int) -> None:
    assert_alike(make_tiny(domain, SIZES[domain]).task, part, batch, limit)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("domain", SIZES)
def test_the_part_with_the_network_alone_is_greedy_search(domain: str, batch: int) -> None:
    native, asked_by_part, asked_by_search = Native(make_tiny(domain, SIZES[domain]).task), Recorder(), Recorder()
    part = _core.PortfolioPart(name="alone", batch=batch, kind=_core.PartKind.NETWORK)
    found = run_native(native, part, 1000, asked_by_part)
    greedy = search(native.task, asked_by_search, SearchOptions(batch=batch, expansion_limit=1000))
    assert asked_by_part.seen == asked_by_search.seen
    assert (found.statistics.expanded, tuple(found.plan)) == (greedy.statistics.expanded, greedy.plan or ())


@pytest.mark.parametrize("weight", [0.5, 2.0])
@pytest.mark.parametrize("domain", SIZES)
def test_with_a_weight_the_network_alone_is_weighted_a_star(domain: str, weight: float) -> None:
    native, asked_by_part, asked_by_search = Native(make_tiny(domain, SIZES[domain]).task), Recorder(), Recorder()
    part = _core.PortfolioPart(name="alone", batch=4, weight=weight, kind=_core.PartKind.NETWORK)
    found = run_native(native, part, 1000, asked_by_part)
    options = SearchOptions("wastar", weight=weight, batch=4, unit_costs=True, expansion_limit=1000)
    plain = search(native.task, asked_by_search, options)
    assert asked_by_part.seen == asked_by_search.seen
    assert (found.statistics.expanded, tuple(found.plan)) == (plain.statistics.expanded, plain.plan or ())


def test_a_negative_weight_is_refused() -> None:
    part = _core.PortfolioPart(name="alone", weight=-1.0, kind=_core.PartKind.NETWORK)
    with pytest.raises(ValueError, match="weight must be at least 0"):
        run_native(Native(make_tiny("blocks").task), part, 10, Recorder())


@settings(max_examples=200)
@given(task=strips_tasks(), part=st.sampled_from(list(PARTS)), batch=st.sampled_from([1, 2]), limit=st.integers(1, 40))
def test_any_small_task_is_searched_as_by_the_plain_search(task: Task, part: str, batch: int, limit: int) -> None:
    assert_alike(task, part, 1 if part == "landmarks" else batch, limit)
