"""What the epochs of a training are made of: passes over one data set, or fresh states each time.

No PyTorch here: a network comes as a function that gives its weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from goalward.learning.lesson import STEADY, Lesson, Pace
from goalward.learning.region_lessons import Improve
from goalward.sampling import Dataset, Source
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.states import BitRows
from goalward.task.strips import Task

BEYOND_SHARE = 0.1
"""Of a lesson at most that may be labelled as beyond all pre-images: they tell nothing but that."""
POOL_STATES = 100_000
"""States drawn from one pool of walked ones before there is another."""
LESSON_SHARE = 0.05
"""Of the time limit that making a lesson and training on it may take, so that there are twenty at least."""
MAKING_SHARE = 0.1
"""Of the time limit after which searches for a lesson end with what they have: in huge tasks, they may find nothing."""
DRAWING_SHARE = 0.2
"""Of the time limit after which no more states of a lesson are drawn, nor walked to: in huge tasks, a few must do."""
FEWEST, FIRST_STATES = 500, 10_000
"""States of a lesson at least; of the first lesson without a time limit, each of the next ones has twice as many."""
ENOUGH_IMPROVED, ENOUGH_STATES = 3, 50_000
"""Full lessons with improved labels, or states of smaller ones, before a training may end because it has learned
enough."""

CurrentWeights = Callable[[], NetworkWeights]


class Lessons(Protocol):
    """Gives a lesson for each epoch. ``comparable``: may the losses of different epochs be compared?"""

    task: Task
    comparable: bool

    def begin(self, time_limit: float | None) -> None:
        """A training begins that has so many seconds."""

    def enough(self) -> bool:
        """Told that the network does well already: may training end, or is there more to learn from?"""

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """For the next epoch, after so much of the training (0 to 1).

        There are no weights before the first epoch, unless the network has been trained before.
        """


class OneDataset:
    """The same data set in every epoch."""

    comparable = True

    def __init__(self, dataset: Dataset) -> None:
        self.task = dataset.task
        self._lesson = Lesson(dataset.states, dataset.labels.astype(np.float32))

    def begin(self, time_limit: float | None) -> None:
        """It takes no time to make."""

    def enough(self) -> bool:
        """There is nothing else."""
        return True

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """What it always is."""
        return self._lesson


class FreshLessons:
    """New states for every epoch, whose labels the network itself improves once it knows something.

    With a time limit, lessons are so small that there are many, and one that took longer to make than to train on is
    used again, and so is the last one for which there was time; ``pace`` says more of lessons with improved labels.
    ``tell`` hears of the first lesson.
    """

    def __init__(
        self,
        source: Source,
        n: int,
        improve: Improve | None,
        time_limit: float | None,
        *,
        fresh: bool,
        pace: Pace = STEADY,
        tell: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.task = source.task
        self.comparable = improve is None and not fresh
        self._source = source
        self._n = n
        self._improve = improve
        self._time_limit = time_limit
        self._deadline = math.inf
        self._fresh = fresh
        self._tell = tell
        self._made = 0  # lessons
        self._improved = 0  # of them, with improved labels
        self._improved_states = 0
        self._pace = pace
        self._first_share = pace.first_share
        self._states: BitRows | None = None  # of all lessons, unless they are fresh
        self._origin = np.zeros(0, dtype=np.int32)
        self._drawn = 0
        self._lesson: Lesson | None = None
        self._uses = 0
        self._made_in = 0.0  # seconds that the last lesson took to make
        self._given_at = 0.0
        self._seconds_per_state = 0.0  # to make and to train on, of the last lesson

    def begin(self, time_limit: float | None) -> None:
        """Lessons of an earlier training are over."""
        self._time_limit = time_limit
        self._deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._lesson = None

    def next(self, progress: float, weights: CurrentWeights | None) -> Lesson:
        """A lesson with first labels, or with improved ones in the later part of the training."""
        begun = time.monotonic()
        if self._lesson:
            trained_in = (begun - self._given_at) / self._uses
            self._seconds_per_state = (self._made_in + trained_in) / len(self._lesson.labels)
            if self._time_limit:
                costly = self._uses < self._lesson.most_uses and self._made_in > trained_in * self._uses
                too_late = self._made_in > (1 - progress) * self._time_limit
                if costly or too_late:
                    self._uses += 1
                    return self._lesson
        better = None
        if self._improve and weights and (self._improved or progress >= self._first_share):
            better = self._make_better(self._improve, weights)
        if better is not None:
            self._improved += 1
            self._improved_states += len(better.labels)
        self._lesson = better or self._make_first()
        self._made += 1
        self._uses = 1
        self._given_at = time.monotonic()
        self._made_in = self._given_at - begun
        return self._lesson

    def enough(self) -> bool:
        """Improved labels come next; where there have been some, it is enough."""
        self._first_share = 0.0
        if self._improve is None:
            return True
        states = min(ENOUGH_STATES, ENOUGH_IMPROVED * self._n)
        return self._improved >= ENOUGH_IMPROVED and self._improved_states >= states

    def _size(self) -> int:
        """How many states: as many as asked for, or as there is time for."""
        if self._time_limit is None:
            return min(self._n, FIRST_STATES << min(self._made, 20))
        if not self._seconds_per_state:
            return min(self._n, FEWEST)
        return min(self._n, max(FEWEST, int(LESSON_SHARE * self._time_limit / self._seconds_per_state)))

    def _draw(self, n: int) -> BitRows:
        if not self._fresh and self._states is not None:
            return self._states
        self._drawn += n
        if self._drawn > POOL_STATES:
            self._source.renew_pools()
            self._drawn = n
        until = math.inf if self._time_limit is None else time.monotonic() + DRAWING_SHARE * self._time_limit
        self._states, self._origin = self._source.draw_states(n, go_on=lambda: time.monotonic() < until)
        return self._states

    def _make_first(self) -> Lesson:
        states = self._draw(self._size())
        labels = self._source.label(states)
        if self._tell and not self._made:
            source = self._source
            drawn = Dataset(self.task, states, labels, self._origin, source.rollouts.beyond, source.options.sampler)
            self._tell(drawn.summary())
        beyond = np.flatnonzero(labels == self._source.rollouts.beyond)
        spare = len(beyond) - int(BEYOND_SHARE * len(labels))
        if spare > 0 and len(beyond) < len(labels):
            kept = np.delete(np.arange(len(labels)), beyond[:spare])
            states, labels = states[kept], labels[kept]
        return Lesson(states, labels.astype(np.float32))

    def _make_better(self, improve: Improve, weights: CurrentWeights) -> Lesson | None:
        heuristic = bind_network(self.task, weights())
        size = self._size() if self._time_limit is None else self._pace.states or self._size()
        ends = self._deadline
        if self._time_limit is not None:
            ends = min(ends, time.monotonic() + MAKING_SHARE * self._time_limit)
        return improve(heuristic, self._source.rollouts, size, self._draw, lambda: time.monotonic() < ends)
