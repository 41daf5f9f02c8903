"""BExp: bootstrapping as Boot does, with the effort of search as the label (Ferber et al. 2021).

A state that GBFS solved is labelled with the number of states it expanded; states along the plan have no such number.
"""

from __future__ import annotations

import numpy as np

from goalward.baselines.boot import BootOptions, Labelled, bootstrap
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import ManyResults
from goalward.task.states import BitRows
from goalward.task.strips import Task

__all__ = ["BootOptions", "expansion_labels", "learn"]


def expansion_labels(task: Task, states: BitRows, results: ManyResults) -> Labelled:
    """The solved states, each with the number of expansions; goal states need none."""
    solved = results.solved
    return states[solved], results.expanded[solved].astype(np.float32)


def learn(trial: Trial[BootOptions]) -> TrainingResult:
    """Bootstrap with expansions as labels."""
    return bootstrap(trial, expansion_labels)
