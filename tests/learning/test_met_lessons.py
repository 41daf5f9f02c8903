"""Lessons from states that searches met: where they come from, what they are worth, and that plans begin there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from goalward.learning import met_lessons, plan_lessons, teacher
from goalward.learning.lesson import Lesson
from goalward.learning.met_lessons import (
    GOING_ON,
    LATE,
    LATE_WEIGHT,
    MET_SHARE,
    PLAN_SHARE,
    PLANS,
    SEARCHES,
    STATES,
    MetStates,
)
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.sampling import SamplingOptions, Source, label
from goalward.search import bind_heuristic
from goalward.search.batches import Regions, search_regions
from goalward.task.states import BitRows, from_bits, random_walk_states, to_bits, with_fixed
from goalward.task.strips import Ints, Task
from helpers import TINY, make_tiny
from oracle import as_set, cheapest_cost, make_task, successors, with_init


def prepared(name: str) -> tuple[Task, Rollouts, Source]:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=3))
    return task, rollouts, Source(task, rollouts, SamplingOptions(60, 0.5, "reachable"))


def teach(lessons: MetStates, rollouts: Rollouts, source: Source, n: int = STATES) -> Lesson:
    return lessons(bind_heuristic(lessons.task, "goalcount"), rollouts, n, lambda m: source.draw_states(m)[0])


def to_rows(cells: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> BitRows:
    return to_bits([np.flatnonzero(row).astype(np.int32) for row in cells], cells.shape[1])


class Noted:
    """Searches as ever, with a record of where they began and where they were left."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.starts: list[BitRows] = []
        self.found: list[Regions] = []
        monkeypatch.setattr(met_lessons, "search_regions", self)

    def __call__(self, heuristic: Any, states: BitRows, **more: Any) -> Regions:
        self.starts.append(states)
        self.found.append(search_regions(heuristic, states, **more))
        return self.found[-1]


def rows_of(states: BitRows) -> set[bytes]:
    return {row.tobytes() for row in states}


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


@pytest.mark.parametrize("name", ["blocks", "delivery", "tiles"])
def test_a_part_of_a_lesson_has_labels_that_plans_prove(name: str) -> None:
    task, rollouts, source = prepared(name)
    lesson = teach(MetStates(task, 3), rollouts, source)
    begin = round(STATES * MET_SHARE)
    taught = slice(begin, begin + round(STATES * PLAN_SHARE))
    states, labels = with_fixed(task, lesson.states[taught]), lesson.labels[taught]
    for truth, bound in list(zip(from_bits(states, task.n_atoms), labels, strict=True))[::40]:
        assert cheapest_cost(with_init(task, np.flatnonzero(truth)), unit_costs=True) <= bound
    assert len(lesson.labels) == STATES
    assert lesson.choices is not None


def test_searches_go_on_where_the_last_ones_were_left_and_plans_begin_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(met_lessons, "FEWEST", 2)
    monkeypatch.setattr(met_lessons, "MOST", 3)
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared("tiles")
    lessons = MetStates(task, 1)
    begun: list[BitRows] = []

    def solve(_: Any, state: Ints, __: Any) -> bool:
        begun.append(to_bits([state], task.n_atoms))
        return True

    monkeypatch.setattr(lessons, "_solve", solve)
    for _ in range(4):
        teach(lessons, rollouts, source)
    for before, starts in zip(noted.found, noted.starts[1:], strict=False):
        assert rows_of(starts[-GOING_ON:]) <= rows_of(before.exits)
        assert len(starts) == SEARCHES
    for i, found in enumerate(noted.found):
        led_to = np.concatenate(begun[i * PLANS : (i + 1) * PLANS])[PLANS // 2 :]
        assert rows_of(led_to) <= rows_of(found.exits), "from where this search was left"


def test_every_choice_is_between_successors() -> None:
    task, rollouts, source = prepared("blocks")
    choices = teach(MetStates(task, 2), rollouts, source).choices
    assert choices is not None

    def sets(rows: BitRows) -> list[frozenset[int]]:
        return [as_set(np.flatnonzero(row)) for row in from_bits(rows, task.n_atoms)]

    before, after, others = sets(choices.before), sets(choices.after), sets(choices.others)
    for step, state in enumerate(before):
        reached = [s for _, s in successors(task, state)]
        mine = [other for other, owner in zip(others, choices.owners, strict=True) if owner == step]
        assert after[step] in reached
        assert all(other in reached for other in mine)
        assert len(mine) <= MetStates.others


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


def test_larger_lessons_have_more_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared("blocks")
    lesson = teach(MetStates(task, 0), rollouts, source, 3 * STATES)
    assert len(noted.starts) == 3
    assert len(lesson.labels) == 3 * STATES


def test_a_lesson_without_plans_has_no_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher, "EXPANSIONS", 1)
    monkeypatch.setattr(teacher, "DOUBLINGS", 0)
    task, rollouts, source = prepared("tiles")
    lesson = teach(MetStates(task, 0), rollouts, source)
    assert lesson.choices is None
    assert len(lesson.states) == len(lesson.labels) == STATES
    assert np.isfinite(lesson.labels).all()


def test_where_no_plan_is_found_rounds_do_without_more_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    task, rollouts, source = prepared("blocks")
    lessons = MetStates(task, 0)
    tried: list[int] = []
    found = False

    def solve(*_: Any) -> bool:
        tried[-1] += 1
        return found

    monkeypatch.setattr(lessons, "_solve", solve)

    def rounds(n: int) -> list[int]:
        tried.clear()
        for _ in range(n):
            tried.append(0)
            teach(lessons, rollouts, source)
        return tried

    assert rounds(14) == [PLANS, 0, PLANS, 0, 0, 0, PLANS, *[0] * 7]
    found = True
    assert rounds(3) == [PLANS] * 3


def test_where_all_walks_end_in_goals_there_is_nothing_to_meet() -> None:
    task = make_task(2, [([0], [1], [0], 1), ([1], [0], [1], 1)], [0], [], [[0, 1]])  # every state is a goal
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=1))
    drawn = to_bits([np.array([0], dtype=np.int32)] * 10, 2)
    lesson = MetStates(task, 0)(bind_heuristic(task, "goalcount"), rollouts, 10, lambda m: drawn[:m])
    assert len(lesson.labels) == 10
    assert lesson.choices is None


def test_no_plan_is_searched_for_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    monkeypatch.setattr(plan_lessons.Teacher, "find", lambda *_: searched.append(1))
    task, rollouts, source = prepared("blocks")
    lesson = MetStates(task, 0)(
        bind_heuristic(task, "goalcount"), rollouts, STATES, lambda m: source.draw_states(m)[0], lambda: False
    )
    assert not searched
    assert len(lesson.labels) == STATES, "there is something to train on all the same"


def test_labels_of_all_parts_are_capped_by_what_plans_prove() -> None:
    task, rollouts, source = prepared("delivery")
    lessons = MetStates(task, 5)
    lesson = teach(lessons, rollouts, source)
    for _, along in lessons._plans:
        bound = label(task, along, lesson.states)
        proven = bound < along.beyond
        assert (lesson.labels[proven] <= bound[proven]).all()
