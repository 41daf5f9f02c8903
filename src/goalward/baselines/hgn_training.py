"""Trains a hypergraph network for a domain by supervised learning on states of several problems."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt
import torch

from goalward.baselines.hgn import Hypergraph, HypergraphNetwork, torch_threads
from goalward.baselines.hgn_data import OptimalPlanStates, states_on_optimal_plans
from goalward.baselines.hgn_model import DomainModel, DomainOptions
from goalward.errors import GoalwardError, UsageError
from goalward.learning.adam import Adam
from goalward.learning.best_so_far import BestSoFar
from goalward.learning.budget import Budget, Clock
from goalward.search.learned import require_domain
from goalward.task.strips import Task

TEACHER_SHARE = 0.5  # share of the time limit that finding optimal plans may use

PIECE = 16  # states of one problem in one forward pass; fewer take nearly as much time
VALIDATION_PIECE = 64  # the same in validation, which needs no gradients
UNTRAINED_SHARE = 0.9  # a loss above this share of the labels' variance means that nothing has been learned yet
CLIP = 10.0  # maximum norm of the gradient, which can explode through sums over many operators in many steps

End = Literal["early stopping", "all epochs", "time limit", "interrupted", "diverged"]


@dataclass(frozen=True)
class DomainEpoch:
    """One point of the training curve; losses are squared errors averaged over states and steps."""

    number: int
    train_loss: float
    validation_loss: float
    seconds: float


class DomainWatcher(Protocol):
    """Follows the training of a domain model. ``go_on`` and ``epoch`` return False to stop it."""

    def go_on(self) -> bool:
        """Called during the search for optimal plans; if it returns False, training ends without a model."""

    def lessons(self, lessons: OptimalPlanStates) -> None:
        """Called when the search for optimal plans of one problem has ended; there may be no states."""

    def epoch(self, epoch: DomainEpoch) -> bool | None:
        """Called after each epoch; if it returns False, training ends with the best weights so far."""


def train_domain(
    tasks: Sequence[Task],
    options: DomainOptions | None = None,
    watcher: DomainWatcher | None = None,
    *,
    clock: Clock | None = None,
) -> DomainModel:
    """Learn a heuristic for all problems of a domain from optimal plans of small ones.

    Problems without an optimal plan in the time limit are left out. Ctrl-C during training keeps the best weights so
    far. The time limit is wall-clock time unless another ``clock`` is given, such as :func:`time.process_time`.
    """
    options = options or DomainOptions()
    budget = Budget(options.time_limit, clock=clock)
    if not tasks:
        raise UsageError("there is no problem to learn from")
    for task in tasks:
        require_domain(tasks[0].domain_name, tasks[0].domain_text, task.domain_text, task.problem_name)
    seconds = options.teacher_limit
    if options.time_limit is not None:
        seconds = min(seconds, TEACHER_SHARE * options.time_limit / len(tasks))
    lessons = []
    for i, task in enumerate(tasks):
        seed = int(np.random.SeedSequence([options.seed, i]).generate_state(1, np.uint64)[0])
        go_on = watcher.go_on if watcher else None
        lessons.append(states_on_optimal_plans(task, options, seconds, seed, go_on, budget.clock))
        if watcher:
            watcher.lessons(lessons[-1])
    learnable = [lesson for lesson in lessons if len(lesson.labels)]
    if not learnable:
        raise UsageError(
            f"no problem was solved optimally within {seconds:g} s: give smaller problems or a longer --teacher-limit"
        )
    if sum(len(lesson.labels) for lesson in learnable) < 2:
        raise UsageError("the problems give only one state to learn from, but two are needed: give other problems")
    with torch_threads(options.threads):
        run = _Run(learnable, options, budget, watcher)
        run.train()
    info = {
        "method": "strips-hgn",
        "seed": options.seed,
        "seconds": round(budget.elapsed, 3),
        "end": run.end,
        "best_epoch": run.best.epoch,
        "validation_loss": run.best.loss if math.isfinite(run.best.loss) else None,
        "curve": [[e.number, e.train_loss, e.validation_loss, round(e.seconds, 3)] for e in run.curve],
        "problems": [lesson.summary() for lesson in lessons],
        "versions": {"goalward": version("goalward"), "torch": torch.__version__, "python": platform.python_version()},
    }
    weights = {name: tensor.numpy().copy() for name, tensor in run.best.state.items()}
    info = cast(dict[str, Any], json.loads(json.dumps(info)))  # with the types that the model file will give back
    return DomainModel(tasks[0].domain_name, tasks[0].domain_text, weights, options, info)


class _Problem:
    """The states and labels of one problem as tensors."""

    def __init__(self, lessons: OptimalPlanStates, options: DomainOptions) -> None:
        self.graph = Hypergraph(lessons.task, unit_costs=options.unit_costs, aggregation=options.aggregation)
        self.states = torch.from_numpy(lessons.states)
        self.labels = torch.from_numpy(lessons.labels)

    def loss(self, network: HypergraphNetwork, rows: npt.NDArray[np.int64], n_steps: int) -> torch.Tensor:
        """Squared errors of the states in ``rows``, averaged over steps and summed over states."""
        chosen = torch.from_numpy(rows)
        values = network(self.graph, self.states[chosen].float(), n_steps)
        return torch.square(values - self.labels[chosen]).mean(dim=0).sum()


Piece = tuple[int, npt.NDArray[np.int64]]  # index of a problem, and indices of some of its states


class _Run:
    """One run of supervised learning on the states of all problems."""

    def __init__(
        self,
        lessons: Sequence[OptimalPlanStates],
        options: DomainOptions,
        budget: Budget,
        watcher: DomainWatcher | None,
    ) -> None:
        self.options = options
        self.budget = budget
        self.watcher = watcher
        self.problems = [_Problem(lesson, options) for lesson in lessons]
        self.random = np.random.default_rng([options.seed, 0x46A7])
        self._split([len(lesson.labels) for lesson in lessons])
        self.network = HypergraphNetwork(options.latent, torch.Generator().manual_seed(options.seed))
        with torch.no_grad():  # starting at the mean label saves epochs
            self.network.output.bias.fill_(float(np.concatenate([lesson.labels for lesson in lessons]).mean()))
        self.optimiser = Adam(self.network.parameters(), options.learning_rate, weight_decay=options.weight_decay)
        self.curve: list[DomainEpoch] = []
        self.best = BestSoFar(self.network, options.patience)
        held_out = [lesson.labels[rows] for lesson, rows in zip(lessons, self.validation_rows, strict=True)]
        # In its first epochs, the network gives all states nearly the same value. Early stopping must not end them.
        self.untrained_loss = UNTRAINED_SHARE * float(np.concatenate(held_out).var()) or math.inf
        self.end: End = "all epochs"

    def _split(self, sizes: list[int]) -> None:
        """Split all states at random into training and validation rows, by problem."""
        owners = np.repeat(np.arange(len(sizes)), sizes)
        rows = np.concatenate([np.arange(size) for size in sizes])
        order = self.random.permutation(len(owners))
        held_out = max(1, round(len(order) * self.options.validation_share))

        def by_problem(chosen: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
            return [rows[chosen[owners[chosen] == i]] for i in range(len(sizes))]

        self.validation_rows, self.train_rows = by_problem(order[:held_out]), by_problem(order[held_out:])

    def train(self) -> None:
        """Train epoch by epoch until a limit, early stopping, the watcher or Ctrl-C ends it; sets ``end``."""
        try:
            for number in range(1, self.options.max_epochs + 1):
                train_loss, validation_loss = self._learn(), self._validate()
                if not math.isfinite(train_loss + validation_loss):
                    if not self.curve:
                        raise GoalwardError("training diverged at once: the loss is not a number; try another --seed")
                    self.end = "diverged"
                    return
                epoch = DomainEpoch(number, train_loss, validation_loss, self.budget.elapsed)
                self.curve.append(epoch)
                self.best.add(number, validation_loss)
                if self.watcher and self.watcher.epoch(epoch) is False:
                    self.end = "interrupted"
                elif self.budget.over:
                    self.end = "time limit"
                elif self.best.patience_is_over(number) and self.best.loss < self.untrained_loss:
                    self.end = "early stopping"
                else:
                    continue
                return
        except KeyboardInterrupt:
            self.end = "interrupted"

    def _batches(self) -> Iterator[list[Piece]]:
        """All training states in random order. A batch has several pieces, each with states of one problem."""
        size = min(PIECE, self.options.batch_size)
        pieces: list[Piece] = []
        for i, rows in enumerate(self.train_rows):
            self.random.shuffle(rows)
            pieces += [(i, rows[start : start + size]) for start in range(0, len(rows), size)]
        order = self.random.permutation(len(pieces))
        together = max(1, self.options.batch_size // size)
        for start in range(0, len(order), together):
            yield [pieces[k] for k in order[start : start + together]]

    def _learn(self) -> float:
        """Train for one epoch; return the mean loss."""
        total, seen = 0.0, 0
        for batch in self._batches():
            size = sum(len(rows) for _, rows in batch)
            self.optimiser.zero_grad()
            for i, rows in batch:
                loss = self.problems[i].loss(self.network, rows, self.options.n_steps)
                (loss / size).backward()  # type: ignore[no-untyped-call]
                total += float(loss.detach())
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
            self.optimiser.step()
            seen += size
            if self.budget.over or not math.isfinite(total):
                break
        return total / max(seen, 1)

    def _validate(self) -> float:
        """The mean loss on the states that are held out."""
        with torch.no_grad():
            losses = [
                float(problem.loss(self.network, piece, self.options.n_steps))
                for problem, rows in zip(self.problems, self.validation_rows, strict=True)
                for piece in np.split(rows, range(VALIDATION_PIECE, len(rows), VALIDATION_PIECE))
                if len(piece)
            ]
        return sum(losses) / sum(map(len, self.validation_rows))
