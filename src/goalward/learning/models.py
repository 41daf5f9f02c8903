"""From a task to a model: the trials of one method, what validation states say of them, and how it all came about."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, cast

from goalward.errors import UsageError
from goalward.learning.budget import LEAST_SECONDS, SHARES, Budget
from goalward.learning.options import LearnOptions
from goalward.learning.results import TrainingResult
from goalward.learning.selection import Verdict, judge
from goalward.learning.side_by_side import run_together, trials_at_once
from goalward.learning.trials import Chosen, Learner, Together, Trial
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
    budget = budget or Budget(options.time_limit)
    before = budget.elapsed
    trained = list(_Training(task, method, learn, options, watcher or Watcher(), budget).run())
    best = max(trained, key=lambda each: each.rank)
    return Model(task, best.result.weights, _info(method, options, trained, best, budget.elapsed - before))


@dataclass(frozen=True, eq=False)
class Trained:
    """What a trial has learned, and the verdict on it; None if there was no time for one."""

    trial: Trial[Any]
    result: TrainingResult
    verdict: Verdict | None

    @property
    def rank(self) -> tuple[float, ...]:
        """Larger is better: by the verdict; by the loss, which compares less well, among equals."""
        return (*(self.verdict.rank if self.verdict else (-1.0,)), -self.result.validation_loss)


class _Training:
    """The trials of one training."""

    def __init__(
        self, task: Task, method: str, learn: Learner[Any], options: LearnOptions, watcher: Watcher, budget: Budget
    ) -> None:
        self.task = task
        self.method = method
        self.learn = learn
        self.options = options
        self.at_once = trials_at_once(options)
        self.watcher = watcher
        self.together = Together()
        self.budget = budget
        walking = budget.for_a_while("validation states")

        def go_on() -> bool:
            return walking() and not budget.over and self.watcher.go_on()

        self.states: list[Ints] = validation_states(task, options.validation_states, options.seed, go_on=go_on)

    def run(self) -> Iterator[Trained]:
        """The trials, some of them side by side; they share the time, and an interrupted one is the last."""
        n = self.options.trials
        for begin in range(0, n, self.at_once):
            if begin and self.budget.over:
                return
            left, turns = self.budget.left, -(-(n - begin) // self.at_once)
            seconds = None if left is None else left / turns
            jobs = [partial(self._trial, number, seconds) for number in range(begin, min(begin + self.at_once, n))]
            trained = run_together(jobs, self.together, self.options.threads) if len(jobs) > 1 else [jobs[0]()]
            yield from trained
            if any(each.result.end == "interrupted" for each in trained):
                return

    def _trial(self, number: int, seconds: float | None) -> Trained:
        """One trial learns, and validation searches judge the result in the rest of its time."""
        options = self.options
        budget = whole = self.budget.part(seconds)
        if seconds is not None and self.states:
            for_verdict = MAX_SEARCHES * options.validation_seconds * len(self.states)
            budget = self.budget.part(max(SHARES["training"] * seconds, seconds - for_verdict, LEAST_SECONDS))
        trial = Trial(self.task, self.method, options, number, budget, self.states, self.watcher, self.together)
        result = self.learn(trial)
        verdict = None
        if self.states and result.end != "interrupted":  # after Ctrl-C nobody should have to wait
            trial.phase("validation")
            heuristic = bind_network(self.task, result.weights, unit_costs=result.unit_costs)
            left = min(whole.remaining, self.budget.remaining) + LEAST_SECONDS
            rest = Budget() if seconds is None else self.budget.part(left)
            verdict = judge(heuristic, self.states, options.validation_seconds, rest)
        with self.together.lock:
            self.watcher.rests(number)
        return Trained(trial, result, verdict)


def _finite(loss: float) -> float | None:
    """A loss as JSON can hold it: there is none before the first epoch."""
    return loss if math.isfinite(loss) else None


def _info(method: str, options: LearnOptions, trained: list[Trained], best: Trained, seconds: float) -> dict[str, Any]:
    info = {
        "method": method,
        "preset": options.preset,
        "options": asdict(options),
        "seed": best.trial.seed,
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
        "trials": [_trial_info(each) for each in trained],
        "chosen_trial": trained.index(best),
        "versions": {name: version(name) for name in ("goalward", "torch")} | {"python": platform.python_version()},
    }
    info |= best.verdict.info() if best.verdict else {}  # then nothing says how the network is used best
    # As the model file will give it back.
    return cast(dict[str, Any], json.loads(json.dumps(info)))


def _trial_info(trained: Trained) -> dict[str, Any]:
    verdict = trained.verdict
    return {
        "seed": trained.trial.seed,
        "sampler": trained.result.notes.get("sampler"),
        "notes": trained.result.notes,
        "validation_loss": _finite(trained.result.validation_loss),
        "epochs": len(trained.result.curve),
        "end": trained.result.end,
        "solved": verdict.solved if verdict else None,
        "validation_states": verdict.states if verdict else None,
        "solved_alone": verdict.by_lead["network"].solved if verdict else None,
    }
