"""Boot: bootstrapping on states farther and farther from the goal (Ferber et al. 2021, after Arfaee et al. 2011).

Each round draws states by random regression, solves them by GBFS with the current network, and trains the network on
the plans. If at least 95 % of a round's states are solved, the maximum length of a regression doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from goalward.baselines.regressed import PLAIN_SAMPLERS, SAMPLER_HELP, RegressedStates
from goalward.declared import option
from goalward.learning.options import LearnOptions
from goalward.learning.results import Epoch, TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import ManyResults, search_many
from goalward.search.network import bind_network
from goalward.task.states import BitRows, from_bits, states_along
from goalward.task.strips import Task

SOLVED_SHARE = 0.95
"""If at least this share of a round's states is solved, regressions become longer."""

LabelledStates = tuple[BitRows, npt.NDArray[np.float32]]
MakeLabels = Callable[[Task, BitRows, ManyResults], LabelledStates]
"""Makes training data from a round's states and the results of the searches from them."""


@dataclass(frozen=True)
class BootOptions(LearnOptions):
    """The options of Boot and BExp: states and searches of a round, and the size of the replay buffer."""

    first_length: int = option(5, "maximum length of a regression in the first round", 1, 1_000_000)
    states: int = option(100, "number of states that a round tries to solve", 1, 100_000)
    expansions: int = option(500, "maximum number of expansions of one search", 1, 10**9)
    batch: int = option(16, "batch size of the searches; an untrained network misleads a search with 1", 1, 100_000)
    buffer: int = option(25_000, "capacity of the replay buffer, which keeps the newest labelled states", 10, 10**8)
    train_states: int = option(5000, "number of states of the buffer that a round trains on", 1, 10**8)
    max_rounds: int = option(1_000_000, "maximum number of rounds; time usually runs out first", 1, 10**9)
    max_length: int = option(2000, "upper bound for the maximum length of a regression", 1, 1_000_000)
    sampler: str = option("uniform", SAMPLER_HELP, choices=PLAIN_SAMPLERS)

    ended_by: ClassVar[str | None] = "max_rounds"


def plan_labels(task: Task, states: BitRows, results: ManyResults) -> LabelledStates:
    """All states along the plans, each with the number of steps that remain."""
    truth = from_bits(states, task.n_atoms)
    rows, labels = [states[:0]], [np.zeros(0, dtype=np.float32)]
    for i in np.flatnonzero(results.solved):
        plan = results.plans[int(i)]
        rows.append(states_along(task, np.flatnonzero(truth[i]).astype(np.int32), plan.tolist()))
        labels.append(np.arange(len(plan), -1, -1, dtype=np.float32))
    return np.concatenate(rows), np.concatenate(labels)


def next_max_length(max_length: int, solved: int, tried: int, options: BootOptions) -> int:
    """The maximum length of a regression in the next round."""
    enough = tried > 0 and solved >= SOLVED_SHARE * tried
    return min(2 * max_length, options.max_length) if enough else max_length


@dataclass
class ReplayBuffer:
    """Keeps the newest labelled states, at most ``capacity`` of them."""

    capacity: int
    pieces: list[LabelledStates] = field(default_factory=list)
    size: int = 0

    def add(self, states: BitRows, labels: npt.NDArray[np.float32]) -> None:
        """Add labelled states; if the buffer is full, the oldest are dropped."""
        self.pieces.append((states[-self.capacity :], labels[-self.capacity :]))
        self.size += len(self.pieces[-1][1])
        while self.size > self.capacity:
            rows, values = self.pieces[0]
            excess = min(self.size - self.capacity, len(values))
            self.pieces[0] = rows[excess:], values[excess:]
            self.size -= excess
            if len(self.pieces[0][1]) == 0:
                self.pieces.pop(0)

    def draw(self, n: int, random: np.random.Generator) -> LabelledStates:
        """Draw n labelled states without replacement, or all if there are fewer."""
        states = np.concatenate([rows for rows, _ in self.pieces])
        labels = np.concatenate([values for _, values in self.pieces])
        if len(labels) <= n:
            return states, labels
        chosen = random.choice(len(labels), n, replace=False)
        return states[chosen], labels[chosen]


def learn(trial: Trial[BootOptions]) -> TrainingResult:
    """Bootstrap with the steps that remain along plans as labels."""
    return bootstrap(trial, plan_labels)


def bootstrap(trial: Trial[BootOptions], make_labels: MakeLabels) -> TrainingResult:
    """Run rounds of regression, search and training until the time limit."""
    from goalward.baselines.online import OnlineNetwork  # noqa: PLC0415 - loads PyTorch

    task, options = trial.task, trial.options
    trial.phase("bootstrapping")
    source = RegressedStates(task, options.sampler, trial.seed, trial.until("pool"))
    random = np.random.default_rng([trial.seed, 0xB007])
    network = OnlineNetwork(task, trial.training_options())
    buffer = ReplayBuffer(options.buffer)
    length, trained, curve, rounds = options.first_length, 0, list[Epoch](), list[dict[str, int]]()

    end = "all epochs"
    try:
        for number in range(1, options.max_rounds + 1):
            states, _ = source.draw(options.states, length)
            heuristic = bind_network(task, network.weights())
            results = search_many(
                heuristic, states, expansion_limit=options.expansions, batch=options.batch, go_on=trial.go_on
            )
            tried, solved = len(results), int(results.solved.sum())
            rounds.append({"length": length, "tried": tried, "solved": solved})
            fresh, labels = make_labels(task, states[:tried], results)
            error_before = float(np.mean((heuristic.evaluate(fresh) - labels) ** 2)) if len(labels) else float("nan")
            buffer.add(fresh, labels)
            if buffer.size:
                drawn, targets = buffer.draw(options.train_states, random)
                loss, rate = network.fit(drawn, targets), network.options.learning_rate
                trained += len(targets)
                curve.append(Epoch(number, loss, error_before, trial.budget.elapsed, rate, trained))
                if trial.watch(curve[-1], network.weights) is False:
                    end = "interrupted"
                    break
            longer = next_max_length(length, solved, tried, options)
            if longer > length:
                trial.message(f"round {number}: {solved} of {tried} states solved; regressions of up to {longer} steps")
            length = longer
            if trial.budget.over:
                end = "time limit"
                break
    except KeyboardInterrupt:
        end = "interrupted"
    notes = {
        "rounds": len(rounds),
        "longest_regression": max((entry["length"] for entry in rounds), default=length),
        "tried": sum(entry["tried"] for entry in rounds),
        "solved": sum(entry["solved"] for entry in rounds),
    }
    return TrainingResult(network.weights(), curve, len(curve), end, notes=notes)  # type: ignore[arg-type]
