"""The training loop: supervised learning with early stopping and a time limit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from goalward.errors import GoalwardError, UsageError
from goalward.learning.adam import Adam
from goalward.learning.batches import ChoiceBatches, StateBatches
from goalward.learning.best_so_far import BestSoFar
from goalward.learning.budget import Budget
from goalward.learning.lessons import Lesson, Lessons
from goalward.learning.options import TrainingOptions
from goalward.learning.results import End, Epoch, TrainingResult, Watch
from goalward.learning.state_network import StateNetwork
from goalward.sampling import Dataset
from goalward.search.network import NetworkWeights
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows

VALIDATION_BATCH = 4096
"""Held-out states that are evaluated at once. Not tuned."""
FINAL_RATE = 0.01
"""The share of the learning rate that is left at the end of the cosine schedule. Not tuned."""

GoOn = Callable[[], bool]


def train_network(
    data: Dataset | Lessons,
    options: TrainingOptions,
    *,
    watch: Watch | None = None,
    go_on: GoOn | None = None,
    budget: Budget | None = None,
) -> TrainingResult:
    """Fit a network to a data set, or to a lesson per epoch, and keep the weights with the least validation loss.

    If losses of different lessons cannot be compared, because labels change, the last weights are kept.

    ``watch`` is told of every epoch, ``go_on`` is asked after every step: False ends training with the best so far.
    ``budget`` is the time for it, by default the options' time limit from now on.

    If the loss is not a number any more, or on KeyboardInterrupt, training ends with the best so far. Raises
    :class:`GoalwardError` if the loss of the first epoch is not a number.
    """
    options = options.resolved()
    if options.device == "cuda" and not torch.cuda.is_available():
        raise UsageError("--device cuda: PyTorch sees no GPU here; use --device cpu")
    budget = budget or Budget(options.time_limit)
    threads = torch.get_num_threads()
    torch.set_num_threads(options.threads)
    try:
        run = _Run(data, options, budget, watch, go_on)
        end = run.train()
    finally:
        torch.set_num_threads(threads)
    run.best.restore()
    return TrainingResult(run.current_weights(), run.curve, run.best.epoch, end)


class _Run:
    """One training of a network."""

    def __init__(
        self,
        data: Dataset | Lessons,
        options: TrainingOptions,
        budget: Budget,
        watch: Watch | None = None,
        go_on: GoOn | None = None,
    ) -> None:
        self.options = options
        self.budget = budget
        self.watch = watch
        self.go_on = go_on or (lambda: True)
        self.random = np.random.default_rng([options.seed, 0, 0x7EA1])
        self.split_random = np.random.default_rng([options.seed, 0x5B17])
        self.task = data.task
        self.curve: list[Epoch] = []
        self.lessons = None if isinstance(data, Dataset) else data  # a data set is the one lesson of all epochs
        if isinstance(data, Dataset):
            first = Lesson(data.states, data.labels.astype(np.float32))
        else:
            first = data.next(0.0, None)
        spread = float(first.labels.std())
        self.mean, self.scale = (float(first.labels.mean()), max(spread, 1e-6)) if options.normalise else (0.0, 1.0)
        self._open(first)

        generator = torch.Generator().manual_seed(4 * options.seed)  # so that a seed gives the weights it always gave
        self.network = StateNetwork(self.task.n_atoms, options.shape, generator)
        self.network.silence(torch.from_numpy(np.flatnonzero(~core_atoms(self.task))))
        self.network.to(options.device)
        self.optimiser = Adam(self.network.parameters(), options.learning_rate, fused=True)
        self.best = BestSoFar(self.network, options.patience)
        self.seen = 0  # states trained on, in all epochs
        self.validation_seconds = 0.0  # that the last evaluation of the held-out states took

    def _open(self, lesson: Lesson) -> None:
        """Make a lesson ready: some of its states are held out, the others are trained on."""
        self.lesson = lesson
        labels = (lesson.labels - self.mean) / self.scale
        self.batches = StateBatches(self.task, lesson.states, labels, self.options.device)
        order = self.split_random.permutation(len(labels))
        held_out = max(1, round(len(labels) * self.options.validation_share))
        self.validation_rows, self.train_rows = np.sort(order[:held_out]), order[held_out:]
        self.choices = None if lesson.choices is None else ChoiceBatches(self.task, lesson.choices, self.options.device)

    def current_weights(self) -> NetworkWeights:
        return self.network.export(self.mean, self.scale)

    def train(self) -> End:
        """Train until something ends it."""
        try:
            for number in range(1, self.options.max_epochs + 1):
                if self.lessons and number > 1:
                    self._open(self.lessons.next(self._progress(number - 1), self.current_weights))
                end = self._epoch(number)
                if end:
                    return end
        except KeyboardInterrupt:
            return "interrupted"
        return "all epochs"

    def _epoch(self, number: int) -> End | None:
        """Train for an epoch, validate, and keep the weights if they are the best; a reason if training ends here."""
        train_loss = self._learn()
        validation_loss, mean_error = self._validate()
        if not math.isfinite(train_loss + validation_loss):
            if self.curve:
                return "diverged"
            raise GoalwardError("training diverged: the loss is not a number; try a smaller learning rate")
        seconds, rate = self.budget.elapsed, self.optimiser.rate
        epoch = Epoch(number, train_loss, validation_loss, seconds, rate, self.seen, mean_error)
        self.curve.append(epoch)
        if self.lessons:
            self.best.keep(number)
        else:
            self.best.add(number, validation_loss)
        answer = self.watch(epoch, self.current_weights) if self.watch else None
        if answer is False or not self.go_on():
            return "interrupted"
        if isinstance(answer, str) and (self.lessons is None or self.lessons.may_end()):
            self.best.keep(number)  # this reason is about the present weights
            return answer
        if self._out_of_time():
            return "time limit"
        return "early stopping" if self.best.patience_is_over(number) else None

    def _out_of_time(self) -> bool:
        """True once the time that is left is needed for validation."""
        limit = self.budget.seconds
        return limit is not None and self.budget.elapsed + self.validation_seconds >= limit

    def _progress(self, epochs_done: float) -> float:
        """0 at the start, 1 at the end of the epochs or of the time, whichever is nearer."""
        return min(max(epochs_done / self.options.max_epochs, self.budget.progress), 1.0)

    def _set_rate(self, epochs_done: float) -> None:
        if self.options.schedule == "cosine":
            fall = (1 + math.cos(math.pi * self._progress(epochs_done))) / 2
            self.optimiser.rate = self.options.learning_rate * (FINAL_RATE + (1 - FINAL_RATE) * fall)

    def _learn(self) -> float:
        """One epoch; the mean loss in squared steps. It ends early if the loss is not finite."""
        begun = self.budget.elapsed
        total, seen, passes, ended = 0.0, 0, 0, False
        while not ended and (passes < self.lesson.passes or self.budget.elapsed - begun < self.lesson.seconds):
            self.random.shuffle(self.train_rows)
            for states, labels in self.batches.epoch(self.train_rows, self.options.batch_size):
                self._set_rate(len(self.curve) + min(seen / (len(self.train_rows) * self.lesson.passes), 1.0))
                total += self._step(states, labels) * len(labels)
                seen += len(labels)
                ended = not math.isfinite(total) or self._out_of_time() or not self.go_on()
                if ended:
                    break
            passes += 1
        self.seen += seen
        return total / max(seen, 1) * self.scale**2

    def _step(self, states: torch.Tensor | BitRows, labels: torch.Tensor) -> float:
        """One step of gradient descent; the loss of the labelled states."""
        loss = torch.nn.functional.mse_loss(self.network(states), labels)
        total = loss if self.choices is None else loss + self.choices.loss(self.network, self.scale)
        self.optimiser.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return float(loss.detach())

    def _validate(self) -> tuple[float, float]:
        """Mean squared and mean absolute error on the held-out states, in steps.

        If there is no time for all of them, because not even the first epoch could be finished, on some.
        """
        begun, self.validation_seconds = self.budget.elapsed, 0.0
        squared, absolute, n = 0.0, 0.0, 0
        with torch.no_grad():
            for states, labels in self.batches.epoch(self.validation_rows, VALIDATION_BATCH):
                errors = self.network(states) - labels
                squared += float((errors**2).sum())
                absolute += float(errors.abs().sum())
                n += len(labels)
                if not self.curve and self._out_of_time():
                    break
        self.validation_seconds = self.budget.elapsed - begun
        return squared / n * self.scale**2, absolute / n * self.scale
