"""BExp: bootstrapping like Boot, but with the effort of search as the label (Ferber et al. 2021).

A state that GBFS solved is labelled with the number of expansions. States along the plan are not used, because their
numbers of expansions are unknown.
"""

from __future__ import annotations

import numpy as np

from goalward.baselines.boot import BootOptions, LabelledStates, bootstrap
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import ManyResults
from goalward.task.states import BitRows
from goalward.task.strips import Task

__all__ = ["BootOptions", "expansion_labels", "learn"]


def expansion_labels(task: Task, states: BitRows, results: ManyResults) -> LabelledStates:
    """The solved states, each with the number of expansions of its search."""
    solved = results.solved
    return states[solved], results.expanded[solved].astype(np.float32)


def learn(trial: Trial[BootOptions]) -> TrainingResult:
    """Bootstrap with numbers of expansions as labels."""
    return bootstrap(trial, expansion_labels)
