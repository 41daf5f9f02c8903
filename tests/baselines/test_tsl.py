"""TSL: labels are the steps that remain of the plans of a teacher, who has his share of the time."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest

from goalward.baselines import tsl
from goalward.errors import GoalwardError
from goalward.learning import trainer, trials
from goalward.learning.budget import Budget
from goalward.learning.methods import train_with
from goalward.learning.options import TrainingOptions
from goalward.sampling import Dataset
from goalward.sampling.plans import label_plan
from goalward.search import SearchOptions, SearchResult, search
from goalward.task.strips import Task
from helpers import Tiny, make_tiny
from oracle import State, as_set, goal_distances, make_task, successors

from .learners import Log, as_sets, brief, make_trial

# From 0 a walk goes to 1, and on to the goal, or to 3, where nothing is left to do.
FORK = make_task(4, [([0], [1], [0], 1), ([0], [3], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2, 3]])
HOPELESS = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])


def lessons(dataset: Dataset) -> list[list[tuple[State, int]]]:
    """The data plan by plan: each ends with the label 0."""
    plans: list[list[tuple[State, int]]] = [[]]
    for state, label in zip(as_sets(dataset.task, dataset.states), dataset.labels.tolist(), strict=True):
        plans[-1].append((state, label))
        if label == 0:
            plans.append([])
    assert plans.pop() == []
    return plans


# --- labels ---


def test_labels_are_the_steps_that_remain_of_a_valid_plan(tiny: Tiny) -> None:
    task = tiny.task
    dataset, walks, solved = tsl.teach(make_trial(task, tsl.TslOptions(max_walks=12)))
    taught = lessons(dataset)
    goal = as_set(task.goal)
    assert len(taught) == solved <= walks == 12
    for plan in taught:
        assert [label for _, label in plan] == list(range(len(plan) - 1, -1, -1))
        assert goal <= plan[-1][0]
        for (state, _), (following, _) in pairwise(plan):
            assert following in {child for _, child in successors(task, state)}
    distances = goal_distances(task, [plan[0][0] for plan in taught])
    assert all(distances[state] <= label for plan in taught for state, label in plan)


def test_the_plans_are_those_of_gbfs_with_ff_from_the_ends_of_walks() -> None:
    task = make_tiny("gripper").task
    dataset, _, _ = tsl.teach(make_trial(task, tsl.TslOptions(max_walks=10), seed=4))
    for plan in lessons(dataset):
        alone = search(task, "ff", init=np.array(sorted(plan[0][0]), dtype=np.int32))
        assert alone.length == plan[0][1]


def test_the_rest_of_a_plan_leads_from_each_of_its_states_to_the_goal(tiny: Tiny) -> None:
    plan = search(tiny.task, "ff").plan
    assert plan
    rows, labels = label_plan(tiny.task, tiny.task.init, plan)
    for state, label in zip(as_sets(tiny.task, rows), labels.tolist(), strict=True):
        reached = state
        for operator in plan[len(plan) - label :]:
            reached = dict(successors(tiny.task, reached))[operator]
        assert as_set(tiny.task.goal) <= reached


# --- walks ---


@pytest.mark.parametrize("steps", [1, 3])
def test_walks_have_the_steps_they_are_given(steps: int) -> None:
    task = make_tiny("tiles").task  # a walk changes the parity of the gap's place with every step
    dataset, _, _ = tsl.teach(make_trial(task, tsl.TslOptions(max_walks=40, walk_steps=steps)))
    ends = {plan[0][0] for plan in lessons(dataset)}
    layer = {as_set(task.init)}
    for _ in range(steps):
        layer = {child for state in layer for _, child in successors(task, state)}
    assert ends <= layer
    assert len(ends) > 1


def test_every_batch_of_walks_is_another() -> None:
    task = make_tiny("blocks").task
    seen = [tuple(state.tolist()) for state in tsl._ends_of_walks(task, tsl.TslOptions(max_walks=150), 0)]
    assert len(seen) == 150
    assert seen[:50] != seen[50:100] != seen[100:]


def test_walks_that_the_teacher_does_not_solve_are_counted_and_left_out() -> None:
    options = tsl.TslOptions(max_walks=60, walk_steps=1)
    dataset, walks, solved = tsl.teach(make_trial(FORK, options))
    dead = sum(state.tolist() == [3] for state in tsl._ends_of_walks(FORK, options, 0))
    assert 0 < dead < 60
    assert (walks, solved, len(dataset)) == (60, 60 - dead, 2 * (60 - dead))
    assert not any(3 in state for state in as_sets(FORK, dataset.states))


def test_counts_of_walks_are_in_the_notes_and_in_the_log() -> None:
    log = Log()
    model = train_with(FORK, "tsl", brief("tsl", max_walks=60, walk_steps=1), log)
    notes = model.info["notes"]
    assert notes["walks"] == 60
    assert 0 < notes["solved_walks"] < 60
    assert notes["samples"] == 2 * notes["solved_walks"] == log.summaries[0]["samples"]
    assert log.phases == ["teaching", "training"]
    assert f"the teacher solved {notes['solved_walks']} of 60 walks, {notes['samples']} states" in log.messages[0]


def test_a_teacher_who_solves_nothing_is_said_to_in_one_sentence() -> None:
    with pytest.raises(GoalwardError, match=r"solved none of 7 walks; .*teacher_seconds") as caught:
        tsl.teach(make_trial(HOPELESS, tsl.TslOptions(max_walks=7)))
    assert "\n" not in str(caught.value)


# --- time ---


class Clock:
    """Time that passes only in the teacher's searches."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds_per_search: float) -> None:
        self.now = 0.0
        self.limits: list[float | None] = []
        self.training: list[float | None] = []
        self.seconds_per_search = seconds_per_search
        monkeypatch.setattr(tsl, "search", self.search)
        train_network = trainer.train_network

        def train(dataset: Dataset, options: TrainingOptions, **rest: Any) -> Any:
            self.training.append(options.time_limit)
            # With a limit training goes on to its end, which this clock would never reach.
            assert (options.max_epochs == tsl.ENDLESS) == (options.time_limit is not None)
            rest["budget"] = None
            return train_network(dataset, replace(options, time_limit=None, max_epochs=2), **rest)

        monkeypatch.setattr(trainer, "train_network", train)

    def search(self, task: Task, teacher: Any, options: SearchOptions, **rest: Any) -> SearchResult:
        self.limits.append(options.time_limit)
        self.now += self.seconds_per_search
        return search(task, teacher, replace(options, time_limit=None), **rest)

    def trial(self, options: tsl.TslOptions, seconds: float | None) -> trials.Trial[tsl.TslOptions]:
        trial = make_trial(make_tiny("blocks").task, options, seconds)
        return replace(trial, budget=Budget(seconds, clock=lambda: self.now))


def test_teacher_and_training_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, seconds_per_search=1.0)
    result = tsl.learn(clock.trial(tsl.TslOptions(teaching_share=0.25, teacher_seconds=3.0), 20.0))
    assert result.notes["walks"] == 5
    assert clock.limits == [3.0, 3.0, 3.0, 2.0, 1.0]  # the last ones get what is left of the teacher's share
    assert clock.training == [15.0]


def test_what_the_teacher_does_not_use_goes_to_training(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, seconds_per_search=1.0)
    tsl.learn(clock.trial(tsl.TslOptions(max_walks=2), 20.0))
    assert clock.training == [18.0]


def test_one_walk_is_tried_however_short_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, seconds_per_search=50.0)
    result = tsl.learn(clock.trial(tsl.TslOptions(), 1.0))
    assert result.notes["walks"] == 1
    assert clock.training == [0.1]


def test_without_a_time_limit_the_number_of_walks_ends_the_teaching(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, seconds_per_search=1000.0)
    result = tsl.learn(clock.trial(tsl.TslOptions(max_walks=7, teacher_seconds=4.0), None))
    assert result.notes["walks"] == 7
    assert clock.limits == [4.0] * 7
    assert clock.training == [None]


def test_a_given_number_of_walks_gives_the_same_model_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    # A clock that never stands still at the same places: nothing may depend on it.
    monkeypatch.setattr("time.monotonic", lambda: next(ticks) ** 1.5)

    def weights(seed: int) -> bytes:
        return train_with(
            make_tiny("blocks").task, "tsl", brief("tsl", seed=seed, teacher_seconds=1e6)
        ).weights.table.tobytes()

    assert weights(0) == weights(0) != weights(1)
