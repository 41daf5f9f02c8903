"""Boot and BExp: regressions become longer with success, labels come from searches, and any ending leaves a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.baselines import bexp, boot, regressed
from goalward.baselines.bexp import expansion_labels
from goalward.baselines.boot import BootOptions, ReplayBuffer, next_max_length, plan_labels
from goalward.baselines.regressed import PLAIN_SAMPLERS, RegressedStates
from goalward.learning.methods import train_with
from goalward.regression import Rollouts, regress
from goalward.search import SearchOptions, Status, bind_heuristic, search
from goalward.search.batches import ManyResults, search_many
from goalward.task.states import BitRows, random_walk_states, to_bits
from goalward.task.strips import Rows, Task
from helpers import Tiny, make_tiny
from oracle import State, as_set, goal_distances, make_task, successors

from .learners import Log, as_sets, brief, make_trial

HOPELESS = make_task(3, [([0], [1], [0], 1), ([0], [2], [0], 1)], [0], [1, 2])


def walked(task: Task, n: int) -> BitRows:
    return to_bits(random_walk_states(task, n, 50, 3), task.n_atoms)


def goal_of(task: Task) -> State:
    return as_set(task.goal)


# --- growth ---


def test_regressions_double_when_95_percent_are_solved_for_every_number_of_states() -> None:
    assert next_max_length(3, 0, 0, BootOptions()) == 3
    for tried in range(1, 3000):
        enough = -(-19 * tried // 20)
        assert next_max_length(3, enough, tried, BootOptions()) == 6
        assert next_max_length(3, enough - 1, tried, BootOptions()) == 3


def test_regressions_do_not_grow_beyond_their_bound() -> None:
    assert next_max_length(60, 10, 10, BootOptions(max_length=100)) == 100
    assert next_max_length(100, 10, 10, BootOptions(max_length=100)) == 100


class Staged:
    """Rounds with known numbers of solved states; writes down the lengths that were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, solved: list[int]) -> None:
        self.lengths: list[int] = []
        self.solved = iter(solved)
        draw = RegressedStates.draw

        def drawn(source: RegressedStates, n: int, max_length: int) -> Any:
            self.lengths.append(max_length)
            return draw(source, n, max_length)

        monkeypatch.setattr(RegressedStates, "draw", drawn)
        monkeypatch.setattr(boot, "search_many", self.search)

    def search(self, heuristic: Any, states: BitRows, **_: Any) -> ManyResults:
        found = search_many(bind_heuristic(heuristic.task, "ff"), states)
        assert found.solved.all()
        n = next(self.solved)
        status = [Status.SOLVED] * n + [Status.OUT_OF_EXPANSIONS] * (len(states) - n)
        plans = Rows.of([plan if i < n else [] for i, plan in enumerate(found.plans)])
        return ManyResults(status, found.expanded, plans, found.left_at)


@pytest.mark.parametrize("learn", [boot.learn, bexp.learn])
def test_rounds_follow_the_rule(monkeypatch: pytest.MonkeyPatch, learn: Callable[..., Any]) -> None:
    staged, log = Staged(monkeypatch, [20, 18, 19, 0, 20, 20, 20]), Log()
    options = BootOptions(first_length=3, states=20, max_rounds=7, max_length=30)
    result = learn(make_trial(make_tiny("blocks").task, options, log=log))
    assert staged.lengths == [3, 6, 6, 12, 12, 24, 30]
    assert result.notes == {"rounds": 7, "longest_regression": 30, "tried": 140, "solved": 117}
    assert result.end == "all epochs"
    assert [message.partition(":")[0] for message in log.messages] == ["round 1", "round 3", "round 5", "round 6"]
    assert "20 of 20 states solved; regressions of up to 6 steps" in log.messages[0]


# --- what is remembered ---


@given(capacity=st.integers(1, 12), sizes=st.lists(st.integers(0, 15), max_size=8))
def test_the_buffer_keeps_the_newest(capacity: int, sizes: list[int]) -> None:
    buffer, everything, number = ReplayBuffer(capacity), [], 0
    for size in sizes:
        fresh = list(range(number, number + size))
        buffer.add(np.array(fresh, dtype=np.uint64).reshape(-1, 1), np.array(fresh, dtype=np.float32))
        everything += fresh
        number += size
        newest = everything[-capacity:]
        assert buffer.size == len(newest)
        if newest:
            states, labels = buffer.draw(10**6, np.random.default_rng(0))
            assert labels.tolist() == newest == states[:, 0].tolist()


def test_states_are_drawn_without_replacement_and_keep_their_labels() -> None:
    buffer = ReplayBuffer(100)
    buffer.add(np.arange(100, dtype=np.uint64).reshape(-1, 1), np.arange(100, dtype=np.float32))
    random = np.random.default_rng(0)
    draws = [buffer.draw(60, random) for _ in range(2)]
    for states, labels in draws:
        assert len(set(labels.tolist())) == 60
        assert states[:, 0].tolist() == labels.tolist()
    assert set(draws[0][1].tolist()) != set(draws[1][1].tolist())


# --- labels ---


def some_searches(task: Task) -> tuple[BitRows, ManyResults]:
    """Searches some of which do not end in time."""
    states = walked(task, 30)
    results = search_many(bind_heuristic(task, "goalcount"), states, expansion_limit=6)
    assert 0 < results.solved.sum() < len(results)
    return states, results


@pytest.mark.parametrize("name", ["blocks", "tiles", "storage", "lights"])
def test_plans_label_every_state_on_them_with_the_steps_that_remain(name: str) -> None:
    task = make_tiny(name).task
    states, results = some_searches(task)
    rows, labels = plan_labels(task, states, results)
    starts, labelled = as_sets(task, states), zip(as_sets(task, rows), labels.tolist(), strict=True)
    for i in np.flatnonzero(results.solved):
        plan, state = results.plans[int(i)].tolist(), starts[int(i)]
        for done in range(len(plan) + 1):
            assert next(labelled) == (state, len(plan) - done)
            if done < len(plan):
                state = dict(successors(task, state))[plan[done]]
        assert goal_of(task) <= state
    assert next(labelled, None) is None  # nothing of searches that found no plan


@pytest.mark.parametrize("name", ["blocks", "tiles", "storage", "lights"])
def test_expansions_label_the_states_that_were_solved(name: str) -> None:
    task = make_tiny(name).task
    states, results = some_searches(task)
    rows, labels = expansion_labels(task, states, results)
    alone = [
        search(task, "goalcount", SearchOptions(expansion_limit=6), init=np.array(sorted(state), dtype=np.int32))
        for state in as_sets(task, states)
    ]
    assert labels.tolist() == [result.statistics.expanded for result in alone if result.solved]
    assert (rows == states[[result.solved for result in alone]]).all()


@pytest.mark.parametrize("make_labels", [plan_labels, expansion_labels])
def test_unsolved_states_give_no_data(make_labels: boot.Labels) -> None:
    states = to_bits([HOPELESS.init] * 3, 3)
    rows, labels = make_labels(HOPELESS, states, search_many(bind_heuristic(HOPELESS, "ff"), states))
    assert rows.shape == (0, 1)
    assert labels.shape == (0,)


# --- regressed states ---


@pytest.mark.parametrize("sampler", PLAIN_SAMPLERS)
@pytest.mark.parametrize("longest", [1, 7])
def test_regressed_states_reach_the_goal_within_the_steps_of_their_regression(
    tiny: Tiny, sampler: str, longest: int
) -> None:
    task = tiny.task
    rows, depths = RegressedStates(task, sampler, 0).draw(25, longest)
    states = as_sets(task, rows)
    assert len(states) == 25
    assert all(1 <= depth <= longest for depth in depths.tolist())
    assert all(task.violated_group(np.array(sorted(state), dtype=np.int32)) is None for state in states)
    distances = goal_distances(task, states)
    assert all(distances[state] <= depth for state, depth in zip(states, depths.tolist(), strict=True))


def test_each_state_contains_a_pre_image_of_its_own_regression(monkeypatch: pytest.MonkeyPatch, tiny: Tiny) -> None:
    made: list[Rollouts] = []

    def noted(*arguments: Any) -> Rollouts:
        made.append(regress(*arguments))
        return made[-1]

    monkeypatch.setattr(regressed, "regress", noted)
    rows, depths = RegressedStates(tiny.task, "uniform", 2).draw(40, 12)
    (rollouts,) = made
    for i, (state, depth) in enumerate(zip(as_sets(tiny.task, rows), depths.tolist(), strict=True)):
        (own,) = np.flatnonzero((rollouts.rollout == i) & (rollouts.depth == depth))
        assert as_set(rollouts.preimages[int(own)]) <= state


def test_all_lengths_occur_alike() -> None:
    _, depths = RegressedStates(make_tiny("tiles").task, "uniform", 0).draw(4000, 8)
    counts = np.bincount(depths, minlength=9)
    assert counts[0] == 0
    assert all(400 < count < 600 for count in counts[1:])


def test_a_regression_that_ends_early_gives_its_last_pre_image() -> None:
    chain = make_task(3, [([0], [1], [0], 1), ([1], [2], [1], 1)], [0], [2], [[0, 1, 2]])
    rows, depths = RegressedStates(chain, "uniform", 0).draw(100, 50)
    labelled = set(zip(as_sets(chain, rows), depths.tolist(), strict=True))
    assert labelled == {(frozenset({1}), 1), (frozenset({0}), 2)}
    rows, depths = RegressedStates(make_task(2, [], [0], [0, 1]), "uniform", 0).draw(3, 5)
    assert depths.tolist() == [0, 0, 0]


def test_draws_follow_the_seed_and_go_on() -> None:
    task = make_tiny("blocks").task

    def draws(seed: int) -> list[list[list[int]]]:
        source = RegressedStates(task, "uniform", seed)
        return [source.draw(20, 6)[0].tolist() for _ in range(2)]

    assert draws(0) == draws(0) != draws(1)
    assert draws(0)[0] != draws(0)[1]


# --- ends ---


def test_ctrl_c_while_it_searches_leaves_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> ManyResults:
        raise KeyboardInterrupt

    monkeypatch.setattr(boot, "search_many", interrupted)
    task = make_tiny("blocks").task
    model = train_with(task, "boot", brief("boot", max_rounds=3))
    assert (model.info["end"], model.info["curve"], model.info["notes"]["rounds"]) == ("interrupted", [], 0)
    assert search(task, model.heuristic()).solved


def test_a_task_of_which_nothing_is_solved_does_no_harm() -> None:
    model = train_with(HOPELESS, "boot", brief("boot", max_rounds=3, states=10))
    assert model.info["end"] == "all epochs"


def test_a_round_that_solves_nothing_leaves_no_number_that_json_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    Staged(monkeypatch, [10, 0, 10])
    options = brief("boot", max_rounds=3, states=10)
    model = train_with(make_tiny("blocks").task, "boot", options)
    json.dumps(model.info, allow_nan=False)
    losses = [row[2] for row in model.info["curve"]]
    assert [loss is None for loss in losses] == [False, True, False]
    assert model.info["validation_loss"] == losses[2], "that of the weights that are kept"
