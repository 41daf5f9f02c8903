"""From a task to a model: trials of one method, and the choice among them by validation states.

How one trial learns is a function from a :class:`Trial` to a :class:`~goalward.learning.results.TrainingResult`;
:mod:`goalward.learning.preimages` has that of RSL and N-RSL, the room ``baselines`` holds others. PyTorch is loaded by
what trains, not by this module.
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
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from goalward.learning.looks import Look, Looks
from goalward.learning.options import LearnOptions, SupervisedOptions
from goalward.learning.results import End, Epoch, TrainingResult, Watch
from goalward.learning.validation import Score, score, validation_states
from goalward.sampling import Dataset
from goalward.search.model import Model
from goalward.search.network import NetworkWeights, bind_network
from goalward.search.solving import default_search
from goalward.task.strips import Ints, Task

if TYPE_CHECKING:
    from goalward.learning.online import OnlineNetwork


class Watcher(Protocol):
    """Told what happens while a model is trained; any method may do nothing. ``epoch`` returns False to stop."""

    def phase(self, name: str, trial: int) -> None:
        """Something begins: "rollouts", "sampling", "training" or "validation"."""

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The data set of a trial is ready."""

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool | None:
        """An epoch is over; ``look`` is set where short searches from validation states were made too."""

    def message(self, text: str) -> None:
        """Something worth a line in the log."""


LEAST_SECONDS = 0.1
"""What a step of learning gets, however little time is left."""
VALIDATION_SHARE = 0.2
"""The share of a trial's time that goes at most into its validation, where trials compete."""
VERDICT_SHARE = 0.05
"""The same where there is one trial, and validation only says what it is worth."""
DOUBTFUL_SHARE = 0.2
"""A model that solves less than this of its validation states is not likely to help."""

Chosen = TypeVar("Chosen", bound=LearnOptions)


@dataclass(frozen=True, eq=False)
class Trial(Generic[Chosen]):
    """What a learner is given: the task, the method's name and options, a seed and a time to be ready by."""

    task: Task
    method: str
    options: Chosen
    number: int
    seconds: float | None
    states: list[Ints]
    watcher: Watcher | None
    begun: float

    @property
    def seed(self) -> int:
        """Each trial has its own."""
        return trial_seed(self.options, self.number)

    @property
    def left(self) -> float | None:
        """Seconds that remain for learning; None without a limit."""
        if self.seconds is None:
            return None
        return max(self.seconds - (time.monotonic() - self.begun), LEAST_SECONDS)

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
        """To be called after every epoch; returns False or a reason to stop."""
        looks = Looks(self.task, self.states)
        enough = self.options.enough_looks if isinstance(self.options, SupervisedOptions) else 0

        def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | End | None:
            look = looks(epoch, weights) if enough or self.watcher else None
            if self.watcher and self.watcher.epoch(self.number, epoch, look) is False:
                return False
            return "validation states solved" if enough and looks.all_solved_in_a_row >= enough else None

        return watch

    def training_options(self) -> Chosen:
        """The options for this trial's seed and the time that remains."""
        return dataclasses.replace(self.options, seed=self.seed, time_limit=self.left)

    def fit(self, dataset: Dataset, **notes: Any) -> TrainingResult:
        """Train a network on a data set in the time that remains; for methods with :class:`SupervisedOptions`."""
        from goalward.learning import trainer  # noqa: PLC0415 - loads PyTorch

        self.phase("training")
        training = self.training_options()
        assert isinstance(training, SupervisedOptions)
        result = trainer.train_network(dataset, training, watch=self.watch, log=self.message)
        return dataclasses.replace(result, notes=notes)

    def online_network(self) -> OnlineNetwork:
        """An untrained network for a method that makes its data with the network it trains."""
        from goalward.learning.online import OnlineNetwork  # noqa: PLC0415 - loads PyTorch

        return OnlineNetwork(self.task, self.training_options())


Learner = Callable[[Trial[Chosen]], TrainingResult]


def trial_seed(options: LearnOptions, number: int) -> int:
    """The seeds of the trials follow one another, around the end of the range if need be."""
    return (options.seed + number) % 2**32


@dataclass(frozen=True, eq=False)
class _Outcome:
    """A trial that is over. ``overhead`` are the seconds that it spent on other things than epochs."""

    number: int
    seed: int
    result: TrainingResult
    score: Score | None
    overhead: float

    @property
    def rank(self) -> tuple[float, ...]:
        """Solved states, then evaluations; the loss, which compares less well between samplers, only among equals."""
        return (*(self.score.rank if self.score else (0, 0, 0)), -self.result.validation_loss)

    @property
    def settles_it(self) -> bool:
        """Can another trial hardly be better?"""
        solved_all = self.score is not None and self.score.alone == self.score.states
        return solved_all and self.result.end == "validation states solved"


def train_model(
    task: Task, method: str, learn: Learner[Chosen], options: Chosen, watcher: Watcher | None = None
) -> Model:
    """Learn a heuristic for a task by the trials of one method; ``goalward.learning.methods`` knows its learner.

    With several trials, each has its own seed and the samplers take turns; the one that solves most validation states
    is kept, by fewer evaluations among equals. Unless a number of trials is asked for, there are no more once one has
    solved them all at once. The time limit is shared between the trials.
    """
    started = time.monotonic()
    options = options.resolved()
    states = validation_states(task, options.validation_states, options.seed)
    outcomes: list[_Outcome] = []
    for number in range(options.n_trials):
        seconds = None
        if options.time_limit is not None:
            left = options.time_limit - (time.monotonic() - started)
            if outcomes and left <= outcomes[-1].overhead:
                break
            seconds = max(left, LEAST_SECONDS) / (options.n_trials - number)
        trial = Trial(task, method, options, number, seconds, states, watcher, time.monotonic())
        outcomes.append(_run_trial(trial, learn, first=not outcomes))
        if outcomes[-1].result.end == "interrupted" or (options.trials is None and outcomes[-1].settles_it):
            break
    best = max(outcomes, key=lambda outcome: outcome.rank)
    return Model(task, best.result.weights, _info(method, options, outcomes, best, time.monotonic() - started))


def _run_trial(trial: Trial[Chosen], learn: Learner[Chosen], *, first: bool) -> _Outcome:
    """Learn, and let validation states say what came out; that search counts towards the trial's time."""
    options, states = trial.options, trial.states
    share = VALIDATION_SHARE if options.n_trials > 1 else VERDICT_SHARE
    total = trial.seconds
    if total is not None:
        reserve = min(options.validation_seconds * len(states), share * total)
        trial = dataclasses.replace(trial, seconds=max(total - reserve, LEAST_SECONDS))
    result = learn(trial)
    trained = time.monotonic() - trial.begun
    verdict = None
    # After Ctrl-C in the first trial there is nothing to choose from, so nobody has to wait for validation.
    if states and not (first and result.end == "interrupted"):
        trial.phase("validation")
        left = math.inf if total is None else max(total - trained, LEAST_SECONDS)
        limit = min(options.validation_seconds, left / len(states))
        search = dataclasses.replace(default_search(learned=True), time_limit=limit)
        verdict = score(bind_network(trial.task, result.weights), states, search)
    overhead = time.monotonic() - trial.begun - (result.curve[-1].seconds if result.curve else 0.0)
    return _Outcome(trial.number, trial.seed, result, verdict, overhead)


def _finite(loss: float) -> float | None:
    """A loss as JSON can hold it: there is none before the first epoch, nor in a round that solved nothing."""
    return loss if math.isfinite(loss) else None


def _info(method: str, options: LearnOptions, trials: list[_Outcome], best: _Outcome, seconds: float) -> dict[str, Any]:
    info = {
        "method": method,
        "preset": options.preset,
        "options": asdict(options),
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
                "solved_alone": trial.score.alone if trial.score else None,
                "evaluations": trial.score.evaluations if trial.score else None,
                "search_seconds": round(trial.score.seconds, 3) if trial.score else None,
            }
            for trial in trials
        ],
        "chosen_trial": best.number,
        "likely_to_help": best.score.alone >= DOUBTFUL_SHARE * best.score.states if best.score else None,
        "versions": {name: version(name) for name in ("goalward", "torch")} | {"python": platform.python_version()},
    }
    # As the model file will give it back.
    return cast(dict[str, Any], json.loads(json.dumps(info)))
