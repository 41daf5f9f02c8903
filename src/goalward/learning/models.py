"""From a task to a model: the trials of one method, what validation states say of them, and how it all came about."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any, cast

from goalward.errors import UsageError
from goalward.learning.budget import LEAST_SECONDS, SHARES, Budget
from goalward.learning.options import LearnOptions
from goalward.learning.results import TrainingResult
from goalward.learning.selection import Verdict, judge
from goalward.learning.side_by_side import Together, trials_at_once
from goalward.learning.trials import Chosen, Learner, Trial
from goalward.learning.validation import validation_states
from goalward.learning.watchers import Watcher
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.task.strips import Ints, Task

MAX_SEARCHES = 2.0
"""The time for a verdict is at most this multiple of the limits of one search from each validation state. Not tuned."""


def train_model(
    task: Task,
    method: str,
    learn: Learner[Chosen],
    options: Chosen,
    watcher: Watcher | None = None,
    *,
    budget: Budget | None = None,
) -> Model:
    """Learn a heuristic for a task by the trials of one method; ``goalward.learning.methods`` knows its learner.

    Of several trials, each with its own seed, the one that does best on validation states is kept. They share the
    budget, which is the options' time limit from now on unless another one is given.
    """
    if not task.n_atoms:
        raise UsageError(f"{task.problem_name} has nothing to learn: no atom of it can change, every state is the same")
    options = options.resolved()
    budget, watcher = budget or Budget(options.time_limit), watcher or Watcher()
    before = budget.elapsed
    walking = budget.for_a_while("validation states")

    def go_on() -> bool:
        return walking() and not budget.over and watcher.go_on()

    states = validation_states(task, options.validation_states, options.seed, go_on=go_on)
    trained = list(_Training(task, method, learn, options, watcher, budget, states).run())
    best = max(trained, key=lambda each: each.rank)
    return Model(task, best.result.weights, _info(method, options, trained, best, budget.elapsed - before))


@dataclass(frozen=True, eq=False)
class Trained:
    """The result of a trial, and the verdict on its network; None if there was no time for a verdict."""

    seed: int
    result: TrainingResult
    verdict: Verdict | None

    @property
    def rank(self) -> tuple[float, ...]:
        """Larger is better: by the verdict; by the loss, which compares less well, among equals."""
        return (*(self.verdict.rank if self.verdict else (-1.0,)), -self.result.validation_loss)


@dataclass(frozen=True, eq=False)
class _Training:
    """The trials of one training."""

    task: Task
    method: str
    learn: Learner[Any]
    options: LearnOptions
    watcher: Watcher
    budget: Budget
    states: list[Ints]
    together: Together = field(default_factory=Together)

    def run(self) -> Iterator[Trained]:
        """The trials, some of them side by side; they share the time, and an interrupted one is the last."""
        n, at_once = self.options.trials, trials_at_once(self.options)
        for begin in range(0, n, at_once):
            if begin and self.budget.over:
                return
            left, turns = self.budget.left, -(-(n - begin) // at_once)
            seconds = None if left is None else left / turns
            jobs = [partial(self._trial, number, seconds) for number in range(begin, min(begin + at_once, n))]
            trained = self.together.run(jobs, self.options.threads) if len(jobs) > 1 else [jobs[0]()]
            yield from trained
            if any(each.result.end == "interrupted" for each in trained):
                return

    def _trial(self, number: int, seconds: float | None) -> Trained:
        """One trial learns, and validation searches judge the result in the rest of its time."""
        limit = self.options.validation_seconds
        budget = whole = self.budget.part(seconds)
        if seconds is not None and self.states:
            for_verdict = MAX_SEARCHES * limit * len(self.states)
            budget = self.budget.part(max(SHARES["training"] * seconds, seconds - for_verdict, LEAST_SECONDS))
        trial = Trial(self.task, self.method, self.options, number, budget, self.states, self.watcher, self.together)
        result = self.learn(trial)
        verdict = None
        if self.states and result.end != "interrupted":  # after Ctrl-C, end at once
            trial.phase("validation")
            heuristic = bind_network(self.task, result.weights, unit_costs=result.unit_costs)
            left = None if seconds is None else min(whole.remaining, self.budget.remaining) + LEAST_SECONDS
            verdict = judge(heuristic, self.states, limit, self.budget.part(left))
        with self.together.lock:
            self.watcher.rests(number)
        return Trained(trial.seed, result, verdict)


def _finite(loss: float) -> float | None:
    """A loss as JSON can hold it: there is none before the first epoch."""
    return loss if math.isfinite(loss) else None


def _info(method: str, options: LearnOptions, trained: list[Trained], best: Trained, seconds: float) -> dict[str, Any]:
    result = best.result
    info = {
        "method": method,
        "preset": options.preset,
        "options": asdict(options),
        **_outcome(best),
        "seconds": round(seconds, 3),
        "best_epoch": result.best_epoch,
        "curve": [
            [e.number, _finite(e.train_loss), _finite(e.validation_loss), round(e.seconds, 3)] for e in result.curve
        ],
        "trials": [_outcome(each) | _searches(each) for each in trained],
        "chosen_trial": trained.index(best),
        "versions": {name: version(name) for name in ("goalward", "torch")} | {"python": platform.python_version()},
    }
    info |= best.verdict.info() if best.verdict else {}  # then nothing says how the network is used best
    # As the model file will give it back.
    return cast(dict[str, Any], json.loads(json.dumps(info)))


def _outcome(trained: Trained) -> dict[str, Any]:
    """The figures of a trial that the model file keeps."""
    result = trained.result
    return {
        "seed": trained.seed,
        "sampler": result.notes.get("sampler"),
        "notes": result.notes,
        "end": result.end,
        "validation_loss": _finite(result.validation_loss),
    }


def _searches(trained: Trained) -> dict[str, Any]:
    said = trained.verdict.info() if trained.verdict else {}
    names = ("solved", "validation_states", "solved_alone")
    return {"epochs": len(trained.result.curve)} | {name: said.get(name) for name in names}
