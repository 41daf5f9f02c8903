"""From a task to a model: rollouts, data, training, and the choice among several trials by validation states."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Protocol, cast

import torch

from goalward.learning.options import PRESETS, LearnOptions, TrainingOptions
from goalward.learning.trainer import Epoch, TrainingResult, train_network
from goalward.learning.validation import Score, score, validation_states
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, make_dataset
from goalward.search.model import Model
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.strips import Ints, Task


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
class _Trial:
    number: int
    seed: int
    sampler: str
    result: TrainingResult
    score: Score | None

    @property
    def rank(self) -> tuple[float, ...]:
        """Solved states, then evaluations; the loss, which compares less well between samplers, only among equals."""
        return (*(self.score.rank if self.score else (0, 0)), -self.result.validation_loss)


def train_model(task: Task, options: LearnOptions | None = None, watcher: Watcher | None = None) -> Model:
    """Learn a heuristic for a task.

    With several trials, each has its own seed and the samplers take turns; the one that solves most validation states
    is kept, by fewer evaluations among equals. The time limit is shared between the trials.
    """
    options = options or LearnOptions()
    started = time.monotonic()
    states = validation_states(task, options.validation_states, options.seed)
    trials: list[_Trial] = []
    for number in range(options.n_trials):
        deadline = None
        if options.time_limit is not None:
            left = options.time_limit - (time.monotonic() - started)
            if trials and left <= 0:
                break
            deadline = max(left, 0.1) / (options.n_trials - number)
        trial = _run_trial(task, options, number, states, deadline, watcher)
        trials.append(trial)
        if trial.result.end == "interrupted":
            break
    best = max(trials, key=lambda trial: trial.rank)
    return Model(task, best.result.weights, _info(options, trials, best, time.monotonic() - started))


def _run_trial(
    task: Task, options: LearnOptions, number: int, states: list[Ints], seconds: float | None, watcher: Watcher | None
) -> _Trial:
    begun = time.monotonic()
    seed = options.seed + number
    samplers = options.chosen_samplers
    sampler = samplers[number % len(samplers)]

    def tell(phase: str) -> None:
        if watcher:
            watcher.phase(phase, number)

    tell("rollouts")
    rollouts = regress(task, RolloutOptions(options.method, options.n_rollouts, options.length, seed))
    tell("sampling")
    dataset = make_dataset(task, rollouts, SamplingOptions(options.n_samples, options.random_share, sampler, seed))
    if watcher:
        watcher.data(number, dataset.summary())
    choosing = options.n_trials > 1
    # The last search over all validation states counts towards the trial's time.
    reserve = min(options.validation_seconds * len(states), (seconds or 0) / 5) if choosing else 0.0
    left = None if seconds is None else max(seconds - reserve - (time.monotonic() - begun), 0.1)
    training = _training_options(options, seed, left)
    tell("training")
    glimpse = _Glimpse(task, states, watcher)

    def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | None:
        return watcher.epoch(number, epoch, glimpse(epoch, weights)) if watcher else None

    result = train_network(dataset, training, watch=watch, log=watcher.message if watcher else None)
    verdict = None
    if choosing and states:
        tell("validation")
        verdict = score(bind_network(task, result.weights), states, reserve / len(states) or options.validation_seconds)
    return _Trial(number, seed, sampler, result, verdict)


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
    """A loss as JSON can hold it: there is none before the first epoch has ended."""
    return loss if math.isfinite(loss) else None


def _info(options: LearnOptions, trials: list[_Trial], best: _Trial, seconds: float) -> dict[str, Any]:
    info = {
        "method": options.method,
        "preset": options.preset,
        "options": asdict(options),
        "training": asdict(_training_options(options, best.seed, None)),
        "seed": best.seed,
        "sampler": best.sampler,
        "seconds": round(seconds, 3),
        "end": best.result.end,
        "best_epoch": best.result.best_epoch,
        "validation_loss": _finite(best.result.validation_loss),
        "curve": [[e.number, e.train_loss, e.validation_loss, round(e.seconds, 3)] for e in best.result.curve],
        "trials": [
            {
                "seed": trial.seed,
                "sampler": trial.sampler,
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
