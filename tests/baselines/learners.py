"""What the tests of learners share: trials, a watcher that writes down what it hears, states as sets of atoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from goalward.learning.budget import Budget
from goalward.learning.methods import make_options
from goalward.learning.options import LearnOptions, SupervisedOptions
from goalward.learning.probes import Probe
from goalward.learning.results import Epoch
from goalward.learning.trials import Trial
from goalward.learning.watchers import Watcher
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.states import BitRows, from_bits
from goalward.task.strips import Task
from helpers import BRIEF
from oracle import State, as_set

WIDTH = 32  # narrow networks are quick to train


def brief(method: str, **values: Any) -> LearnOptions:
    """Options of a method with which it learns in a moment."""
    return make_options(method, {"width": WIDTH, "validation_states": 0, **BRIEF[method], **values})


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


class Log(Watcher):
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

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        self.epochs.append(epoch)
        return not self.stop(epoch) if self.stop else None

    def message(self, text: str) -> None:
        self.messages.append(text)


def make_trial(
    task: Task, options: LearnOptions, seconds: float | None = None, seed: int = 0, log: Log | None = None
) -> Trial[Any]:
    """A trial of a narrow network and few epochs."""
    given = replace(options, seed=seed, time_limit=seconds, width=WIDTH)
    if isinstance(given, SupervisedOptions) and seconds is None:
        given = replace(given, max_epochs=2)
    return Trial(task, "method", given.resolved(), 0, Budget(seconds), [], log or Watcher())


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
