"""A trial: what a learner is given, and whom it tells of its progress.

How one trial learns is a function from a :class:`Trial` to a :class:`~goalward.learning.results.TrainingResult`;
:mod:`goalward.learning.preimages` has that of RSL and N-RSL, the room ``baselines`` holds others. PyTorch is loaded by
what trains, not by this module.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from goalward.learning.lessons import Lessons
from goalward.learning.looks import Look, Looks
from goalward.learning.options import LearnOptions, SupervisedOptions
from goalward.learning.results import End, Epoch, TrainingResult, Watch
from goalward.sampling import Dataset
from goalward.search.network import NetworkWeights
from goalward.task.strips import Ints, Task

if TYPE_CHECKING:
    from goalward.learning.online import OnlineNetwork


class Watcher(Protocol):
    """Told what happens while a model is trained; any method may do nothing. ``epoch`` returns False to stop.

    One that also has a method ``go_on`` is asked it many times a second, before the first epoch and in all of them;
    False cuts short what is going on. One that has ``rests`` is told when a trial that is trained beside others has
    nothing to do: until the next round, or for good.
    """

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
    share: float = 1.0
    """Of the epochs that the options allow: a trial that goes on in another round has the rest of them then."""

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

    def until(self, share: float) -> Callable[[], bool]:
        """What native work asks whether to go on: until so much of the time is used, or somebody wants an end."""
        deadline = None if self.seconds is None else self.begun + share * self.seconds
        return lambda: (deadline is None or time.monotonic() < deadline) and self.go_on()

    def go_on(self) -> bool:
        """Does nobody want an end?"""
        wanted = getattr(self.watcher, "go_on", None)
        return wanted is None or wanted() is not False

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
        looks = Looks(self.task, self.states, self.until(1.0))
        enough = self.options.enough_looks if isinstance(self.options, SupervisedOptions) else 0

        def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | End | None:
            look = looks(epoch, weights) if enough or self.watcher else None
            if self.watcher and self.watcher.epoch(self.number, epoch, look) is False:
                return False
            return "validation states solved" if enough and looks.enough_in_a_row >= enough else None

        return watch

    def training_options(self) -> Chosen:
        """The options for this trial's seed and the time that remains."""
        return dataclasses.replace(self.options, seed=self.seed, time_limit=self.left)

    def fit(self, data: Dataset | Lessons, before: TrainingResult | None = None, **notes: Any) -> TrainingResult:
        """Train a network in the time that remains, from where it was ``before``.

        For methods with :class:`SupervisedOptions`. Training may go on later, in another trial that is given to the
        result's ``more``.
        """
        from goalward.learning import trainer  # noqa: PLC0415 - loads PyTorch

        self.phase("training")
        training = self.training_options()
        assert isinstance(training, SupervisedOptions)
        assert training.max_epochs is not None
        training = dataclasses.replace(training, max_epochs=math.ceil(self.share * training.max_epochs))
        start, watch = (before.weights, self._watch_after(before)) if before else (None, self.watch)
        result = trainer.train_network(data, training, start=start, watch=watch, go_on=self.go_on, log=self.message)
        whole = result.after(before) if before else result
        return dataclasses.replace(whole, notes=notes, more=lambda trial: trial.fit(data, whole, **notes))

    def _watch_after(self, before: TrainingResult) -> Watch:
        """Epochs are counted on where training goes on."""
        return lambda epoch, weights: self.watch(epoch.after(before.last), weights)

    def online_network(self) -> OnlineNetwork:
        """An untrained network for a method that makes its data with the network it trains."""
        from goalward.learning.online import OnlineNetwork  # noqa: PLC0415 - loads PyTorch

        return OnlineNetwork(self.task, self.training_options())


Learner = Callable[[Trial[Chosen]], TrainingResult]


def trial_seed(options: LearnOptions, number: int) -> int:
    """The seeds of the trials follow one another, around the end of the range if need be."""
    return (options.seed + number) % 2**32
