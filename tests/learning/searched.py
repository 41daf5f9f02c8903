"""What the tests of lessons from searches share: tasks, lessons, and a record of the searches."""

from __future__ import annotations

from typing import Any

import pytest

from goalward.learning import led_lessons
from goalward.learning.led_lessons import STATES, LedPlans
from goalward.learning.lesson import Lesson
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.sampling import SamplingOptions, Source
from goalward.search import bind_heuristic
from goalward.search.batches import Regions, search_regions
from goalward.task.states import BitRows
from goalward.task.strips import Task
from helpers import make_tiny


def prepared(name: str) -> tuple[Task, Rollouts, Source]:
    task = make_tiny(name).task
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=3))
    return task, rollouts, Source(task, rollouts, SamplingOptions(60, 0.5, "reachable"))


def teach(lessons: LedPlans, rollouts: Rollouts, source: Source, n: int = STATES) -> Lesson:
    return lessons(bind_heuristic(lessons.task, "goalcount"), rollouts, n, lambda m: source.draw_states(m)[0])


class Noted:
    """Searches as ever, with a record of where they began and where they were left."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.starts: list[BitRows] = []
        self.found: list[Regions] = []
        monkeypatch.setattr(led_lessons, "search_regions", self)

    def __call__(self, heuristic: Any, states: BitRows, **more: Any) -> Regions:
        self.starts.append(states)
        self.found.append(search_regions(heuristic, states, **more))
        return self.found[-1]


def rows_of(states: BitRows) -> set[bytes]:
    return {row.tobytes() for row in states}
