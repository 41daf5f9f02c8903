"""What the tests of learners share: trials, a watcher that writes down what it hears, states as sets of atoms."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from goalward.learning.options import LearnOptions, NetworkShape, TrainingOptions
from goalward.learning.trainer import Epoch
from goalward.learning.trials import Trial
from goalward.learning.validation import Score
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.states import BitRows, from_bits
from goalward.task.strips import Task
from oracle import State, as_set

QUICK = LearnOptions(n_samples=300, length=20, n_rollouts=2, max_epochs=2, validation_states=0)

# Two operators without preconditions set and clear an atom that is needed both true and false.
LAMPS_DOMAIN = """
(define (domain lamps) (:requirements :strips :negative-preconditions)
  (:predicates (lit) (warm) (done))
  (:action press :parameters () :precondition () :effect (lit))
  (:action release :parameters () :precondition () :effect (not (lit)))
  (:action heat :parameters () :precondition (lit) :effect (warm))
  (:action rest :parameters () :precondition (and (warm) (not (lit))) :effect (done)))
"""
LAMPS_PROBLEM = "(define (problem lamps-1) (:domain lamps) (:init) (:goal (and (done) (lit))))"


class Log:
    """A watcher that writes down what it is told and says no, or raises, where it is told to."""

    def __init__(self, stop: Callable[[Epoch], bool] | None = None) -> None:
        self.messages: list[str] = []
        self.phases: list[str] = []
        self.summaries: list[dict[str, Any]] = []
        self.epochs: list[Epoch] = []
        self.stop = stop

    def phase(self, name: str, trial: int) -> None:
        self.phases.append(name)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        self.summaries.append(summary)

    def epoch(self, trial: int, epoch: Epoch, solved: Score | None) -> bool | None:
        self.epochs.append(epoch)
        return not self.stop(epoch) if self.stop else None

    def message(self, text: str) -> None:
        self.messages.append(text)


def make_trial(
    task: Task, seconds: float | None = None, seed: int = 0, log: Log | None = None, **options: Any
) -> Trial:
    return Trial(task, replace(QUICK, seed=seed, **options), 0, seconds, [], log, time.monotonic())


def narrow(preset: TrainingOptions) -> TrainingOptions:
    """Quick to train."""
    return replace(preset, shape=NetworkShape(width=32))


def as_sets(task: Task, rows: BitRows) -> list[State]:
    return [as_set(np.flatnonzero(truth)) for truth in from_bits(rows, task.n_atoms)]


def known(task: Task) -> State:
    """The atoms that regressed states tell about: the others play no part in reaching the goal."""
    return as_set(np.flatnonzero(core_atoms(task) | fixed_atoms(task)))


def complement_pairs(task: Task) -> list[tuple[int, int]]:
    """Atoms with their complements, where both play a part."""
    core = core_atoms(task)
    pairs = [(int(positive), negative) for negative, positive in enumerate(task.complement_of) if positive >= 0]
    return [(p, n) for p, n in pairs if core[p] and core[n]]
