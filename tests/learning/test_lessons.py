"""Lessons: what each epoch is trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from goalward.learning import TrainingOptions, lessons, train_network
from goalward.learning.improvements import IMPROVEMENTS
from goalward.learning.lesson import MOST_USES, Lesson, Pace
from goalward.learning.lessons import (
    BEYOND_SHARE,
    ENOUGH_IMPROVED,
    FreshLessons,
    OneDataset,
)
from goalward.learning.region_lessons import Draw, bellman
from goalward.learning.results import Epoch
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.sampling import Dataset, SamplingOptions, Source
from goalward.sampling.labels import GoOn
from goalward.search.heuristics import BoundHeuristic
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import BitRows
from goalward.task.strips import Task
from helpers import make_tiny

N = 200
SMALL = TrainingOptions(width=8, max_epochs=6, batch_size=50, patience=50).resolved()


def make_source(name: str = "blocks", labels: str = "min-ff", share: float = 0.5, sampler: str = "mixed") -> Source:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=4, length=10))
    return Source(task, rollouts, SamplingOptions(N, share, sampler, labels=labels))


def constant(n_atoms: int) -> NetworkWeights:
    """A network that says 3 of every state."""
    from goalward.search.network import Layer  # noqa: PLC0415

    none = np.zeros((1, 1), dtype=np.float32)
    return NetworkWeights(np.zeros((n_atoms, 1), dtype=np.float32), none[0], (Layer(none, none[0] + 3),))


def say(task: Task) -> Callable[[], NetworkWeights]:
    return lambda: constant(task.n_atoms)


def no_improvement(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson:
    states = draw(n)
    return Lesson(states, np.full(len(states), 77, dtype=np.float32))


def test_a_data_set_is_every_lesson(dataset: Dataset) -> None:
    data = OneDataset(dataset)
    first = data.next(0.0, None)
    assert np.array_equal(first.labels, dataset.labels)
    assert data.next(0.9, None) is first
    assert data.comparable


def test_fresh_lessons_have_other_states_and_right_labels() -> None:
    source = make_source()
    fresh = FreshLessons(source, N, None, None, fresh=True)
    found = [fresh.next(share, say(fresh.task)) for share in (0.0, 0.2, 0.9)]
    assert len({lesson.states.tobytes() for lesson in found}) == 3
    for lesson in found:
        assert np.array_equal(lesson.labels, source.label(lesson.states))
    assert not fresh.comparable, "other states, other losses; and nothing is learned by heart"


def test_lessons_that_are_not_fresh_keep_their_states() -> None:
    same = FreshLessons(make_source(labels="d", share=0.0), N, no_improvement, None, fresh=False)
    first, later = same.next(0.0, None), same.next(0.9, say(same.task))
    assert np.array_equal(first.states, later.states)
    assert set(later.labels) == {77}


def test_labels_are_improved_once_the_network_knows_something() -> None:
    fresh = FreshLessons(make_source(), N, no_improvement, None, fresh=True)
    improved = [set(fresh.next(share, say(fresh.task)).labels) == {77} for share in (0.0, 0.29, 0.3, 0.9)]
    assert improved == [False, False, True, True]
    assert not fresh.comparable


def test_where_the_network_knows_too_little_labels_stay_what_they_are() -> None:
    answers: list[Lesson | None] = [None, None]
    asked = 0

    def hesitant(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson | None:
        nonlocal asked
        asked += 1
        return answers.pop() if answers else no_improvement(heuristic, rollouts, n, draw, go_on)

    source = make_source()
    fresh = FreshLessons(source, N, hesitant, None, fresh=True)
    fresh.next(0.0, None)
    found = [fresh.next(share, say(fresh.task)) for share in (0.4, 0.5, 0.6)]
    assert asked == 3
    for lesson in found[:2]:
        assert np.array_equal(lesson.labels, source.label(lesson.states))
    assert set(found[2].labels) == {77}
    assert not fresh.enough(), "only lessons with better labels count"


def test_a_network_that_does_well_early_gets_improved_labels_before_the_end() -> None:
    fresh = FreshLessons(make_source(), N, no_improvement, None, fresh=True)
    assert set(fresh.next(0.0, None).labels) != {77}
    for _ in range(ENOUGH_IMPROVED):
        assert not fresh.enough()
        assert set(fresh.next(0.1, say(fresh.task)).labels) == {77}
    assert fresh.enough()
    assert FreshLessons(make_source(), N, None, None, fresh=True).enough()


def test_many_small_lessons_are_enough_when_they_have_as_many_states() -> None:
    fresh = FreshLessons(make_source(), 10 * N, no_improvement, 100.0, fresh=True, pace=Pace(states=N))
    fresh.begin(100.0)
    fresh.next(0.0, None)
    improved: list[Lesson] = []
    while not fresh.enough():
        lesson = fresh.next(0.1, say(fresh.task))
        if set(lesson.labels) == {77} and not any(lesson is other for other in improved):
            improved.append(lesson)
    assert [len(lesson.labels) for lesson in improved] == [N] * 10 * ENOUGH_IMPROVED


def test_training_ends_when_it_is_enough_for_the_watcher_and_the_lessons() -> None:
    source = make_source()
    fresh = FreshLessons(source, N, no_improvement, None, fresh=True)
    result = train_network(fresh, replace(SMALL, max_epochs=50), watch=lambda *_: "validation states solved")
    assert result.end == "validation states solved"
    assert len(result.curve) == 1 + ENOUGH_IMPROVED


def test_the_first_lesson_is_told_of() -> None:
    told: list[dict[str, Any]] = []
    fresh = FreshLessons(make_source(share=0.25), N, None, None, fresh=True, tell=told.append)
    fresh.next(0.0, None)
    fresh.next(0.1, None)
    assert [(entry["samples"], entry["random share"], entry["sampler"]) for entry in told] == [(N, 0.25, "mixed")]


def test_lessons_grow_where_no_clock_says_how_large_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "FIRST_STATES", 30)
    fresh = FreshLessons(make_source(share=0.0), N, None, None, fresh=True)
    assert [len(fresh.next(0.0, None).labels) for _ in range(5)] == [30, 60, 120, N, N]


def test_few_states_are_beyond_all_pre_images() -> None:
    source = make_source("tiles", labels="d", share=0.8, sampler="reachable")
    everything = source.draw(N)
    assert (everything.labels == everything.beyond).mean() > 0.3
    fresh = FreshLessons(make_source("tiles", labels="d", share=0.8, sampler="reachable"), N, None, None, fresh=True)
    found = fresh.next(0.0, None).labels
    known = int((everything.labels < everything.beyond).sum())
    assert (found < everything.beyond).sum() == known, "no other state is left out"
    assert (found == everything.beyond).sum() == int(BEYOND_SHARE * N)


def test_where_all_states_are_beyond_they_stay() -> None:
    source = make_source("tiles", labels="d", share=1.0, sampler="reachable")
    source.label = lambda states: np.full(len(states), source.rollouts.beyond, dtype=np.int32)
    assert len(FreshLessons(source, N, None, None, fresh=True).next(0.0, None).labels) == N


# --- time ---


class Clock:
    """A clock that only goes on when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(lessons.time, "monotonic", lambda: self.now)


class SlowSource(Source):
    """Every state that is labelled takes a while."""

    def __init__(self, source: Source, clock: Clock, seconds: float) -> None:
        super().__init__(source.task, source.rollouts, source.options)
        first = self.label

        def slow(states: BitRows) -> npt.NDArray[np.int32]:
            clock.now += seconds * len(states)
            return first(states)

        self.label = slow


def test_a_lesson_that_took_long_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    fresh = FreshLessons(SlowSource(make_source(), clock, 0.01), N, None, 100.0, fresh=True)
    found = []
    for _ in range(2 * MOST_USES):
        found.append(fresh.next(0.0, None))
        clock.now += 0.1  # training on it
    assert [lesson is found[0] for lesson in found] == [True] * MOST_USES + [False] * MOST_USES
    assert found[-1] is found[MOST_USES]


def test_better_labels_have_a_pace_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    def slow(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson:
        clock.now += 1.0
        return replace(no_improvement(heuristic, rollouts, n, draw, go_on), most_uses=100)

    pace = Pace(first_share=0.1, states=30)
    fresh = FreshLessons(make_source(), N, slow, 100.0, fresh=True, pace=pace)
    assert set(fresh.next(0.09, say(fresh.task)).labels) != {77}
    clock.now += 0.25
    found = []
    for _ in range(20):
        found.append(fresh.next(0.1, say(fresh.task)))
        clock.now += 0.25  # training on it
    assert set(found[0].labels) == {77}
    assert len(found[0].labels) == 30
    assert [lesson is found[0] for lesson in found] == [True] * 4 + [False] * 16, "as long as making it"
    assert found[7] is found[4]


@pytest.mark.parametrize(("limit", "seconds", "answer"), [(10.0, 0.9, True), (10.0, 1.1, False), (None, 1e6, True)])
def test_searches_for_a_lesson_end_with_their_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, seconds: float, answer: bool
) -> None:
    clock = Clock(monkeypatch)
    asked: list[bool] = []

    def slow(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson:
        clock.now += seconds
        asked.append(go_on())
        return no_improvement(heuristic, rollouts, n, draw, go_on)

    fresh = FreshLessons(make_source(), N, slow, limit, fresh=True)
    fresh.begin(limit)
    fresh.next(0.5, say(fresh.task))
    assert asked == [answer]


def test_no_lesson_is_made_that_would_not_be_ready_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    fresh = FreshLessons(SlowSource(make_source(), clock, 0.01), N, None, 10.0, fresh=True)
    first = fresh.next(0.0, None)  # takes two seconds
    clock.now += 3.0
    assert fresh.next(0.79, None) is not first
    clock.now += 3.0
    last = fresh.next(0.5, None)
    clock.now += 3.0
    assert fresh.next(0.81, None) is last


def test_a_lesson_that_takes_no_time_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    fresh = FreshLessons(make_source(), N, None, 100.0, fresh=True)
    first = fresh.next(0.0, None)
    clock.now += 0.1
    assert fresh.next(0.0, None) is not first


def test_with_a_time_limit_there_are_many_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "FEWEST", 10)
    clock = Clock(monkeypatch)
    fresh = FreshLessons(SlowSource(make_source(share=0.0), clock, 0.01), N, None, 20.0, fresh=True)
    assert len(fresh.next(0.0, None).labels) == 10, "the first one finds out how long it takes"
    clock.now += 0.1  # as long as it took to make: two hundredths of a second per state
    assert len(fresh.next(0.0, None).labels) == 50, "a twentieth of the time"


@pytest.mark.parametrize(("limit", "seconds", "answer"), [(10.0, 1.9, True), (10.0, 2.1, False), (None, 1e6, True)])
def test_drawing_ends_with_its_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, seconds: float, answer: bool
) -> None:
    source = make_source()
    asked: list[GoOn] = []
    real = source.draw_states
    monkeypatch.setattr(source, "draw_states", lambda n, go_on: asked.append(go_on) or real(n, go_on=go_on))
    made = FreshLessons(source, N, None, limit, fresh=True)
    made.begin(limit)
    now = lessons.time.monotonic()
    monkeypatch.setattr(lessons.time, "monotonic", lambda: now)
    made.next(0.0, None)
    monkeypatch.setattr(lessons.time, "monotonic", lambda: now + seconds)
    assert asked[0]() is answer


def test_without_a_time_limit_the_clock_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(seconds: float) -> list[bytes]:
        clock = Clock(monkeypatch)
        fresh = FreshLessons(SlowSource(make_source(share=0.0), clock, seconds), N, None, None, fresh=True)
        return [fresh.next(0.0, None).states.tobytes() for _ in range(4)]

    assert run(0.0) == run(10.0)


# --- training on them ---


class Counted:
    """Lessons that remember what they were asked for."""

    def __init__(self, task: Task, given: list[Lesson], *, comparable: bool) -> None:
        self.task = task
        self.comparable = comparable
        self.given = given
        self.progress: list[float] = []
        self.knew: list[bool] = []

    def begin(self, time_limit: float | None) -> None:
        pass

    def enough(self) -> bool:
        return True

    def next(self, progress: float, weights: Callable[[], NetworkWeights] | None) -> Lesson:
        self.progress.append(progress)
        self.knew.append(weights is not None and weights().table.shape[0] == self.task.n_atoms)
        return self.given[min(len(self.progress), len(self.given)) - 1]


def lessons_of(*scales: float, comparable: bool = True) -> Counted:
    source = make_source(share=0.0)
    return Counted(
        source.task,
        [Lesson(d.states, d.labels * np.float32(scale)) for scale in scales for d in [source.draw(N)]],
        comparable=comparable,
    )


def test_every_epoch_has_its_lesson() -> None:
    given = lessons_of(1.0, 1.0, 1.0)
    train_network(given, replace(SMALL, max_epochs=4))
    assert given.progress == [0.0, 0.25, 0.5, 0.75]
    assert given.knew == [False, True, True, True]


def test_the_last_weights_are_kept_where_losses_cannot_be_compared() -> None:
    last: list[NetworkWeights] = []

    def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> None:
        last.append(weights())

    harder = (1.0, 3.0, 9.0)  # losses grow with the labels
    result = train_network(lessons_of(*harder, comparable=False), replace(SMALL, max_epochs=3, patience=1), watch=watch)
    losses = [epoch.validation_loss for epoch in result.curve]
    assert losses == sorted(losses)
    assert result.best_epoch == 3
    assert np.array_equal(result.weights.table, last[-1].table)
    kept = train_network(lessons_of(*harder), replace(SMALL, max_epochs=3, patience=1))
    assert kept.end == "early stopping"
    assert kept.best_epoch == 1


def test_training_goes_on_from_weights_and_with_improved_labels() -> None:
    source = make_source()
    asked: list[float] = []

    def improve(heuristic: BoundHeuristic, rollouts: Rollouts, n: int, draw: Draw, go_on: GoOn) -> Lesson:
        asked.append(float(heuristic.value(heuristic.task.init)))
        return bellman(heuristic, rollouts, n, draw)

    data = FreshLessons(source, N, improve, None, fresh=True)
    first = train_network(data, replace(SMALL, max_epochs=4))
    expected = float(bind_network(source.task, first.weights).value(source.task.init))
    asked.clear()
    train_network(data, replace(SMALL, max_epochs=1), start=first.weights)
    assert asked == [pytest.approx(expected)], "the first lesson, by the weights that it starts from"


def test_one_lesson_again_and_again_is_a_data_set() -> None:
    source = make_source()
    dataset = source.draw(N)
    again = Counted(source.task, [Lesson(dataset.states, dataset.labels.astype(np.float32))], comparable=True)
    first, second = (train_network(data, SMALL) for data in (dataset, again))
    assert [epoch.train_loss for epoch in first.curve] == [epoch.train_loss for epoch in second.curve]
    assert np.array_equal(first.weights.table, second.weights.table)


@pytest.mark.parametrize("improve", IMPROVEMENTS)
def test_fresh_training_learns_and_the_same_seed_gives_the_same_network(improve: str) -> None:
    def run(seed: int) -> tuple[float, bytes]:
        source = make_source()
        make = IMPROVEMENTS[improve].make
        data = FreshLessons(source, 500, make(source.task, seed) if make else None, None, fresh=True)
        result = train_network(
            data, TrainingOptions(width=24, max_epochs=40, batch_size=25, learning_rate=3e-3, seed=seed)
        )
        return result.curve[-1].validation_loss, result.weights.table.tobytes()

    loss, weights = run(3)
    spread = make_source().draw(500).labels.var()
    assert loss < 0.5 * spread, "better than the best constant"
    assert run(3)[1] == weights
    assert run(4)[1] != weights
