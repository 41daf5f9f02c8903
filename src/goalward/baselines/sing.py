"""SING: learning from backward depth-first searches (Yu, Kuroiwa, Fukunaga 2020), configuration C4.

Each search starts from a random full goal state and visits a fixed number of states. A state is labelled with the depth
at which it was visited. Network and training are those of RSL, as in the paper's comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goalward import _core
from goalward.baselines.regressed import PLAIN_SAMPLERS, SAMPLER_HELP
from goalward.declared import option
from goalward.learning.options import SupervisedOptions
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.regression.rollouts import native_regression
from goalward.sampling import SAMPLERS, Dataset
from goalward.sampling.samplers import complete
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, add_fixed_atoms
from goalward.task.strips import Ints, Rows, Task


@dataclass(frozen=True)
class SingOptions(SupervisedOptions):
    """The options of SING: number and size of the backward searches, and the sampler of their goal states."""

    searches: int = option(200, "number of backward searches, each from its own goal state", 1, 1_000_000)
    samples: int = option(500, "number of states visited by each search", 1, 1_000_000)
    sampler: str = option("uniform", SAMPLER_HELP, choices=PLAIN_SAMPLERS)


@dataclass(frozen=True, eq=False)
class BackwardStates:
    """States visited by backward searches. Applying ``operators[i]`` in state i leads to state ``parent[i]``."""

    states: BitRows
    depth: Ints
    search: Ints
    parent: Ints
    operators: Ints


def random_goal_states(task: Task, n: int, sampler: str, seed: int, go_on: Callable[[], bool] | None = None) -> BitRows:
    """Sample n full states in which the goal holds."""
    random = np.random.default_rng([seed, 0x60A1])
    core = core_atoms(task)
    goal = Rows.of([[int(atom) for atom in task.goal if core[atom]]])
    make_pool = SAMPLERS[sampler].pool
    assert make_pool is not None
    pool = make_pool(task, n, random, go_on)
    return add_fixed_atoms(task, complete(task, goal, np.zeros(n, dtype=np.int32), pool, int(random.integers(2**63))))


def search_backwards(
    task: Task, goals: BitRows, samples: int, seed: int, go_on: Callable[[], bool] | None = None
) -> BackwardStates:
    """Run a backward depth-first search from each goal state, with predecessors in random order and no duplicates."""
    return BackwardStates(*_core.backward_searches(native_regression(task), goals, n=samples, seed=seed, go_on=go_on))


def make_dataset(
    task: Task, options: SingOptions, seed: int, go_on: Callable[[], bool] = lambda: True
) -> tuple[Dataset, int]:
    """Make the data set of visited states and their depths, and return it with the number of searches.

    Many random goal states have few predecessors. Until there are enough states, further searches are made, up to ten
    times the number asked for.
    """
    wanted = options.searches * options.samples
    states, depths = [], []
    found = searches = 0
    for number in range(10):
        goals = random_goal_states(task, options.searches, options.sampler, seed + number * 2**32, go_on)
        part = search_backwards(task, goals, options.samples, seed + number * 2**32, go_on)
        states.append(part.states)
        depths.append(part.depth)
        found += len(part.depth)
        searches += options.searches
        if found >= wanted or not go_on():
            break
    rows, labels = np.concatenate(states)[:wanted], np.concatenate(depths)[:wanted]
    return Dataset.of_labelled(task, rows, labels, "backward"), searches


def learn(trial: Trial[SingOptions]) -> TrainingResult:
    """Run the backward searches, then train on their states."""
    trial.phase("backward searches")
    dataset, searches = make_dataset(trial.task, trial.options, trial.seed, trial.until("sampling"))
    trial.data(dataset.summary())
    return trial.fit(dataset, samples=len(dataset), searches=searches, deepest=int(dataset.labels.max()))
