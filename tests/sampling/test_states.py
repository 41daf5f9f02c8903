"""Sampled states: the pre-image is in them, mutexes hold, and open atoms come from where the sampler says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.regression import METHODS, RolloutOptions, Rollouts, regress
from goalward.sampling import SAMPLERS, Dataset, SamplingOptions, Source, make_dataset
from goalward.sampling.samplers import complete
from goalward.task.states import from_bits, random_walk_states, to_bits
from goalward.task.strips import Ints, Rows, Task
from helpers import TINY, make_tiny
from oracle import make_task
from regression.preimages import Oracle, grouped_tasks, improbability, mask, plan_from

SAMPLES = 300


def masks(dataset: Dataset) -> list[int]:
    return [mask(np.flatnonzero(row)) for row in from_bits(dataset.states, dataset.task.n_atoms)]


def made(
    name: str, sampler: str = "uniform", n: int = SAMPLES, share: float = 0.5, seed: int = 0
) -> tuple[Rollouts, Dataset]:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=3, length=25, seed=seed))
    return rollouts, make_dataset(task, rollouts, SamplingOptions(n, share, sampler, seed))


def without_groups(n_atoms: int) -> Task:
    """A task in which every atom is in the goal and in no group."""
    return make_task(n_atoms, [], [], range(n_atoms))


# --- what every sampled state must be ---


def check(rollouts: Rollouts, dataset: Dataset) -> None:
    task = dataset.task
    oracle = Oracle(task)
    preimages = [mask(x) for x in rollouts.preimages]
    for state, origin in zip(masks(dataset), dataset.origin.tolist(), strict=True):
        forced = preimages[origin] if origin >= 0 else 0
        assert forced & ~state == 0, "an atom of the pre-image is missing"
        assert not oracle.has_mutex_pair(state)
        assert state & ~oracle.core == 0, "an atom that always holds or does not matter is true"
        for atom, negated in enumerate(task.complement_of.tolist()):
            if negated >= 0 and oracle.core >> atom & oracle.core >> negated & 1:
                assert (state >> atom & 1) != (state >> negated & 1), f"{task.atoms[atom]} is not the opposite"
        if origin >= 0:
            assert oracle.goal & ~oracle.replay(state | oracle.fixed, plan_from(rollouts, origin)) == 0


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("name", TINY)
def test_states_of_bundled_tasks_hold_their_pre_image_respect_mutexes_and_replay(name: str, sampler: str) -> None:
    check(*made(name, sampler))


@pytest.mark.parametrize("method", METHODS)
def test_states_replay_over_long_rollouts(method: str) -> None:
    task = make_tiny("blocks", seed=1).task
    rollouts = regress(task, RolloutOptions(method, n_rollouts=2, length=150))
    check(rollouts, make_dataset(task, rollouts, SamplingOptions(600, 0.0)))


@given(task=grouped_tasks(), sampler=st.sampled_from(sorted(SAMPLERS)), seed=st.integers(0, 2**32))
def test_states_of_random_tasks_hold_their_pre_image_respect_mutexes_and_replay(
    task: Task, sampler: str, seed: int
) -> None:
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=8, seed=seed))
    check(rollouts, make_dataset(task, rollouts, SamplingOptions(40, 0.3, sampler, seed)))


# --- coin flips ---


def test_lonely_atoms_are_true_half_of_the_time_and_independent() -> None:
    task = without_groups(70)  # more than one word
    states = from_bits(complete(task, Rows.of([]), np.full(10_000, -1, dtype=np.int32), None, 1), 70)
    assert np.abs(states.mean(axis=0) - 0.5).max() < 0.02
    together = (states.T.astype(float) @ states) / len(states)
    assert np.abs(together[~np.eye(70, dtype=bool)] - 0.25).max() < 0.025


def test_lonely_atoms_are_as_open_where_others_are_forced() -> None:
    task = without_groups(70)
    forced = Rows.of([[0, 63, 64]])
    states = from_bits(complete(task, forced, np.zeros(10_000, dtype=np.int32), None, 1), 70)
    assert states[:, [0, 63, 64]].all()
    assert np.abs(np.delete(states.mean(axis=0), [0, 63, 64]) - 0.5).max() < 0.02


def exact(n_atoms: int, groups: list[list[int]], forced: Iterable[int]) -> dict[int, Fraction]:
    """The distribution of states by the procedure itself: all coin flips, all orders of groups, all survivors."""
    fixed = mask(forced)
    chances: Counter[int] = Counter()
    orders = list(permutations([mask(group) for group in groups]))

    def repair(state: int, order: tuple[int, ...], chance: Fraction) -> None:
        if not order:
            chances[state] += chance  # type: ignore[assignment]
            return
        true = [1 << atom for atom in range(n_atoms) if state & order[0] & 1 << atom]
        kept = [bit for bit in true if bit & fixed] or true
        for bit in kept if len(true) > 1 else [0]:
            survivor = state & ~order[0] | bit if len(true) > 1 else state
            repair(survivor, order[1:], chance / (len(kept) if len(true) > 1 else 1))

    for flips in product([0, 1], repeat=n_atoms):
        start = fixed | mask(np.flatnonzero(flips))
        for order in orders:
            repair(start, order, Fraction(1, 2**n_atoms * len(orders)))
    return dict(chances)


@pytest.mark.parametrize(
    ("groups", "forced"),
    [
        ([[0, 1, 2, 3, 4]], []),
        ([[0, 1, 2, 3, 4]], [2]),
        ([[0, 1], [1, 2]], []),  # a fixed order of groups would favour 2 over 0
        ([[0, 1, 2], [2, 3], [3, 4]], []),
        ([[0, 1, 2], [2, 3], [3, 4]], [3]),
        ([[0, 1], [2, 3]], [0, 3]),
    ],
)
def test_groups_are_visited_in_random_order_and_survivors_are_random(
    groups: list[list[int]], forced: list[int]
) -> None:
    task = make_task(6, [([i], [5], [], 1) for i in range(5)], [], [5], groups)
    n = 20_000
    states = complete(task, Rows.of([forced]), np.zeros(n, dtype=np.int32), None, 3)[:, 0].tolist()
    found = Counter(state & 31 for state in states)
    expected = exact(5, groups, forced)
    assert sum(expected.values()) == 1
    assert found.keys() <= expected.keys()
    order = sorted(expected)
    assert improbability([found[s] for s in order], [n * float(expected[s]) for s in order]) < 4


def test_complements_follow_their_atom_in_coin_flips() -> None:
    # (not p) is never drawn by itself: p is true half of the time and (not p) is true elsewhere.
    task = make_task(4, [([0], [2], [], 1), ([1], [2], [], 1), ([3], [2], [], 1)], [], [2], [[0, 1]])
    task = replace(task, complement_of=np.array([-1, 0, -1, -1], dtype=np.int32))
    states = from_bits(complete(task, Rows.of([]), np.full(8000, -1, dtype=np.int32), None, 1), 4)
    assert (states[:, 0] != states[:, 1]).all()
    assert 0.3 < states[:, 0].mean() < 0.6


def test_a_negative_goal_whose_atom_is_never_needed_can_be_false(negative_goal: Task) -> None:
    """Only (not (dirty r)) matters here, never (dirty r): the complement must still be true or false."""
    rollouts = regress(negative_goal, RolloutOptions(n_rollouts=2, length=10))
    complements = np.flatnonzero(negative_goal.complement_of >= 0)
    for sampler in SAMPLERS:
        dataset = make_dataset(negative_goal, rollouts, SamplingOptions(1000, 1.0, sampler))
        share = from_bits(dataset.states, negative_goal.n_atoms)[:, complements].mean(axis=0)
        assert ((share > 0.05) & (share < 0.95)).all(), f"{sampler}: (not (dirty r)) is true in {share} of the states"
        assert len(set(dataset.labels.tolist())) > 1


# --- walked states ---


@pytest.mark.parametrize("name", ["blocks", "lights", "delivery"])
def test_nothing_forced_gives_walked_states_as_they_are(name: str) -> None:
    oracle = Oracle(make_tiny(name).task)
    _, dataset = made(name, "reachable", n=500, share=1.0)
    known = {state & oracle.core for state in oracle.reachable}
    drawn = masks(dataset)
    assert set(drawn) <= known
    assert len(set(drawn)) > min(20, len(known) / 2)


def test_states_of_the_pool_are_drawn_uniformly() -> None:
    task = without_groups(70)
    pool = to_bits([np.array([i, 69], dtype=np.int32) for i in range(10)], 70)
    states = complete(task, Rows.of([]), np.full(5000, -1, dtype=np.int32), pool, 1)
    counts = Counter(row.tobytes() for row in states)
    assert counts.keys() == {row.tobytes() for row in pool}
    assert improbability(list(counts.values())) < 4


def test_walks_to_the_states_of_a_pool_ask_whether_to_go_on() -> None:
    make_pool = SAMPLERS["reachable"].pool
    assert make_pool is not None
    task = make_tiny("blocks").task
    whole, cut_short = (make_pool(task, 8000, np.random.default_rng(0), go_on) for go_on in (None, lambda: False))
    assert whole is not None
    assert cut_short is not None
    assert len(whole) > 100 * len(cut_short) > 0


@pytest.mark.parametrize("name", TINY)
def test_atoms_of_the_pool_give_way_to_forced_ones_and_to_no_others(name: str) -> None:
    task = make_tiny(name).task
    oracle = Oracle(task)
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=20))
    walked = random_walk_states(task, 10, 30, 5)
    for state in walked:
        chosen = np.arange(len(rollouts), dtype=np.int32)
        rows = complete(task, rollouts.preimages, chosen, to_bits([state], task.n_atoms), 0)
        for x, row in zip(rollouts.preimages, from_bits(rows, task.n_atoms), strict=True):
            gives_way = 0
            for atom in x:
                gives_way |= oracle.excluded_by[atom]
            expected = (mask(state) & ~gives_way | mask(x)) & oracle.core
            for atom, negated in enumerate(task.complement_of.tolist()):
                if negated >= 0 and oracle.core >> negated & ~expected >> negated & 1:
                    expected |= 1 << atom & oracle.core
            assert mask(np.flatnonzero(row)) == expected


def test_a_mixture_is_half_walked_and_half_flipped() -> None:
    task = make_tiny("tiles").task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=10))
    dataset = make_dataset(task, rollouts, SamplingOptions(1001, 1.0, "mixed"))
    # A walked state has every tile and the gap in a place; coin flips leave some group empty almost always.
    true_atoms = from_bits(dataset.states, task.n_atoms).sum(axis=1)
    full = true_atoms == len(task.init)
    assert 500 <= full.sum() <= 520
    origin = make_dataset(task, rollouts, SamplingOptions(1001, 0.5, "mixed")).origin
    assert 200 < (origin[:501] < 0).sum() < 300, "pre-images and random states are spread over both halves"


# --- how many of which ---


def uneven_rollouts() -> tuple[Task, Rollouts]:
    """Of 20 rollouts some end after one step, others go on."""
    operators = [([1], [0], [], 1), ([2], [0], [], 1), ([3], [2], [], 1), ([2], [3], [], 1)]
    task = make_task(4, operators, [], [0])
    return task, regress(task, RolloutOptions("rsl", n_rollouts=20, length=8))


@pytest.mark.parametrize("n", [100, 1000, 1003])
def test_every_level_gets_the_same_number_of_states(n: int) -> None:
    task, rollouts = uneven_rollouts()
    dataset = make_dataset(task, rollouts, SamplingOptions(n, 0.0))
    counts = np.bincount(rollouts.depth[dataset.origin], minlength=rollouts.beyond)
    assert len(counts) == 9
    assert counts.max() - counts.min() <= 1
    assert counts.sum() == n


def test_a_level_draws_from_all_rollouts_that_reach_it() -> None:
    task, rollouts = uneven_rollouts()
    dataset = make_dataset(task, rollouts, SamplingOptions(9 * 1000, 0.0))
    for depth in (0, 1, 8):
        here = np.flatnonzero(rollouts.depth == depth)
        counts = np.bincount(dataset.origin, minlength=len(rollouts))[here]
        assert len(here) == 20 or depth == 8
        assert improbability(counts.tolist()) < 4


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(("share", "random"), [(0.0, 0), (0.25, 50), (0.5, 100), (0.999, 200), (1.0, 200)])
def test_the_share_of_random_states_is_exact(sampler: str, share: float, random: int) -> None:
    _, dataset = made("gripper", sampler, n=200, share=share)
    assert len(dataset) == len(dataset.labels) == len(dataset.states) == 200
    assert int((dataset.origin < 0).sum()) == random


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_same_seed_gives_the_same_data(sampler: str) -> None:
    task = make_tiny("gripper").task
    rollouts = regress(task, RolloutOptions(length=20))

    def draw(seed: int) -> tuple[bytes, bytes, bytes]:
        dataset = make_dataset(task, rollouts, SamplingOptions(500, sampler=sampler, seed=seed))
        return dataset.states.tobytes(), dataset.labels.tobytes(), dataset.origin.tobytes()

    first = draw(4)
    assert draw(4) == first
    assert draw(5)[0] != first[0]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_source_gives_other_states_each_time_and_the_same_for_the_same_seed(sampler: str) -> None:
    task = make_tiny("tiles").task
    rollouts = regress(task, RolloutOptions(length=20))
    options = SamplingOptions(300, sampler=sampler, seed=6)

    def draws() -> list[bytes]:
        source = Source(task, rollouts, options)
        return [source.draw(300).states.tobytes() for _ in range(3)]

    first = draws()
    assert len(set(first)) == 3
    assert draws() == first
    assert first[0] == make_dataset(task, rollouts, options).states.tobytes()


def test_states_are_drawn_in_mixed_order() -> None:
    _, dataset = made("blocks", n=400)
    halves: list[Ints] = np.array_split(dataset.origin < 0, 2)
    assert all(0.3 < half.mean() < 0.7 for half in halves)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_samples": 9}, "n_samples must be between 10 and 50000000, but is 9"),
        ({"n_samples": 50_000_001}, "n_samples must be between 10 and 50000000, but is 50000001"),
        ({"random_share": -0.1}, "random_share must be between 0 and 1, but is -0.1"),
        ({"random_share": 1.5}, "random_share must be between 0 and 1, but is 1.5"),
        ({"random_share": float("nan")}, "random_share must be between 0 and 1, but is nan"),
        ({"sampler": "uniformly"}, "unknown sampler 'uniformly'"),
        ({"labels": "ff"}, "unknown labels 'ff'"),
    ],
)
def test_options_out_of_bounds_are_refused(options: dict[str, float | str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SamplingOptions(**options)  # type: ignore[arg-type]
