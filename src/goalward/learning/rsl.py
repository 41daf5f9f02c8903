"""RSL and N-RSL: learn from pre-images (O'Toole, Ramirez, Lipovetzky, Pearce 2022), Algorithm 1 of the paper.

:func:`learn` is the algorithm, line by line: regress, sample, label, fit. That is all that preset ``paper`` does.
Preset ``fast`` lets the task choose the number and length of rollouts, and carries on with expert iteration
(:mod:`goalward.learning.expert`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, cast

from goalward.declared import SHARE, option
from goalward.learning.expert import ExpertIteration
from goalward.learning.options import ENDLESS, SupervisedOptions, by_preset
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.regression import RolloutOptions, Rollouts, regress
from goalward.regression.rollouts import RegressionMethod
from goalward.regression.sizes import suggest_length, suggest_rollouts
from goalward.sampling import LABELS, SAMPLERS, SamplingOptions, Source

ROUNDS = 200
"""Rounds of expert iteration, about a minute, if neither a time limit nor a number of epochs is given. Not tuned."""


def _explained(table: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {entry.summary}" for name, entry in table.items())


@dataclass(frozen=True)
class PreimageOptions(SupervisedOptions):
    """Rollouts and samples of RSL and N-RSL, with the paper's symbols."""

    width: int = by_preset("width of the network's layers", 1, 8192)
    samples: int = option(100_000, "N_t, number of training states", 10, 50_000_000)
    random_share: float = option(0.5, "P_r, share of random states among the training states", kind=SHARE)
    rollouts: int = by_preset("N_r, regressions from the goal; 0: chosen from the task", 0, 100_000)
    length: int = by_preset("L, steps of each regression; 0: chosen from the task", 0, 1_000_000)
    sampler: str = by_preset(f"how open atoms get values ({_explained(SAMPLERS)})", choices=SAMPLERS)
    labels: str = by_preset(f"the label of a state ({_explained(LABELS)})", choices=LABELS)
    costs: str = by_preset(
        "what labels count: the costs in the PDDL, if it has any, or steps", choices=("pddl", "unit")
    )
    expert: bool = by_preset("continue with expert iteration: learn from plans that were found with the network")

    @property
    def counts_steps(self) -> bool:
        """True if labels count steps even if the PDDL has costs."""
        return self.costs == "unit"

    def resolved(self) -> Self:
        """With a time limit, expert iteration runs until then unless ``max_epochs`` is set."""
        full = super().resolved()
        if not full.expert:
            return full
        return replace(full, max_epochs=self.max_epochs or (ROUNDS if full.time_limit is None else ENDLESS))


def learn(trial: Trial[PreimageOptions]) -> TrainingResult:
    """Algorithm 1: x_i^j by regression from the goal, s drawn from x_i^j, d(s) its label, h fitted to them."""
    options = trial.options
    trial.phase("rollouts")
    rollouts = _regress(trial)
    trial.phase("sampling")
    unit_costs = options.counts_steps or not trial.task.uses_costs
    sampling = SamplingOptions(
        options.samples, options.random_share, options.sampler, trial.seed, options.labels, unit_costs
    )
    source = Source(trial.task, rollouts, sampling)
    notes = {"sampler": options.sampler, "rollouts": int(rollouts.rollout[-1]) + 1, "length": rollouts.longest}
    notes |= {"labels": options.labels, "costs": "unit" if unit_costs else "pddl"}
    if options.expert:
        lessons = ExpertIteration(source, trial.seed, trial.budget, go_on=trial.wanted, tell=trial.data)
        result = trial.fit(lessons, **notes)
        return replace(result, notes=result.notes | {"expert_rounds": lessons.rounds, "plans": len(lessons.plans)})
    dataset = source.draw(options.samples, go_on=trial.until("sampling"))
    trial.data(dataset.summary())
    return trial.fit(dataset, **notes)


def _regress(trial: Trial[PreimageOptions]) -> Rollouts:
    """N_r rollouts of length L, as the options say or the task suggests."""
    options, task = trial.options, trial.task
    method = cast(RegressionMethod, trial.method)
    sizing = trial.until("sizes")
    length = options.length or suggest_length(task, trial.seed, sizing)
    n = options.rollouts or suggest_rollouts(task, method, length, trial.budget.left, sizing)
    return regress(task, RolloutOptions(method, n, length, trial.seed), go_on=trial.until("rollouts"))
