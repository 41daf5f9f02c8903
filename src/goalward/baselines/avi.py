"""AVI: approximate value iteration (Ferber et al. 2021).

Random regressions give states; each is labelled by a Bellman update on a two-step lookahead, whose leaves the current
network evaluates; goal states count 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from goalward.baselines.regressed import PLAIN_SAMPLERS, RegressedStates
from goalward.declared import option
from goalward.learning.options import LearnOptions
from goalward.learning.results import Epoch, TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import lookahead
from goalward.search.network import bind_network


@dataclass(frozen=True)
class AviOptions(LearnOptions):
    """Which states an iteration of AVI updates, and how far it looks ahead."""

    length: int = option(200, "longest regression", 1, 1_000_000)
    states: int = option(2000, "states that an iteration updates", 1, 100_000)
    epochs: int = option(2, "passes over them", 1, 1000)
    depth: int = option(2, "steps of the lookahead", 1, 5)
    max_iterations: int = option(1_000_000, "iterations at most; time usually ends earlier", 1, 10**9)
    sampler: str = option("uniform", "where the atoms that a pre-image leaves open come from", choices=PLAIN_SAMPLERS)

    ended_by: ClassVar[str | None] = "max_iterations"


def learn(trial: Trial[AviOptions]) -> TrainingResult:
    """Iterate until the time is over."""
    from goalward.baselines.online import OnlineNetwork  # noqa: PLC0415 - loads PyTorch

    task, options = trial.task, trial.options
    trial.phase("value iteration")
    source = RegressedStates(task, options.sampler, trial.seed, trial.until("pool"))
    network = OnlineNetwork(task, trial.training_options())
    curve: list[Epoch] = []
    end: Literal["all epochs", "time limit", "interrupted"] = "all epochs"
    try:
        for number in range(1, options.max_iterations + 1):
            states, _ = source.draw(options.states, options.length)
            heuristic = bind_network(task, network.weights())
            # Every state here reaches the goal within the longest regression, so no label needs to be above it; without
            # a bound, what leads nowhere would grow for ever.
            labels = np.minimum(lookahead(heuristic, states, options.depth), np.float32(options.length))
            residual = float(np.mean((heuristic.evaluate(states) - labels) ** 2))
            loss = network.fit(states, labels, options.epochs)
            elapsed = trial.budget.elapsed
            trained = number * options.states * options.epochs
            curve.append(Epoch(number, loss, residual, elapsed, network.options.learning_rate, trained))
            if trial.watch(curve[-1], network.weights) is False:
                end = "interrupted"
                break
            if trial.budget.over:
                end = "time limit"
                break
    except KeyboardInterrupt:
        end = "interrupted"
    notes = {"iterations": len(curve), "updates": len(curve) * options.states}
    return TrainingResult(network.weights(), curve, len(curve), end, notes=notes)
