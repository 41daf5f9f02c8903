"""Rollouts: every step by the paper's definition, choices uniform where they should be, and plans that replay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.regression import METHODS, RolloutOptions, Rollouts, regress
from goalward.task.strips import Task
from helpers import TINY, make_tiny
from oracle import make_task

from .preimages import Oracle, grouped_tasks, improbability, mask, plan_from

# Goal {0, 1}; operators 1 and 2 add both goal atoms, the last needs three atoms, the others two.
SIX_WAYS = make_task(
    9,
    [
        ([2, 3], [0], [], 1),
        ([2, 4], [0, 1], [], 1),
        ([3, 4], [0, 1], [], 1),
        ([4, 5], [1], [], 1),
        ([5, 6], [1], [], 1),
        ([6, 7, 8], [1], [], 1),
    ],
    [],
    [0, 1],
)


def rows(rollouts: Rollouts) -> list[tuple[int, int, int, int]]:
    """(rollout, depth, operator, pre-image) of every entry."""
    columns = (rollouts.rollout, rollouts.depth, rollouts.operators)
    triples = zip(*(column.tolist() for column in columns), strict=True)
    return [(*triple, mask(x)) for triple, x in zip(triples, rollouts.preimages, strict=True)]


def check(task: Task, rollouts: Rollouts, options: RolloutOptions) -> None:
    """Check that every step of every rollout is what the paper says."""
    oracle = Oracle(task)
    entries = rows(rollouts)
    assert sorted({j for j, *_ in entries}) == list(range(options.n_rollouts))
    for j in range(options.n_rollouts):
        own = [entry for entry in entries if entry[0] == j]
        assert [depth for _, depth, _, _ in own] == list(range(len(own)))
        assert own[0][2:] == (-1, oracle.goal & oracle.core)
        assert len(own) <= options.length + 1
        x = seen = own[0][3]
        for _, _, a, after in own[1:]:
            valid = oracle.valid(x)
            assert a in valid
            assert after == oracle.preimage(x, a)
            if options.method == "n-rsl":
                assert oracle.mu_plus(a, seen) == max(oracle.mu_plus(b, seen) for b in valid)
            x = after
            seen |= x
        if len(own) <= options.length:
            assert oracle.valid(x) == [], "the rollout ended although there is a valid action"
    assert not any(oracle.has_mutex_pair(x) for *_, x in entries)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TINY)
def test_every_step_is_the_papers_on_bundled_tasks(name: str, method: str) -> None:
    for seed in range(2):
        task = make_tiny(name, seed=seed).task
        options = RolloutOptions(method, n_rollouts=3, length=40, seed=seed)
        rollouts = regress(task, options)
        assert rollouts.longest >= 3
        check(task, rollouts, options)


@given(task=grouped_tasks(), method=st.sampled_from(sorted(METHODS)), seed=st.integers(0, 2**64 - 1))
@example(task=SIX_WAYS, method="n-rsl", seed=0)
@example(task=make_task(1, [], [], []), method="rsl", seed=0)  # nothing to regress from
@example(task=make_task(2, [([0], [1], [0], 1)], [0], [1], [[0, 1]]), method="rsl", seed=0)
def test_every_step_is_the_papers_on_random_tasks(task: Task, method: str, seed: int) -> None:
    options = RolloutOptions(method, n_rollouts=3, length=12, seed=seed)  # type: ignore[arg-type]
    check(task, regress(task, options), options)


@given(task=grouped_tasks(), method=st.sampled_from(sorted(METHODS)), data=st.data())
def test_any_state_of_a_pre_image_reaches_the_goal_by_its_plan(task: Task, method: str, data: st.DataObject) -> None:
    oracle = Oracle(task)
    rollouts = regress(task, RolloutOptions(method, n_rollouts=2, length=10))  # type: ignore[arg-type]
    for k, (_, depth, _, x) in enumerate(rows(rollouts)):
        others = data.draw(st.integers(0, 2**task.n_atoms - 1))
        plan = plan_from(rollouts, k)
        assert len(plan) == depth
        assert oracle.goal & ~oracle.replay(x | others | oracle.fixed, plan) == 0


# --- choices ---


def first_choices(method: str) -> list[int]:
    """How often each operator of SIX_WAYS is chosen first, over 3000 seeds."""
    options = RolloutOptions(method, n_rollouts=1, length=1)  # type: ignore[arg-type]
    picks = Counter(int(regress(SIX_WAYS, replace(options, seed=s)).operators[1]) for s in range(3000))
    return [picks[a] for a in range(SIX_WAYS.n_operators)]


def test_rsl_chooses_uniformly_among_the_valid_actions() -> None:
    # An action that adds two atoms of x is not twice as likely.
    assert improbability(first_choices("rsl")) < 4


def test_n_rsl_takes_the_action_with_the_most_new_atoms() -> None:
    assert first_choices("n-rsl") == [0, 0, 0, 0, 0, 3000]


def test_n_rsl_breaks_ties_uniformly() -> None:
    task = make_task(7, [([i], [0], [], 1) for i in range(1, 7)], [], [0])
    rollouts = regress(task, RolloutOptions("n-rsl", n_rollouts=3000, length=1, seed=5))
    assert improbability(np.bincount(rollouts.operators[1::2]).tolist()) < 4


def test_rsl_chooses_uniformly_at_every_step() -> None:
    # In blocks the choice narrows and widens: given the way so far, all valid actions are equally likely.
    task = make_tiny("blocks").task
    oracle = Oracle(task)
    rollouts = regress(task, RolloutOptions("rsl", n_rollouts=4000, length=3, seed=11))
    ways: dict[tuple[int, ...], Counter[int]] = {}
    for k in np.flatnonzero(rollouts.depth == 3):
        way = tuple(rollouts.operators[k - 2 : k + 1].tolist())
        for i in range(3):
            ways.setdefault(way[:i], Counter())[way[i]] += 1
    checked = 0
    for way, picks in ways.items():
        x = oracle.goal & oracle.core
        for a in way:
            x = oracle.preimage(x, a)
        valid = oracle.valid(x)
        assert picks.keys() <= set(valid)
        if len(valid) > 1 and picks.total() > 20 * len(valid):
            assert improbability([picks[a] for a in valid]) < 4
            checked += 1
    assert checked >= 5


def test_the_check_of_uniformity_notices_a_small_bias() -> None:
    assert improbability([500] * 5 + [700]) > 4
    assert improbability([480, 520, 505, 495, 510, 490]) < 4


def test_what_n_rsl_has_seen_is_forgotten_between_rollouts() -> None:
    # 1 is new in every rollout, so the action that needs it and 2 always goes before the one that needs 2 alone.
    task = make_task(3, [([1, 2], [0], [], 1), ([2], [0], [], 1)], [], [0])
    rollouts = regress(task, RolloutOptions("n-rsl", n_rollouts=50, length=1))
    assert set(rollouts.operators[1::2].tolist()) == {0}


# --- how a rollout ends ---


def test_rollouts_may_have_different_lengths() -> None:
    # From {0} one action leads to a dead end and one around a circle.
    operators = [([1], [0], [], 1), ([2], [0], [], 1), ([3], [2], [], 1), ([2], [3], [], 1)]
    task = make_task(4, operators, [], [0])
    rollouts = regress(task, RolloutOptions("rsl", n_rollouts=20, length=8))
    lengths = np.bincount(rollouts.rollout) - 1
    assert set(lengths.tolist()) == {1, 8}
    assert rollouts.longest == 8


def test_a_goal_that_always_holds_has_nothing_to_regress_from() -> None:
    task = make_task(2, [([0], [1], [], 1)], [0], [0])
    rollouts = regress(task)
    assert len(rollouts) == 5
    assert (rollouts.longest, rollouts.beyond) == (0, 1)
    assert rollouts.preimages.lengths.tolist() == [0] * 5


# --- seeds and options ---


def same(first: Rollouts, second: Rollouts) -> bool:
    return rows(first) == rows(second)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_rollouts(method: str) -> None:
    task = make_tiny("blocks").task
    options = RolloutOptions(method, n_rollouts=4, length=30, seed=7)
    assert same(regress(task, options), regress(task, options))
    assert not same(regress(task, options), regress(task, replace(options, seed=8)))


@pytest.mark.parametrize("method", METHODS)
def test_a_rollout_does_not_depend_on_how_many_there_are(method: str) -> None:
    task = make_tiny("gripper").task
    few = regress(task, RolloutOptions(method, n_rollouts=2, length=30, seed=1))
    many = regress(task, RolloutOptions(method, n_rollouts=6, length=30, seed=1))
    assert rows(many)[: len(few)] == rows(few)
    later = {tuple(entry[1:] for entry in rows(many) if entry[0] == j) for j in range(6)}
    assert len(later) > 1, "rollouts of one call differ from one another"


@pytest.mark.parametrize("method", METHODS)
def test_a_short_rollout_is_the_beginning_of_a_long_one(method: str) -> None:
    task = make_tiny("tiles").task
    short = regress(task, RolloutOptions(method, n_rollouts=1, length=10))
    long = regress(task, RolloutOptions(method, n_rollouts=1, length=50))
    assert rows(long)[: len(short)] == rows(short)


def test_rollouts_end_where_they_are_when_asked_to() -> None:
    task = make_tiny("tiles").task
    options = RolloutOptions(n_rollouts=100_000, length=1_000_000)  # would take hours
    answers = iter([True, True])
    part = regress(task, options, go_on=lambda: next(answers, False))
    whole = regress(task, RolloutOptions(n_rollouts=1, length=min(part.longest, 50)))
    assert 1 < len(part) < 10**9
    assert rows(part)[: len(whole)] == rows(whole)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "srl"}, "unknown regression 'srl' (known: rsl, n-rsl)"),
        ({"n_rollouts": 0}, "n_rollouts must be between 1 and 100000, but is 0"),
        ({"n_rollouts": 100_001}, "n_rollouts must be between 1 and 100000, but is 100001"),
        ({"length": 0}, "length must be between 1 and 1000000, but is 0"),
        ({"length": 1_000_001}, "length must be between 1 and 1000000, but is 1000001"),
    ],
)
def test_options_out_of_bounds_are_refused(options: dict[str, int | str], words: str) -> None:
    with pytest.raises(UsageError, match=r"^.*" + words.replace("(", r"\(").replace(")", r"\)")):
        RolloutOptions(**options)  # type: ignore[arg-type]
