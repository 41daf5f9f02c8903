"""Choices along plans: what they are, and that a network learns to make them."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import numpy as np
import pytest
import torch

from goalward.learning import PreimageOptions, ranked_lessons, train_with
from goalward.learning.choice_batches import MARGIN, ChoiceBatches
from goalward.learning.lesson import Choices, join_choices
from goalward.learning.options import NetworkShape
from goalward.learning.plan_lessons import STATES_PER_PLAN
from goalward.learning.ranked_lessons import RankedPlans
from goalward.learning.state_network import StateNetwork
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, Source
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.states import from_bits, random_walk_states, states_along
from goalward.task.strips import Ints, Task
from helpers import make_tiny
from oracle import State, as_set, successors


def as_sets(task: Task, rows: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> list[State]:
    return [as_set(np.flatnonzero(row)) for row in from_bits(rows, task.n_atoms)]


def choices_of(task: Task, init: Ints | None = None) -> tuple[tuple[int, ...], Choices]:
    init = task.init if init is None else init
    plan = search(task, "blind", SearchOptions("astar"), init=init).plan
    assert plan is not None
    lessons = RankedPlans(task, 0)
    lessons._keep(plan, states_along(task, init, plan))
    (choices,) = lessons._choices
    return plan, choices


@pytest.mark.parametrize("name", ["blocks", "delivery", "tiles", "visitall"])
def test_the_others_are_successors_that_the_plan_does_not_come_to_by_a_step_that_is_left(name: str) -> None:
    task = make_tiny(name).task
    plan, choices = choices_of(task)
    before, after, others = (as_sets(task, rows) for rows in (choices.before, choices.after, choices.others))
    assert len(choices) == len(plan)
    state = as_set(task.init)
    for step, operator in enumerate(plan):
        steps = dict(successors(task, state))
        assert (before[step], after[step]) == (state, steps[operator])
        expected = [s for o, s in steps.items() if o not in plan[step:] and s != steps[operator]]
        found = [other for other, owner in zip(others, choices.owners, strict=True) if owner == step]
        assert len(found) == min(len(expected), RankedPlans.others)
        assert all(other in expected for other in found)
        state = steps[operator]
    assert len(others) > 0


def test_some_choices_are_those_of_some_steps() -> None:
    task = make_tiny("blocks").task
    plan, choices = choices_of(task)
    both = join_choices([choices, choices])
    assert len(both) == 2 * len(plan)
    steps = np.array([len(plan) + 2, 0, len(plan) - 1])
    some = both.chosen(steps)
    for i, step in enumerate(steps % len(plan)):
        assert np.array_equal(some.before[i], choices.before[step])
        assert np.array_equal(some.after[i], choices.after[step])
        assert np.array_equal(some.others[some.owners == i], choices.others[choices.owners == step])


def test_the_loss_is_small_where_the_step_taken_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goalward.learning.choice_batches.STEPS", 2)
    task = make_tiny("blocks").task
    plan, choices = choices_of(task)
    network = StateNetwork(task.n_atoms, NetworkShape(width=8), torch.Generator().manual_seed(1))
    batches = ChoiceBatches(task, choices, "cpu")

    def value(
        rows: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        cells = torch.from_numpy(from_bits(rows, task.n_atoms).astype(np.float32))
        return 3.0 * network(cells).detach().numpy()

    before, after, others = value(choices.before), value(choices.after), value(choices.others)
    for begin in [*range(0, len(plan), 2), 0]:  # and round again
        steps = range(begin, min(begin + 2, len(plan)))
        rest = [(after[owner], other) for other, owner in zip(others, choices.owners, strict=True) if owner in steps]
        expected = np.mean([np.log1p(np.exp(after[i] - before[i] + MARGIN)) for i in steps])
        expected += np.mean([np.log1p(np.exp(taken - other + MARGIN)) for taken, other in rest])
        assert batches.loss(network, 3.0).item() == pytest.approx(expected, rel=1e-4)


def test_a_lesson_has_choices_of_the_latest_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranked_lessons, "CHOICES", 7)
    monkeypatch.setattr(ranked_lessons, "MOST_STEPS", 20)
    task = make_tiny("blocks").task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=3))
    source = Source(task, rollouts, SamplingOptions(60, 0.5, "reachable"))
    lessons = RankedPlans(task, 3)
    for _ in range(6):
        lesson = lessons(
            bind_heuristic(task, "goalcount"), rollouts, 3 * STATES_PER_PLAN, lambda m: source.draw_states(m)[0]
        )
    assert lesson.choices is not None
    assert len(lesson.choices) == 7
    assert sum(map(len, lessons._choices)) <= 20
    assert lesson.most_uses == ranked_lessons.USES


def test_a_network_learns_to_choose_what_plans_chose() -> None:
    task = make_tiny("delivery").task
    options = PreimageOptions(
        width=32, samples=2000, rollouts=20, length=10, sampler=("mixed",), labels=("d",), improve=("ranked",),
        max_epochs=12, enough_looks=0, validation_states=0,
    )  # fmt: skip

    starts = [state for state in random_walk_states(task, 40, 30, seed=7) if not task.is_goal(state)]
    choices = join_choices([choices_of(task, start)[1] for start in starts])

    def straight(how: str, seed: int) -> float:
        heuristic = train_with(task, "n-rsl", replace(options, improve=(how,), seed=seed)).heuristic()
        after, others = heuristic.evaluate(choices.after), heuristic.evaluate(choices.others)
        return float((after[choices.owners] < others).mean())

    seeds = range(4)
    assert mean(straight("ranked", seed) for seed in seeds) > mean(straight("none", seed) for seed in seeds) + 0.02
    assert (
        train_with(task, "n-rsl", options).weights.table.tobytes()
        == train_with(task, "n-rsl", options).weights.table.tobytes()
    ), "the same seed, the same network"
