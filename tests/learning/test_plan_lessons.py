"""Lessons from plans: labels that plans prove, for states along and beside them."""

from __future__ import annotations

import numpy as np
import pytest

from goalward.learning import plan_lessons, teacher
from goalward.learning.plan_lessons import STATES_PER_PLAN, PlansOfWalks
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.sampling import SamplingOptions, Source, label
from goalward.search import bind_heuristic
from goalward.task.states import from_bits, with_fixed
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import cheapest_cost, with_init


def prepared(name: str) -> tuple[Task, Rollouts, Source]:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=3))
    return task, rollouts, Source(task, rollouts, SamplingOptions(60, 0.5, "reachable"))


@pytest.mark.parametrize("name", TINY)
def test_half_of_a_lesson_has_labels_that_plans_prove(name: str) -> None:
    task, rollouts, source = prepared(name)
    n = 4 * STATES_PER_PLAN
    lessons = PlansOfWalks(task, 3)
    lesson = lessons(bind_heuristic(task, "goalcount"), rollouts, n, lambda m: source.draw_states(m)[0])
    states, labels = lesson.states, lesson.labels
    assert len(states) == len(labels)
    taught, proven = states[-n // 2 :], labels[-n // 2 :]
    assert len({row.tobytes() for row in taught}) > 5, "several states"
    for truth, bound in list(zip(from_bits(with_fixed(task, taught), task.n_atoms), proven, strict=True))[::40]:
        assert cheapest_cost(with_init(task, np.flatnonzero(truth)), unit_costs=True) <= bound
    assert proven.min() == 0


def test_plans_are_gathered_from_lesson_to_lesson_and_lower_the_other_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_lessons, "MOST_PLANS", 5)
    task, rollouts, source = prepared("blocks")
    caps = []
    lessons = PlansOfWalks(task, 0)
    given = lessons._regions.teach

    def noted(heuristic, known, n, draw, *more):  # type: ignore[no-untyped-def]
        caps.append(known)
        return given(heuristic, known, n, draw, *more)

    monkeypatch.setattr(lessons._regions, "teach", noted)
    for _ in range(4):
        lessons(bind_heuristic(task, "goalcount"), rollouts, 2 * STATES_PER_PLAN, lambda m: source.draw_states(m)[0])
    kept = [int(known.rollout[-1]) + 1 - 2 for known in caps]  # beside two rollouts
    assert kept == [2, 4, 5, 5], "two plans a lesson, and the latest five are kept"
    states = source.draw_states(200)[0]
    before, after = label(task, rollouts, states), label(task, caps[-1], states)
    assert (after[before < rollouts.beyond] <= before[before < rollouts.beyond]).all()


def test_states_that_are_not_solved_teach_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher, "EXPANSIONS", 1)
    monkeypatch.setattr(teacher, "DOUBLINGS", 0)
    task, rollouts, source = prepared("tiles")
    lesson = PlansOfWalks(task, 0)(bind_heuristic(task, "goalcount"), rollouts, 400, lambda m: source.draw_states(m)[0])
    assert len(lesson.states) == len(lesson.labels)
    assert np.isfinite(lesson.labels).all()


def test_no_search_begins_when_time_is_up() -> None:
    task, rollouts, source = prepared("blocks")
    lessons = PlansOfWalks(task, 0)
    n, heuristic = 5 * STATES_PER_PLAN, bind_heuristic(task, "goalcount")
    lessons(heuristic, rollouts, n, lambda m: source.draw_states(m)[0], lambda: not lessons._plans)
    assert len(lessons._plans) == 1
