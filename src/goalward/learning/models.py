"""From a task to a model: the trials of one method, what validation states say of them, and how it all came about."""

from __future__ import annotations

import json
import math
import platform
import time
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, cast

from goalward.errors import UsageError
from goalward.learning.options import LearnOptions
from goalward.learning.race import Learned, Race, judge
from goalward.learning.trials import Chosen, Learner, Watcher
from goalward.learning.validation import validation_states
from goalward.search.model import Model
from goalward.task.strips import Task

WALKING_SHARE = 0.1
"""Of the time limit, at which walks to validation states end with what they have."""


def train_model(
    task: Task,
    method: str,
    learn: Learner[Chosen],
    options: Chosen,
    watcher: Watcher | None = None,
    *,
    spent: float = 0.0,
) -> Model:
    """Learn a heuristic for a task by the trials of one method; ``goalward.learning.methods`` knows its learner.

    With several trials, each has its own seed, and samplers and labels take turns; the one that solves most validation
    states is kept, by fewer evaluations among equals. Unless a number of trials is asked for, there are no more once
    one has solved them all at once. The time limit is shared between the trials; ``spent``
    seconds of it have gone before.
    """
    if not task.n_atoms:
        raise UsageError(f"{task.problem_name} has nothing to learn: no atom of it can change, every state is the same")
    started = time.monotonic()
    options = options.resolved()
    until = math.inf if options.time_limit is None else started + WALKING_SHARE * max(options.time_limit - spent, 0.0)
    wanted = getattr(watcher, "go_on", lambda: True)
    states = validation_states(
        task, options.validation_states, options.seed, go_on=lambda: time.monotonic() < until and wanted() is not False
    )
    race = Race(task, method, learn, options, states, watcher, spent + time.monotonic() - started)
    trials, best = race.run()
    verdict = judge(best, task, states, race.latest)
    return Model(task, best.result.weights, _info(method, options, trials, best, time.monotonic() - started) | verdict)


def _finite(loss: float) -> float | None:
    """A loss as JSON can hold it: there is none before the first epoch, nor in a round that solved nothing."""
    return loss if math.isfinite(loss) else None


def _info(method: str, options: LearnOptions, trials: list[Learned], best: Learned, seconds: float) -> dict[str, Any]:
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
        "trials": [
            {
                "seed": trial.trial.seed,
                "sampler": trial.result.notes.get("sampler"),
                "notes": trial.result.notes,
                "validation_loss": _finite(trial.result.validation_loss),
                "epochs": len(trial.result.curve),
                "end": trial.result.end,
                "restarts": trial.result.restarts,
                "solved": trial.score.solved if trial.score else None,
                "validation_states": trial.score.states if trial.score else None,
                "expanded_per_step": round(trial.score.expanded_per_step, 2) if trial.score else None,
                "solved_alone": trial.score.alone if trial.score else None,
                "evaluations": trial.score.evaluations if trial.score else None,
                "search_seconds": round(trial.score.seconds, 3) if trial.score else None,
                "solved_nearer": trial.nearer.solved if trial.nearer else None,
                "solved_alone_nearer": trial.nearer.alone if trial.nearer else None,
                "rounds": trial.rounds,
                "dropped": trial.dropped,
            }
            for trial in trials
        ],
        "chosen_trial": trials.index(best),
        "versions": {name: version(name) for name in ("goalward", "torch")} | {"python": platform.python_version()},
    }
    # As the model file will give it back.
    return cast(dict[str, Any], json.loads(json.dumps(info)))
