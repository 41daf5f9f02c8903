"""A trial: what a learner is given, and whom it tells of its progress.

How one trial learns is a function from a :class:`Trial` to a :class:`~goalward.learning.results.TrainingResult`;
:mod:`goalward.learning.rsl` has that of RSL and N-RSL, the room ``baselines`` holds others. PyTorch is loaded by what
trains, not by this module.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from goalward.learning.budget import Budget
from goalward.learning.lessons import Lessons
from goalward.learning.options import LearnOptions, SupervisedOptions
from goalward.learning.probes import Probes
from goalward.learning.results import End, Epoch, TrainingResult, Watch
from goalward.learning.side_by_side import Together
from goalward.learning.watchers import Watcher
from goalward.sampling import Dataset
from goalward.search.network import NetworkWeights
from goalward.task.strips import Ints, Task

Chosen = TypeVar("Chosen", bound=LearnOptions)


@dataclass(frozen=True, eq=False)
class Trial(Generic[Chosen]):
    """The input of a learner: the task, the method's name and options, a number, time, validation states, a watcher.

    Validation states are for probes; a learner must not learn from them.
    """

    task: Task
    method: str
    options: Chosen
    number: int
    budget: Budget
    states: list[Ints]
    watcher: Watcher
    together: Together = field(default_factory=Together)

    @property
    def seed(self) -> int:
        """The seed of this trial: the seed of the options plus the number of the trial, modulo 2^32."""
        return (self.options.seed + self.number) % 2**32

    def until(self, share: str) -> Callable[[], bool]:
        """Return a ``go_on`` function: true until this share of the time is used or the watcher stops the training."""
        in_time = self.budget.until(share)
        return lambda: in_time() and self.wanted()

    def go_on(self) -> bool:
        """False once the time is over or the watcher stopped the training."""
        return not self.budget.over and self.wanted()

    def wanted(self) -> bool:
        """False once the watcher stopped the training."""
        return not self.together.stopped and self.watcher.go_on()

    def phase(self, name: str) -> None:
        """Tell the watcher that a phase begins."""
        with self.together.lock:
            self.watcher.phase(name, self.number)

    def data(self, summary: dict[str, Any]) -> None:
        """Give the watcher a summary of the data."""
        with self.together.lock:
            self.watcher.data(self.number, summary)

    def message(self, text: str) -> None:
        """Give the watcher a line for the log."""
        with self.together.lock:
            self.watcher.message(text)

    @cached_property
    def watch(self) -> Watch:
        """The function to call after every epoch. It returns False to end training, or a reason to stop."""
        unit_costs = self.options.counts_steps or not self.task.uses_costs
        probes = Probes(self.task, self.states, self.go_on, unit_costs=unit_costs)
        required = self.options.required_probes if isinstance(self.options, SupervisedOptions) else 0

        def watch(epoch: Epoch, weights: Callable[[], NetworkWeights]) -> bool | End | None:
            watched = required or type(self.watcher) is not Watcher
            probe = probes(epoch, weights) if watched else None
            with self.together.lock:
                answer = self.watcher.epoch(self.number, epoch, probe)
            if answer is False or not self.wanted():
                return False
            return "validation states solved" if required and probes.enough_in_a_row >= required else None

        return watch

    def training_options(self) -> Chosen:
        """The options for this trial's seed and the time that remains."""
        return dataclasses.replace(self.options, seed=self.seed, time_limit=self.budget.left)

    def fit(self, data: Dataset | Lessons, **notes: Any) -> TrainingResult:
        """Train a network in the time that remains; for methods with :class:`SupervisedOptions`."""
        from goalward.learning.trainer import train_network  # noqa: PLC0415 - loads PyTorch

        self.phase("training")
        options = self.training_options()
        assert isinstance(options, SupervisedOptions)
        budget = self.budget.part(options.time_limit)
        result = train_network(data, options, watch=self.watch, go_on=self.wanted, budget=budget)
        return dataclasses.replace(result, notes=notes)


Learner = Callable[[Trial[Chosen]], TrainingResult]
