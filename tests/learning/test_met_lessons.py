"""Lessons from states that searches met: where they come from and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from goalward.learning import met_lessons
from goalward.learning.led_lessons import SEARCHES, STATES
from goalward.learning.met_lessons import LATE, LATE_WEIGHT, MET_SHARE, MetStates
from goalward.search import bind_heuristic
from goalward.search.batches import search_regions
from goalward.task.states import BitRows, from_bits, random_walk_states, to_bits
from helpers import TINY
from oracle import cheapest_cost, with_init

from .searched import Noted, prepared, rows_of, teach


def to_rows(cells: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> BitRows:
    return to_bits([np.flatnonzero(row).astype(np.int32) for row in cells], cells.shape[1])


@pytest.mark.parametrize("name", TINY)
def test_states_that_searches_met_are_worth_their_relaxed_plans_or_less_where_that_is_proven(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared(name)
    lessons = MetStates(task, 3)
    lesson = teach(lessons, rollouts, source)
    n = round(STATES * MET_SHARE)
    met, labels = lesson.states[:n], lesson.labels[:n]
    assert rows_of(met) <= rows_of(noted.found[0].states)
    relaxed = bind_heuristic(task, "ff", unit_costs=True).evaluate(met)
    alive = np.isfinite(relaxed)
    assert (labels[alive] <= relaxed[alive]).all()
    for row, bound, value in list(zip(met[alive], labels[alive], relaxed[alive], strict=True))[::40]:
        if bound < value:
            cost = cheapest_cost(
                with_init(task, np.flatnonzero(from_bits(row[None], task.n_atoms)[0])), unit_costs=True
            )
            assert cost <= bound, "a pre-image proves it"


def test_what_searches_met_is_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(met_lessons, "MOST_MET", 50)
    monkeypatch.setattr(met_lessons, "KEPT", 5)
    task, rollouts, source = prepared("blocks")
    lessons = MetStates(task, 0)
    kept = []
    for _ in range(5):
        teach(lessons, rollouts, source)
        kept.append(sum(len(states) for states, _ in lessons._met))
    assert kept[1] > kept[0]
    assert max(kept) <= 50


def test_states_that_the_network_likes_too_well_are_taken_more_often() -> None:
    task, rollouts, _ = prepared("blocks")
    lessons = MetStates(task, 0)
    states = to_bits(random_walk_states(task, 40, 30, seed=3), task.n_atoms)
    liked = np.arange(len(states)) < len(states) // 2
    values = np.full(len(states), 9.0, dtype=np.float32)
    lessons._met = [(states, values)]
    known = {row.tobytes(): bool(like) for row, like in zip(states, liked, strict=True)}
    wrong = bind_heuristic(task, lambda cells: np.where([known[row.tobytes()] for row in to_rows(cells)], -41.0, 20.0))
    taken = lessons._some_met(wrong, 5000, rollouts).states
    share = np.mean([known[row.tobytes()] for row in taken])
    expected = sum(known[row.tobytes()] * 51 for row in states) / sum(51 if known[r.tobytes()] else 1 for r in states)
    assert share == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("value", [-3e38, np.inf, -np.inf])
def test_a_network_that_has_gone_astray_does_no_harm(value: float) -> None:
    task, rollouts, _ = prepared("blocks")
    lessons = MetStates(task, 0)
    states = to_bits(random_walk_states(task, 40, 30, seed=3), task.n_atoms)
    lessons._met = [(states, np.full(len(states), 9.0, dtype=np.float32))]
    wrong = bind_heuristic(task, lambda cells: np.full(len(cells), value))
    lesson = lessons._some_met(wrong, 100, rollouts)
    assert len(lesson.labels) == 100
    assert np.isfinite(lesson.labels).all()


def test_most_states_kept_are_from_where_a_search_was_led_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(met_lessons, "KEPT", 2)
    task, _, _ = prepared("tiles")
    found = search_regions(bind_heuristic(task, "blind"), to_bits([task.init] * 4, task.n_atoms), expansions=100)
    lessons = MetStates(task, 0)
    begins = np.flatnonzero(np.diff(found.origins, prepend=-1))
    sizes = np.diff([*begins, len(found)])
    assert (sizes == sizes[0]).all()
    late = 0
    for _ in range(200):
        kept = lessons._kept(found)
        assert len(set(kept.tolist())) == len(kept) == 2 * SEARCHES
        late += int((kept - begins[found.origins[kept]] >= LATE * sizes[0]).sum())
    expected = LATE_WEIGHT * (1 - LATE) / (LATE_WEIGHT * (1 - LATE) + LATE)
    assert late / (200 * 2 * SEARCHES) == pytest.approx(expected, abs=0.06)
