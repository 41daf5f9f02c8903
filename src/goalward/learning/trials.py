"""From a task to a model: data, training, and the choice among several trials by validation states.

How one trial learns is a function from a :class:`Trial` to a :class:`~goalward.learning.trainer.TrainingResult`;
:func:`learn_from_preimages` is that of RSL and N-RSL, the room ``baselines`` holds others.
"""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Protocol, cast

import torch

from goalward.errors import UsageError
from goalward.learning.options import PRESETS, LearnOptions, TrainingOptions
from goalward.learning.trainer import Epoch, TrainingResult, Watch, train_network
from goalward.learning.validation import Score, score, validation_states
from goalward.regression import METHODS, RolloutOptions, regress
from goalward.regression.rollouts import RegressionMethod
from goalward.sampling import Dataset, SamplingOptions, make_dataset
from goalward.search.model import Model
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.strips import Ints, Task

ENDLESS = 10**9
"""Epochs that no clock waits for."""


class Watcher(Protocol):
    """Told what happens while a model is trained; any method may do nothing. ``epoch`` returns False to stop."""

    def phase(self, name: str, trial: int) -> None:
        """Something begins: "rollouts", "sampling", "training" or "validation"."""

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The data set of a trial is ready."""

    def epoch(self, trial: int, epoch: Epoch, solved: Score | None) -> bool | None:
        """An epoch is over; ``solved`` is set where validation states were searched too."""

    def message(self, text: str) -> None:
        """Something worth a line in the log."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What a learner is given: the task, the options, a seed and a time to be ready by."""

    task: Task
    options: LearnOptions
    number: int
    seconds: float | None
    states: list[Ints]
    watcher: Watcher | None
    begun: float

    @property
    def seed(self) -> int:
        """Each trial has its own."""
        return self.options.seed + self.number

    @property
    def left(self) -> float | None:
        """Seconds that remain for learning; None without a limit."""
        return None if self.seconds is None else max(self.seconds - (time.monotonic() - self.begun), 0.1)

    def phase(self, name: str) -> None:
        """Say what begins."""
        if self.watcher:
            self.watcher.phase(name, self.number)

    def data(self, summary: dict[str, Any]) -> None:
        """Say what the data look like."""
        if self.watcher:
            self.watcher.data(self.number, summary)

    def message(self, text: str) -> None:
        """Say something worth a line in the log."""
        if self.watcher:
            self.watcher.message(text)

    @cached_property
    def watch(self) -> Watch:
        """To be called after every epoch; returns False to stop."""
        glimpse = _Glimpse(self.task, self.states, self.watcher)

        def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | None:
            return self.watcher.epoch(self.number, epoch, glimpse(epoch, weights)) if self.watcher else None

        return watch

    def training_options(self) -> TrainingOptions:
        """The preset's, for this seed and the time that remains."""
        return _training_options(self.options, self.seed, self.left)

    def fit(self, dataset: Dataset, *, use_all_time: bool = False, **notes: Any) -> TrainingResult:
        """Train a network on a data set in the time that remains; to its end, however few the states, if asked to."""
        self.phase("training")
        training = self.training_options()
        if use_all_time and training.time_limit is not None:
            training = dataclasses.replace(training, max_epochs=ENDLESS, patience=ENDLESS)
        result = train_network(dataset, training, watch=self.watch, log=self.message)
        return dataclasses.replace(result, notes=notes)


Learner = Callable[[Trial], TrainingResult]


def learn_from_preimages(trial: Trial) -> TrainingResult:
    """RSL and N-RSL: states from the pre-images of rollouts, labelled by the closest one."""
    options = trial.options
    sampler = options.chosen_samplers[trial.number % len(options.chosen_samplers)]
    trial.phase("rollouts")
    method = cast(RegressionMethod, options.method)
    rollouts = regress(trial.task, RolloutOptions(method, options.n_rollouts, options.length, trial.seed))
    trial.phase("sampling")
    sampling = SamplingOptions(options.n_samples, options.random_share, sampler, trial.seed)
    dataset = make_dataset(trial.task, rollouts, sampling)
    trial.data(dataset.summary())
    return trial.fit(dataset, sampler=sampler)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """A trial that is over."""

    number: int
    seed: int
    result: TrainingResult
    score: Score | None

    @property
    def rank(self) -> tuple[float, ...]:
        """Solved states, then evaluations; the loss, which compares less well between samplers, only among equals."""
        return (*(self.score.rank if self.score else (0, 0)), -self.result.validation_loss)


def train_model(
    task: Task,
    options: LearnOptions | None = None,
    watcher: Watcher | None = None,
    *,
    learner: Learner = learn_from_preimages,
    method_options: dict[str, Any] | None = None,
) -> Model:
    """Learn a heuristic for a task.

    With several trials, each has its own seed and the samplers take turns; the one that solves most validation states
    is kept, by fewer evaluations among equals. The time limit is shared between the trials. ``method_options`` are
    those of a learner that is not RSL's, to be kept in the model file.
    """
    options = options or LearnOptions()
    if learner is learn_from_preimages and options.method not in METHODS:
        raise UsageError(f"unknown method {options.method!r} (known here: {', '.join(METHODS)})")
    started = time.monotonic()
    states = validation_states(task, options.validation_states, options.seed)
    outcomes: list[_Outcome] = []
    for number in range(options.n_trials):
        deadline = None
        if options.time_limit is not None:
            left = options.time_limit - (time.monotonic() - started)
            if outcomes and left <= 0:
                break
            deadline = max(left, 0.1) / (options.n_trials - number)
        outcome = _run_trial(task, options, number, states, deadline, watcher, learner)
        outcomes.append(outcome)
        if outcome.result.end == "interrupted":
            break
    best = max(outcomes, key=lambda outcome: outcome.rank)
    info = _info(options, outcomes, best, time.monotonic() - started, method_options)
    return Model(task, best.result.weights, info)


def _run_trial(
    task: Task,
    options: LearnOptions,
    number: int,
    states: list[Ints],
    seconds: float | None,
    watcher: Watcher | None,
    learner: Learner,
) -> _Outcome:
    choosing = options.n_trials > 1
    # The last search over all validation states counts towards the trial's time.
    reserve = min(options.validation_seconds * len(states), (seconds or 0) / 5) if choosing else 0.0
    limit = None if seconds is None else max(seconds - reserve, 0.1)
    trial = Trial(task, options, number, limit, states, watcher, time.monotonic())
    result = learner(trial)
    verdict = None
    if choosing and states:
        trial.phase("validation")
        verdict = score(bind_network(task, result.weights), states, reserve / len(states) or options.validation_seconds)
    return _Outcome(number, trial.seed, result, verdict)


def _training_options(options: LearnOptions, seed: int, seconds: float | None) -> TrainingOptions:
    preset = PRESETS[options.preset]
    return dataclasses.replace(
        preset,
        seed=seed,
        time_limit=seconds,
        device=options.device,
        threads=options.threads,
        max_epochs=options.max_epochs or preset.max_epochs,
    )


class _Glimpse:
    """Now and then during training: how many of a few validation states does a short search solve?"""

    STATES = 4
    SECONDS = 0.1
    SHARE = 0.05  # of the training time that may go into looking

    def __init__(self, task: Task, states: list[Ints], watcher: Watcher | None) -> None:
        self.task = task
        self.states = states[: self.STATES]
        self.enabled = watcher is not None and bool(states)
        self.spent = 0.0

    def __call__(self, epoch: Epoch, weights: Callable[[], NetworkWeights]) -> Score | None:
        if not self.enabled or self.spent > self.SHARE * epoch.seconds:
            return None
        begun = time.monotonic()
        result = score(bind_network(self.task, weights()), self.states, self.SECONDS)
        self.spent += time.monotonic() - begun
        return result


def _finite(loss: float) -> float | None:
    """A loss as JSON can hold it: there is none before the first epoch, nor in a round that solved nothing."""
    return loss if math.isfinite(loss) else None


def _info(
    options: LearnOptions, trials: list[_Outcome], best: _Outcome, seconds: float, method_options: dict[str, Any] | None
) -> dict[str, Any]:
    info = {
        "method": options.method,
        "method_options": method_options,
        "preset": options.preset,
        "options": asdict(options),
        "training": asdict(_training_options(options, best.seed, None)),
        "seed": best.seed,
        "sampler": best.result.notes.get("sampler"),
        "notes": best.result.notes,
        "seconds": round(seconds, 3),
        "end": best.result.end,
        "best_epoch": best.result.best_epoch,
        "validation_loss": _finite(best.result.validation_loss),
        "curve": [
            [e.number, _finite(e.train_loss), _finite(e.validation_loss), round(e.seconds, 3)]
            for e in best.result.curve
        ],
        "trials": [
            {
                "seed": trial.seed,
                "sampler": trial.result.notes.get("sampler"),
                "notes": trial.result.notes,
                "validation_loss": _finite(trial.result.validation_loss),
                "epochs": len(trial.result.curve),
                "end": trial.result.end,
                "restarts": trial.result.restarts,
                "solved": trial.score.solved if trial.score else None,
                "validation_states": trial.score.states if trial.score else None,
                "evaluations": trial.score.evaluations if trial.score else None,
            }
            for trial in trials
        ],
        "chosen_trial": best.number,
        "versions": {"goalward": version("goalward"), "torch": torch.__version__, "python": platform.python_version()},
    }
    # As the model file will give it back.
    return cast(dict[str, Any], json.loads(json.dumps(info)))
