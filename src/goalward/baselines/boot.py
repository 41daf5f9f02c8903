"""Boot: bootstrapping on ever farther states (Ferber et al. 2021, after Arfaee, Zilles, Holte 2011).

Random regressions give states, GBFS with the current network solves them, the network learns from the plans. When 95 %
of the states of a round are solved, the longest regression doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from goalward.baselines.regressed import PLAIN_SAMPLERS, RegressedStates
from goalward.declared import option
from goalward.learning.options import LearnOptions
from goalward.learning.results import Epoch, TrainingResult
from goalward.learning.trials import Trial
from goalward.search.batches import ManyResults, search_many
from goalward.search.network import bind_network
from goalward.task.states import BitRows, from_bits, states_along
from goalward.task.strips import Task

SOLVED_SHARE = 0.95
"""When this share of a round's states is solved, regressions become longer."""

Labelled = tuple[BitRows, npt.NDArray[np.float32]]
# How a round's states and the searches from them become training data.
Labels = Callable[[Task, BitRows, ManyResults], Labelled]


@dataclass(frozen=True)
class BootOptions(LearnOptions):
    """The rounds of Boot and BExp: which states they try to solve, how, and what they remember."""

    first_length: int = option(5, "longest regression at the beginning", 1, 1_000_000)
    states: int = option(100, "states that a round tries to solve", 1, 100_000)
    expansions: int = option(500, "expansions of one search at most", 1, 10**9)
    batch: int = option(16, "states that a search expands at once; 1 follows an untrained network astray", 1, 100_000)
    buffer: int = option(25_000, "labelled states that are kept, the newest", 10, 10**8)
    train_states: int = option(5000, "states of the buffer that a round trains on", 1, 10**8)
    max_rounds: int = option(1_000_000, "rounds at most; time usually ends earlier", 1, 10**9)
    max_length: int = option(2000, "where regressions stop becoming longer", 1, 1_000_000)
    sampler: str = option("uniform", "where the atoms that a pre-image leaves open come from", choices=PLAIN_SAMPLERS)

    ended_by: ClassVar[str | None] = "max_rounds"


def plan_labels(task: Task, states: BitRows, results: ManyResults) -> Labelled:
    """Every state along a plan, with the number of steps that remain."""
    truth = from_bits(states, task.n_atoms)
    rows, labels = [states[:0]], [np.zeros(0, dtype=np.float32)]
    for i in np.flatnonzero(results.solved):
        plan = results.plans[int(i)]
        rows.append(states_along(task, np.flatnonzero(truth[i]).astype(np.int32), plan.tolist()))
        labels.append(np.arange(len(plan), -1, -1, dtype=np.float32))
    return np.concatenate(rows), np.concatenate(labels)


def grow(max_length: int, solved: int, tried: int, options: BootOptions) -> int:
    """The longest regression of the next round."""
    enough = tried > 0 and solved >= SOLVED_SHARE * tried
    return min(2 * max_length, options.max_length) if enough else max_length


@dataclass
class ReplayBuffer:
    """The newest labelled states, as many as fit."""

    capacity: int
    pieces: list[Labelled] = field(default_factory=list)
    size: int = 0

    def add(self, states: BitRows, labels: npt.NDArray[np.float32]) -> None:
        """Put states in; the oldest go where there is no room."""
        self.pieces.append((states[-self.capacity :], labels[-self.capacity :]))
        self.size += len(self.pieces[-1][1])
        while self.size > self.capacity:
            rows, values = self.pieces[0]
            spare = min(self.size - self.capacity, len(values))
            self.pieces[0] = rows[spare:], values[spare:]
            self.size -= spare
            if len(self.pieces[0][1]) == 0:
                self.pieces.pop(0)

    def draw(self, n: int, random: np.random.Generator) -> Labelled:
        """n states, or all where there are not as many."""
        states = np.concatenate([rows for rows, _ in self.pieces])
        labels = np.concatenate([values for _, values in self.pieces])
        if len(labels) <= n:
            return states, labels
        chosen = random.choice(len(labels), n, replace=False)
        return states[chosen], labels[chosen]


def learn(trial: Trial[BootOptions]) -> TrainingResult:
    """Bootstrap with the lengths of plans as labels."""
    return bootstrap(trial, plan_labels)


def bootstrap(trial: Trial[BootOptions], make_labels: Labels) -> TrainingResult:
    """Rounds of regression, search and training until the time is over."""
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
            surprise = float(np.mean((heuristic.evaluate(fresh) - labels) ** 2)) if len(labels) else float("nan")
            buffer.add(fresh, labels)
            if buffer.size:
                drawn, targets = buffer.draw(options.train_states, random)
                loss, rate = network.fit(drawn, targets), network.options.learning_rate
                trained += len(targets)
                curve.append(Epoch(number, loss, surprise, trial.budget.elapsed, rate, trained))
                if trial.watch(curve[-1], network.weights) is False:
                    end = "interrupted"
                    break
            longer = grow(length, solved, tried, options)
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
