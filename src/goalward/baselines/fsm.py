"""FSM: regressed states with improved labels (Bettker, Minini, Pereira, Ritt 2024).

*Understanding Sample Generation Strategies for Learning Heuristic Functions in Classical Planning*, JAIR 80.

1. Conditions are regressed from the goal: some of them by breadth-first search, the others by random walks that start
   at the leaves of that search.
2. Labels are improved before training: equal conditions get their minimum label (SAI), and a condition gets at most one
   more than the label of any sampled condition that an action leads to (SUI).
3. Conditions are completed to full states, and random states with a label above all others are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goalward import _core
from goalward.baselines.regressed import PLAIN_SAMPLERS, SAMPLER_HELP
from goalward.declared import SHARE, option
from goalward.learning.options import SupervisedOptions
from goalward.learning.results import TrainingResult
from goalward.learning.trials import Trial
from goalward.regression.rollouts import native_regression
from goalward.sampling import SAMPLERS, Dataset
from goalward.sampling.samplers import complete
from goalward.task.packing import choose_variables, core_atoms
from goalward.task.states import BitRows, add_fixed_atoms, from_bits
from goalward.task.strips import Rows, Task

GoOn = Callable[[], bool]
Labels = npt.NDArray[np.int32]


_CONDITIONS_AT_ONCE = 2048
"""Number of conditions whose successors are held in memory at the same time. Not tuned."""


@dataclass(frozen=True)
class FsmOptions(SupervisedOptions):
    """The options of FSM. Defaults are the paper's, except for the number of samples, which is RSL's."""

    samples: int = option(100_000, "number of training states", 10, 10_000_000)
    random_share: float = option(
        0.2, "share of random states, which get a label above all others", 0.0, 0.99, kind=SHARE
    )
    breadth_first_share: float = option(
        0.1, "share of the regressed states from breadth-first search; the others are from random walks", kind=SHARE
    )
    length: int = option(0, "maximum length of a regression; 0: |F| / mean number of effects", 0, 1_000_000)
    equal_states: bool = option(True, "give equal states their minimum label (SAI in the paper)")
    successors: bool = option(
        True, "label a condition at most one above a sampled one that an action leads to (SUI in the paper)"
    )
    sampler: str = option("uniform", SAMPLER_HELP, choices=PLAIN_SAMPLERS)


def regression_limit(task: Task) -> int:
    """The paper's maximum length of a regression: |F| divided by the mean number of effects, rounded up.

    Effects are counted as in Fast Downward's representation: deleting one atom of a mutex group and adding another is
    one effect.
    """
    core = core_atoms(task)
    variables = choose_variables(task, core)
    variable_of = np.full(task.n_atoms, -1, dtype=np.int64)
    variable_of[variables.values] = variables.owners
    operators = np.concatenate([task.add.owners, task.delete.owners]).astype(np.int64)
    changed = variable_of[np.concatenate([task.add.values, task.delete.values])]
    operators, changed = operators[changed >= 0], changed[changed >= 0]
    n_effects = len(np.unique(operators * len(variables) + changed))
    return -(-int(core.sum()) * len(np.unique(operators)) // n_effects) if n_effects else 1


def sample_conditions(
    task: Task, n: int, breadth_first_share: float, length: int, seed: int, go_on: GoOn | None = None
) -> tuple[Rows, Labels]:
    """Sample up to n conditions by regression, and the number of regression steps of each; the goal is the first.

    There are fewer than n if breadth-first search exhausts all conditions, or if ``go_on`` returns False.
    """
    offsets, values, depth = _core.sample_conditions(
        native_regression(task),
        n=n,
        n_breadth_first=round(n * breadth_first_share),
        length=length,
        seed=int(np.random.default_rng([seed, 0xF5]).integers(2**63)),
        go_on=go_on,
    )
    return Rows(offsets, values), depth


def min_label_of_equal(keys: list[bytes], labels: Labels) -> Labels:
    """For each key, the minimum label of all entries with the same key."""
    lowest: dict[bytes, int] = {}
    for key, label in zip(keys, labels.tolist(), strict=True):
        lowest[key] = min(label, lowest.get(key, label))
    return np.array([lowest[key] for key in keys], dtype=np.int32)


def improve_by_successors(task: Task, conditions: Rows, labels: Labels, go_on: GoOn | None = None) -> Labels:
    """Apply h(x) ← min(h(x), h(y) + 1), for all sampled y that an action leads to from x, until nothing changes.

    The action must be applicable in every state of x, and y must hold after it. So if labels are upper bounds, they
    remain upper bounds. If ``go_on`` returns False, labels are returned as improved so far.
    """
    h = labels.copy()
    beyond = int(h.max()) + 1

    def min_label_holding(chosen: npt.NDArray[np.bool_], states: BitRows) -> Labels:
        """For each state, the minimum label of the chosen conditions that hold in it; ``beyond`` if none does."""
        rows = conditions.select(chosen)
        found = _core.label_states(rows.offsets, rows.values, h[chosen], task.n_atoms, states, beyond, go_on)
        return np.where(found < 0, beyond, found).astype(np.int32)

    everything = np.ones(len(h), dtype=np.bool_)
    sources, targets, best = [], [], []
    for start in range(0, len(h), _CONDITIONS_AT_ONCE):
        if go_on is not None and not go_on():
            break
        part = Rows.of([conditions[i].tolist() for i in range(start, min(start + _CONDITIONS_AT_ONCE, len(h)))])
        source, states = _core.condition_successors(native_regression(task), part.offsets, part.values)
        lowest = min_label_holding(everything, states)
        held = lowest < beyond  # the other successors can never lower a label
        sources.append(source[held] + start)
        targets.append(states[held])
        best.append(lowest[held])
    if not sources:
        return h
    source, target, lowest = np.concatenate(sources), np.concatenate(targets), np.concatenate(best)
    while True:
        before = h.copy()
        np.minimum.at(h, source, lowest + 1)
        lower = h < before
        if not lower.any() or (go_on is not None and not go_on()):
            return h
        lowest = min_label_holding(lower, target)  # only labels that became lower can lower others


def make_dataset(
    task: Task, options: FsmOptions, seed: int, sampling: GoOn | None = None, improving: GoOn | None = None
) -> Dataset:
    """Make the data set: full states of the regressed conditions with improved labels, then random states."""
    n_random = round(options.samples * options.random_share)
    length = options.length or regression_limit(task)
    conditions, labels = sample_conditions(
        task, options.samples - n_random, options.breadth_first_share, length, seed, sampling
    )
    keys = [row.tobytes() for row in conditions]
    if options.equal_states:
        labels = min_label_of_equal(keys, labels)
    if options.successors:
        labels = _improve_distinct(task, conditions, keys, labels, improving)
    random = np.random.default_rng([seed, 0xF6])
    make_pool = SAMPLERS[options.sampler].pool
    assert make_pool is not None
    pool = make_pool(task, options.samples, random, sampling)
    origin = np.concatenate([np.arange(len(labels)), np.full(n_random, -1)]).astype(np.int32)
    states = add_fixed_atoms(task, complete(task, conditions, origin, pool, int(random.integers(2**62))))
    beyond = int(labels.max()) + 1
    labels = np.concatenate([labels, np.full(n_random, beyond, dtype=np.int32)])
    labels[from_bits(states, task.n_atoms)[:, task.goal].all(axis=1)] = 0
    if options.equal_states:
        labels = min_label_of_equal([row.tobytes() for row in states], labels)
    return Dataset(task, states, labels, origin, beyond, options.sampler)


def _improve_distinct(task: Task, conditions: Rows, keys: list[bytes], labels: Labels, go_on: GoOn | None) -> Labels:
    """Like :func:`improve_by_successors`, but improves each distinct condition once, from its minimum label."""
    first: dict[bytes, int] = {}
    number = np.array([first.setdefault(key, len(first)) for key in keys])
    chosen = np.zeros(len(keys), dtype=np.bool_)
    chosen[np.unique(number, return_index=True)[1]] = True
    improved = improve_by_successors(task, conditions.select(chosen), min_label_of_equal(keys, labels)[chosen], go_on)
    lower: Labels = np.minimum(labels, improved[number])
    return lower


def learn(trial: Trial[FsmOptions]) -> TrainingResult:
    """Sample conditions, improve their labels, and train on the resulting data set."""
    trial.phase("sampling")
    dataset = make_dataset(
        trial.task, trial.options, trial.seed, trial.until("conditions"), trial.until("improved labels")
    )
    trial.data(dataset.summary())
    length = trial.options.length or regression_limit(trial.task)
    return trial.fit(dataset, samples=len(dataset), length=length, longest=dataset.beyond - 1)
