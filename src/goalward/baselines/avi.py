"""AVI: approximate value iteration (Ferber et al. 2021).

Each iteration draws states by random regression and labels them by a Bellman update over a lookahead of a few steps.
The current network evaluates the leaves of the lookahead; goal states have the value 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from goalward.baselines.regressed import PLAIN_SAMPLERS, SAMPLER_HELP, RegressedStates
from goalward.declared import option
from goalward.learning.options import LearnOptions
from goalward.learning.results import Epoch, TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import lookahead
from goalward.search.network import bind_network


@dataclass(frozen=True)
class AviOptions(LearnOptions):
    """The options of AVI: the states of an iteration and the depth of the lookahead."""

    length: int = option(200, "maximum length of a regression", 1, 1_000_000)
    states: int = option(2000, "number of states updated in an iteration", 1, 100_000)
    epochs: int = option(2, "passes over the states of an iteration", 1, 1000)
    depth: int = option(2, "steps of the lookahead", 1, 5)
    max_iterations: int = option(1_000_000, "maximum number of iterations; time usually runs out first", 1, 10**9)
    sampler: str = option("uniform", SAMPLER_HELP, choices=PLAIN_SAMPLERS)

    ended_by: ClassVar[str | None] = "max_iterations"


def learn(trial: Trial[AviOptions]) -> TrainingResult:
    """Run value iteration until the time limit."""
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
            # Every state here is at most ``length`` steps from the goal, which bounds its label. Without the bound, the
            # values of dead ends would grow without limit.
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
