"""TSL: learning from the plans of a teacher (Ferber, Helmert, Hoffmann 2020).

The teacher, GBFS with h_FF, solves states at the ends of random walks from the initial state. Every state along a plan
is labelled with the number of steps that remain.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from goalward.declared import DURATION, SHARE, option
from goalward.errors import GoalwardError
from goalward.learning.options import ENDLESS, SupervisedOptions
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.sampling import Dataset
from goalward.sampling.plans import label_plan
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.states import random_walk_states
from goalward.task.strips import Ints, Task

_WALKS_AT_ONCE = 50


@dataclass(frozen=True)
class TslOptions(SupervisedOptions):
    """The options of TSL: the random walks, and the time limits of the teacher."""

    walk_steps: int = option(200, "steps of a random walk", 1, 1_000_000)
    teacher_seconds: float = option(5.0, "time limit of the teacher's search from the end of one walk", kind=DURATION)
    teaching_share: float = option(
        0.5, "share of the time limit that the teacher may use; the rest is for training", 0.01, 0.99, kind=SHARE
    )
    max_walks: int = option(10_000, "maximum number of walks", 1, 10_000_000)

    ended_by: ClassVar[str | None] = "max_walks"

    def resolved(self) -> Self:
        """With a time limit, the defaults of ``max_epochs`` and ``patience`` let training use all of it."""
        full = super().resolved()
        if full.time_limit is None:
            return full
        return replace(full, max_epochs=self.max_epochs or ENDLESS, patience=self.patience or ENDLESS)


def learn(trial: Trial[TslOptions]) -> TrainingResult:
    """Make the data set from the teacher's plans, then train on it."""
    trial.phase("teaching")
    dataset, walks, solved = teach(trial)
    trial.data(dataset.summary())
    trial.message(f"the teacher solved {solved} of {walks} walks, {len(dataset)} states along the plans")
    return trial.fit(dataset, walks=walks, solved_walks=solved, samples=len(dataset))


def teach(trial: Trial[TslOptions]) -> tuple[Dataset, int, int]:
    """Solve the ends of random walks; return the data set, the number of walks, and the number of solved ones."""
    task, options = trial.task, trial.options
    teacher = bind_heuristic(task, "ff")
    left = trial.budget.left
    teaching = trial.budget.part(None if left is None else left * options.teaching_share)
    states, labels = [], []
    walks = solved = 0
    for start in _ends_of_walks(task, options, trial.seed):
        if walks and teaching.over:
            break
        seconds = min(options.teacher_seconds, math.inf if teaching.left is None else teaching.left)
        result = search(task, teacher, SearchOptions(time_limit=seconds), init=start)
        walks += 1
        if result.solved:
            assert result.plan is not None
            solved += 1
            rows, steps = label_plan(task, start, result.plan)
            states.append(rows)
            labels.append(steps)
    if not states:
        raise GoalwardError(
            f"tsl has nothing to learn from: its teacher, GBFS with h_FF, solved none of {walks} walks; "
            "give it more time, or --set teacher_seconds=… more time per walk"
        )
    return Dataset.of_labelled(task, np.concatenate(states), np.concatenate(labels), "teacher"), walks, solved


def _ends_of_walks(task: Task, options: TslOptions, seed: int) -> itertools.islice[Ints]:
    """Ends of random walks, drawn lazily in chunks."""
    seeds = np.random.default_rng([seed, 0x7E5])

    def chunks() -> itertools.chain[Ints]:
        return itertools.chain.from_iterable(
            random_walk_states(task, _WALKS_AT_ONCE, options.walk_steps, int(seeds.integers(2**62)))
            for _ in itertools.count()
        )

    return itertools.islice(chunks(), options.max_walks)
