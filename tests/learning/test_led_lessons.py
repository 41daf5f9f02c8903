"""Lessons from where searches with the network are led: these go on, plans begin there, and what states are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from goalward.learning import led_lessons, plan_lessons, teacher
from goalward.learning.led_lessons import GOING_ON, LATEST, PLAN_SHARE, PLANS, SEARCHES, STATES, LedPlans
from goalward.learning.lesson import Lesson
from goalward.learning.met_lessons import MET_SHARE, MetStates
from goalward.learning.region_lessons import Draw
from goalward.regression import RolloutOptions, Rollouts, join_rollouts, regress
from goalward.sampling import label
from goalward.sampling.labels import GoOn
from goalward.search import BoundHeuristic, bind_heuristic
from goalward.task.states import BitRows, from_bits, to_bits, with_fixed
from goalward.task.strips import Ints
from oracle import as_set, cheapest_cost, make_task, successors, with_init

from .searched import Noted, prepared, rows_of, teach

BOTH = pytest.mark.parametrize("kind", [LedPlans, MetStates])


@pytest.mark.parametrize("name", ["blocks", "delivery", "tiles"])
@BOTH
def test_a_part_of_a_lesson_has_labels_that_plans_prove(kind: type[LedPlans], name: str) -> None:
    task, rollouts, source = prepared(name)
    lesson = teach(kind(task, 3), rollouts, source)
    begin = round(STATES * MET_SHARE) if kind is MetStates else 0
    taught = slice(begin, begin + round(STATES * PLAN_SHARE))
    states, labels = with_fixed(task, lesson.states[taught]), lesson.labels[taught]
    for truth, bound in list(zip(from_bits(states, task.n_atoms), labels, strict=True))[::40]:
        assert cheapest_cost(with_init(task, np.flatnonzero(truth)), unit_costs=True) <= bound
    assert len(lesson.labels) == STATES
    assert lesson.choices is not None


@BOTH
def test_searches_go_on_where_the_last_ones_were_left_and_plans_begin_there(
    kind: type[LedPlans], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(led_lessons, "FEWEST", 2)
    monkeypatch.setattr(led_lessons, "MOST", 3)
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared("tiles")
    lessons = kind(task, 1)
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


@BOTH
def test_every_choice_is_between_successors(kind: type[LedPlans]) -> None:
    task, rollouts, source = prepared("blocks")
    choices = teach(kind(task, 2), rollouts, source).choices
    assert choices is not None

    def sets(rows: BitRows) -> list[frozenset[int]]:
        return [as_set(np.flatnonzero(row)) for row in from_bits(rows, task.n_atoms)]

    before, after, others = sets(choices.before), sets(choices.after), sets(choices.others)
    for step, state in enumerate(before):
        reached = [s for _, s in successors(task, state)]
        mine = [other for other, owner in zip(others, choices.owners, strict=True) if owner == step]
        assert after[step] in reached
        assert all(other in reached for other in mine)
        assert len(mine) <= kind.others


@BOTH
def test_larger_lessons_have_more_searches(kind: type[LedPlans], monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch)
    task, rollouts, source = prepared("blocks")
    lesson = teach(kind(task, 0), rollouts, source, 3 * STATES)
    assert len(noted.starts) == 3
    assert len(lesson.labels) == 3 * STATES


@BOTH
def test_a_lesson_without_plans_has_no_choices(kind: type[LedPlans], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher, "EXPANSIONS", 1)
    monkeypatch.setattr(teacher, "DOUBLINGS", 0)
    task, rollouts, source = prepared("tiles")
    lesson = teach(kind(task, 0), rollouts, source)
    assert lesson.choices is None
    assert len(lesson.states) == len(lesson.labels) == STATES
    assert np.isfinite(lesson.labels).all()


@BOTH
def test_where_no_plan_is_found_rounds_do_without_more_and_more(
    kind: type[LedPlans], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "_needs_plans", lambda _: True)
    task, rollouts, source = prepared("blocks")
    lessons = kind(task, 0)
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


@BOTH
def test_where_all_walks_end_in_goals_there_is_nothing_to_meet(kind: type[LedPlans]) -> None:
    task = make_task(2, [([0], [1], [0], 1), ([1], [0], [1], 1)], [0], [], [[0, 1]])  # every state is a goal
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=1))
    drawn = to_bits([np.array([0], dtype=np.int32)] * 10, 2)
    lesson = kind(task, 0)(bind_heuristic(task, "goalcount"), rollouts, 10, lambda m: drawn[:m])
    assert len(lesson.labels) == 10
    assert lesson.choices is None


@BOTH
def test_no_plan_is_searched_for_when_time_is_up(kind: type[LedPlans], monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    monkeypatch.setattr(plan_lessons.Teacher, "find", lambda *_: searched.append(1))
    task, rollouts, source = prepared("blocks")
    lesson = kind(task, 0)(
        bind_heuristic(task, "goalcount"), rollouts, STATES, lambda m: source.draw_states(m)[0], lambda: False
    )
    assert not searched
    assert len(lesson.labels) == STATES, "there is something to train on all the same"


@BOTH
def test_labels_of_all_parts_are_capped_by_what_plans_prove(kind: type[LedPlans]) -> None:
    task, rollouts, source = prepared("delivery")
    lessons = kind(task, 5)
    lesson = teach(lessons, rollouts, source)
    for _, along in lessons._plans:
        bound = label(task, along, lesson.states)
        proven = bound < along.beyond
        assert (lesson.labels[proven] <= bound[proven]).all()


def test_regions_take_the_place_of_plans_where_searches_meet_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    task, rollouts, source = prepared("tiles")
    lessons = LedPlans(task, 1)
    taught: list[int] = []
    teach_regions = lessons._regions.teach

    def noted(heuristic: BoundHeuristic, known: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson:
        taught.append(n)
        return teach_regions(heuristic, known, n, draw, go_on)

    monkeypatch.setattr(lessons._regions, "teach", noted)
    for heuristic, expansions, regions in (("blind", 20, False), ("ff", 2000, True)):
        monkeypatch.setattr(led_lessons, "FEWEST", expansions)
        monkeypatch.setattr(led_lessons, "MOST", expansions + 1)
        for _ in range(LATEST // SEARCHES):
            lessons(bind_heuristic(task, heuristic), rollouts, STATES, lambda m: source.draw_states(m)[0])
        assert bool(taught) == regions


def test_half_the_drawn_states_keep_what_pre_images_say_of_them() -> None:
    task, rollouts, source = prepared("delivery")
    lessons = LedPlans(task, 5)
    lesson = teach(lessons, rollouts, source)
    drawn = slice(-round(STATES * (1 - PLAN_SHARE)) // 2, None)
    states, labels = lesson.states[drawn], lesson.labels[drawn]
    known = join_rollouts([rollouts, *(along for _, along in lessons._plans)])
    assert np.array_equal(labels, label(task, known, states))
    assert (labels == known.beyond).any(), "what nobody knows is far away"
    assert (labels < known.beyond).any()
