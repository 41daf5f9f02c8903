"""Tasks and small data sets to train on."""

from __future__ import annotations

import pytest

from goalward.regression import RolloutOptions, regress
from goalward.sampling import Dataset, SamplingOptions, make_dataset
from goalward.task.domains import generate
from goalward.task.strips import Task
from helpers import make_tiny


def make(task: Task, n: int, length: int = 20) -> Dataset:
    rollouts = regress(task, RolloutOptions(n_rollouts=3, length=length))
    return make_dataset(task, rollouts, SamplingOptions(n, sampler="reachable"))


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    """A thousand states of four blocks."""
    return make(make_tiny("blocks").task, 1000)


@pytest.fixture(scope="session")
def sparse_dataset() -> Dataset:
    """States of eight tiles: few of many atoms are true."""
    task = generate("tiles", rows=4, cols=4, seed=0).ground()
    return make(task, 600)


@pytest.fixture(scope="session")
def roomy() -> Task:
    """A task with so many states that two random walks never end in the same one."""
    return generate("blocks", n=25, seed=0).ground()
