"""A sliding puzzle: solvable, and with a goal in the half of all states that slides do not reach."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goalward.task.domains import generate
from goalward.task.strips import Task


@pytest.fixture(scope="session")
def puzzle() -> Task:
    """Too large for blind search, and its plans are not improved to the end in the time of a test."""
    return generate("tiles", rows=4, cols=4, seed=0).ground()


@pytest.fixture(scope="session")
def endless() -> Task:
    """A task that no search gets through in the time of a test."""
    instance = generate("tiles", rows=4, cols=4, seed=0)
    init, goal = instance.problem_text.split("(:goal")
    swapped = goal.replace("t1 s-1-1", "t1 s-1-2").replace("t2 s-1-2", "t2 s-1-1")
    return replace(instance, problem_text=f"{init}(:goal{swapped}").ground()
