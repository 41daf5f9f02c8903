"""Improved labels: what the network says one step ahead or behind a region's border, never above a proven bound."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from goalward.learning import region_lessons
from goalward.learning.improvements import IMPROVEMENTS
from goalward.learning.region_lessons import EXPANSIONS, NO_WAY_OUT, RegionsOfWalks, bellman
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.sampling import SamplingOptions, Source, label
from goalward.search import BoundHeuristic, bind_heuristic
from goalward.search.batches import Regions, search_regions
from goalward.task.packing import fixed_atoms
from goalward.task.states import BitRows, from_bits, to_bits
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import as_set, make_task
from oracle import bellman as slow_bellman


def prepared(name: str) -> tuple[Task, Rollouts, Source]:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=4, length=8))
    return task, rollouts, Source(task, rollouts, SamplingOptions(60, 0.5, "reachable"))


@pytest.mark.parametrize("name", TINY)
def test_bellman_is_a_step_and_the_best_successor_under_the_cap_of_d(name: str) -> None:
    task, rollouts, source = prepared(name)
    heuristic = bind_heuristic(task, lambda cells: 4.0 * (1 - cells[:, task.goal]).sum(axis=1))
    lesson = bellman(heuristic, rollouts, 60, lambda n: source.draw_states(n)[0])
    states, labels = lesson.states, lesson.labels
    assert len(states) == 60
    bounds = label(task, rollouts, states)
    capped = 0
    for truth, bound, found in zip(from_bits(states, task.n_atoms), bounds.tolist(), labels.tolist(), strict=True):
        state = as_set(np.flatnonzero(truth | fixed_atoms(task)))
        ahead = slow_bellman(
            task, state, 1, lambda s: heuristic.value(np.array(sorted(s), np.int32)), range(task.n_operators)
        )
        assert found == min(bound, ahead)
        capped += bound < ahead
    assert capped, "the cap matters"


class Noted:
    """Remembers what regions were searched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[Regions] = []
        self.starts: list[BitRows] = []
        monkeypatch.setattr(region_lessons, "search_regions", self)

    def __call__(self, heuristic: BoundHeuristic, states: BitRows, *, expansions: int, batch: int) -> Regions:
        assert expansions == EXPANSIONS
        self.starts.append(states)
        self.found.append(search_regions(heuristic, states, expansions=expansions, batch=batch))
        return self.found[-1]


@pytest.mark.parametrize("name", [name for name in TINY if name not in {"painters", "storage"}])
def test_half_of_a_lesson_comes_from_regions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared(name)
    heuristic = bind_heuristic(task, "goalcount")
    n = 10 * EXPANSIONS
    lesson = RegionsOfWalks(task, 3).teach(heuristic, rollouts, n, lambda m: source.draw_states(m)[0])
    states, labels = lesson.states, lesson.labels
    (found,), (starts,) = noted.found, noted.starts
    assert len(starts) == 5
    assert len(states) == len(labels) == n // 2 + len(found)
    assert np.array_equal(states[n // 2 :], found.states)
    bounds = label(task, rollouts, found.states)
    expected = [v if b == rollouts.beyond else min(v, b) for v, b in zip(found.values, bounds, strict=True)]
    assert labels[n // 2 :].tolist() == expected
    assert np.isfinite(labels).all()


def test_regions_begin_where_walks_of_all_lengths_end(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch)
    # A walk along a line, one way: the state says how many steps it took.
    n = 1500
    task = make_task(n + 1, [([i], [i + 1], [i], 1) for i in range(n)], [0], [n], [list(range(n + 1))])
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=3))
    regions = RegionsOfWalks(task, 0)
    nothing = np.zeros((0, -(-(n + 1) // 64)), dtype=np.uint64)
    for _ in range(30):
        regions.teach(bind_heuristic(task, "blind"), rollouts, 5 * EXPANSIONS, lambda m: nothing)
    steps = np.flatnonzero(from_bits(np.concatenate(noted.starts), n + 1).any(axis=0))
    assert steps.min() < 5
    assert 300 < steps.max() <= region_lessons.LONGEST_WALK
    assert len(steps) > 30


def test_regions_teach_nothing_before_their_searches_come_to_goals() -> None:
    n = 3 * EXPANSIONS
    task = make_task(n + 1, [([i], [i + 1], [i], 1) for i in range(n)], [0], [n], [list(range(n + 1))])
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=3))
    drawn = to_bits([np.array([0], dtype=np.int32)], n + 1)
    regions = RegionsOfWalks(task, 0)
    walked = [EXPANSIONS]  # steps from the beginning: too far from the goal at first, and at last
    regions.walk = lambda n, go_on: to_bits([np.array(walked, dtype=np.int32)] * n, task.n_atoms)  # type: ignore[method-assign]
    heuristic = bind_heuristic(task, "goalcount")
    assert regions(heuristic, rollouts, 10, lambda m: drawn) is None
    walked[0] = n - 5
    assert regions(heuristic, rollouts, 10, lambda m: drawn) is not None
    walked[0] = 0
    assert regions(heuristic, rollouts, 10, lambda m: drawn) is not None, "it led to goals once"


def test_a_state_from_which_no_way_leads_to_the_goal_is_farther_than_all_others() -> None:
    # One key opens one of two doors; behind the wrong one there is nothing.
    task = make_task(4, [([0], [1], [0], 1), ([0], [2], [0], 1), ([1], [3], [1], 1)], [0], [3], [[0, 1, 2, 3]])
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=1))
    drawn = to_bits([np.array([0], dtype=np.int32)], 4)
    heuristic = bind_heuristic(task, lambda cells: np.where(cells[:, 2] > 0, 1.0, 8.0))
    found: dict[int, float] = {}
    regions = RegionsOfWalks(task, 0)
    for _ in range(5):
        lesson = regions.teach(heuristic, rollouts, 4 * EXPANSIONS, lambda n: drawn)
        truth, labels = from_bits(lesson.states, 4), lesson.labels
        found |= {int(np.flatnonzero(row)[0]): float(v) for row, v in zip(truth, labels, strict=True)}
        finite = [float(v) for row, v in zip(truth, labels, strict=True) if not row[2]]
        assert all(v == pytest.approx(NO_WAY_OUT * max(finite)) for row, v in zip(truth, labels, strict=True) if row[2])
    assert 2 in found


def test_only_none_leaves_labels_alone() -> None:
    assert [name for name, way in IMPROVEMENTS.items() if way.make is None] == ["none"]
    assert inf > NO_WAY_OUT > 1
