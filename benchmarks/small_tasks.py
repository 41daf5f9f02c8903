"""The quality of learned heuristics on small tasks of the bundled domains, whose h* is known for all states.

    python benchmarks/small_tasks.py                                  # h*, h_FF and the default training, 15 s each
    python benchmarks/small_tasks.py --tasks blocks7,tiles3 --set "labels=d;expert=false" --set labels=min-ff
    python benchmarks/small_tasks.py --seconds 5 --states 20

Greedy search with one heuristic alone (batch 1) from states drawn from the whole space, the same for all; of each
heuristic the geometric mean of expansions, plans over optimal ones before any improvement, and over all states the
correlation with h*, the mean error and the mean of value less h*. Before them the same of each kind of labels, with
rollouts by the task. For models, "solve" is the plans of ``goalward solve`` with defaults over optimal ones. Training
is limited by CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean, geometric_mean
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from goalward.learning.methods import make_options, train_with
from goalward.regression import RolloutOptions, regress
from goalward.regression.sizes import suggest_length, suggest_rollouts
from goalward.sampling import LABELS, SamplingOptions, Source
from goalward.search import BoundHeuristic, bind_heuristic
from goalward.search.batches import search_many
from goalward.search.planning import LearnedModel
from goalward.search.solving import DEFAULT_IMPROVEMENT, solve
from goalward.search.starts import Start
from goalward.search.strategy import strategy_for
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import BitRows, to_bits, to_lists
from goalward.task.strips import Task

TASKS: dict[str, tuple[str, dict[str, int]]] = {
    "blocks7": ("blocks", {"n": 7}),
    "tiles3": ("tiles", {"rows": 3, "cols": 3}),
    "delivery": ("delivery", {"trucks": 2, "packages": 3, "towns": 6, "capacity": 2}),
    "courier": ("courier", {"riders": 2, "letters": 3, "towns": 8}),
    "gripper": ("gripper", {"balls": 5, "rooms": 3, "grippers": 2}),
    "lights": ("lights", {"rooms": 6}),
    "storage": ("storage", {"rows": 5, "cols": 5, "crates": 2}),
    "visitall": ("visitall", {"rows": 4, "cols": 4}),
}
EXPANSIONS = 20_000
SAMPLE = 20_000  # states over which values are compared with h*
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Space:
    """All states that the initial state reaches, and the steps from each to a goal; infinity where there is no way."""

    task: Task
    states: BitRows
    distance: Floats

    def chosen(self, n: int, seed: int) -> npt.NDArray[np.intp]:
        """Rows of open states from which there is a plan."""
        possible = np.flatnonzero(np.isfinite(self.distance) & (self.distance > 0))
        return np.random.default_rng(seed).choice(possible, min(n, len(possible)), replace=False)

    def truth(self) -> Callable[[npt.NDArray[np.uint8]], Floats]:
        """h* as a heuristic over batches of states."""
        distance_of = {row.tobytes(): h for row, h in zip(self.states, self.distance, strict=True)}
        width = 64 * self.states.shape[1]

        def values(cells: npt.NDArray[np.uint8]) -> Floats:
            padded = np.pad(np.asarray(cells, dtype=np.uint8), ((0, 0), (0, width - cells.shape[1])))
            rows = np.packbits(padded, axis=1, bitorder="little")
            return np.array([distance_of[row.tobytes()] for row in rows], dtype=np.float32)

        return values


def explore(task: Task) -> Space:
    """Breadth first from the initial state, then breadth first backwards from all goal states."""
    pre, add, delete = (
        to_bits([np.asarray(row) for row in rows], task.n_atoms) for rows in (task.pre, task.add, task.delete)
    )
    goal, border = to_bits([task.goal], task.n_atoms)[0], to_bits([task.init], task.n_atoms)
    number = {border[0].tobytes(): 0}
    ids, parents, children = np.array([0]), [], []
    while len(border):
        fresh: list[npt.NDArray[np.uint64]] = []
        first = len(number)
        for operator in range(task.n_operators):
            applicable = ((border & pre[operator]) == pre[operator]).all(axis=1)
            after = (border[applicable] & ~delete[operator]) | add[operator]
            found = np.empty(len(after), dtype=np.int64)
            for i, row in enumerate(after):
                found[i] = number.setdefault(row.tobytes(), len(number))
                if found[i] == first + len(fresh):
                    fresh.append(row)
            parents.append(ids[applicable])
            children.append(found)
        ids = np.arange(first, len(number))
        border = np.array(fresh, dtype=np.uint64).reshape(len(fresh), border.shape[1])
    states = np.frombuffer(b"".join(number), dtype=np.uint64).reshape(len(number), -1)
    source, target = np.concatenate(parents), np.concatenate(children)
    distance = np.full(len(states), np.inf, dtype=np.float32)
    distance[((states & goal) == goal).all(axis=1)] = 0
    for level in range(len(states)):
        nearer = source[distance[target] == level]
        nearer = nearer[np.isinf(distance[nearer])]
        if not len(nearer):
            break
        distance[nearer] = level + 1
    return Space(task, states, distance)


@dataclass(frozen=True)
class Worth:
    """The quality of a heuristic on one task."""

    solved: int
    states: int
    expansions: float
    plans: float
    correlation: float
    error: float
    bias: float
    solve: float | None = None

    def __str__(self) -> str:
        return (
            f"solved {self.solved:3d}/{self.states}  expansions {self.expansions:8.1f}  "
            f"plan/optimal {self.plans:5.2f}  correlation {self.correlation:6.3f}  "
            f"error {self.error:7.2f}  value - h* {self.bias:+8.2f}"
            + ("" if self.solve is None else f"  solve/optimal {self.solve:6.3f}")
        )


def solve_ratio(space: Space, model: LearnedModel, rows: npt.NDArray[np.intp]) -> float:
    """Steps of the plans of ``goalward solve`` with defaults over those of optimal plans; all states must be solved."""
    strategy = strategy_for(model)
    bound = strategy.bind(space.task)
    steps = [
        solve(Start(space.task, state), bound, strategy.options, improve=DEFAULT_IMPROVEMENT).length
        for state in to_lists(space.states[rows], space.task.n_atoms)
    ]
    return sum(cast(list[int], steps)) / float(space.distance[rows].sum())


def measure(
    space: Space, heuristic: BoundHeuristic, rows: npt.NDArray[np.intp], model: LearnedModel | None = None
) -> Worth:
    """Search from the chosen states, and compare values with h* over the space."""
    found = search_many(heuristic, space.states[rows], expansion_limit=EXPANSIONS, batch=1)
    solved = found.solved
    expansions = np.where(solved, np.maximum(found.expanded, 1), EXPANSIONS)
    lengths = np.array([len(plan) for plan in found.plans])
    optimal = float(space.distance[rows][solved].sum())
    correlation, error, bias = compare(space, heuristic.evaluate)
    return Worth(
        solved=int(solved.sum()),
        states=len(rows),
        expansions=geometric_mean(expansions.tolist()),
        plans=float(lengths[solved].sum()) / optimal if optimal else float("nan"),
        correlation=correlation,
        error=error,
        bias=bias,
        solve=None if model is None else solve_ratio(space, model, rows),
    )


def compare(space: Space, evaluate: Callable[[BitRows], npt.NDArray[Any]]) -> tuple[float, float, float]:
    """Values beside h* over the space: correlation, mean error, mean of value less h*."""
    known = np.flatnonzero(np.isfinite(space.distance))
    known = np.random.default_rng(0).choice(known, min(SAMPLE, len(known)), replace=False)
    values, truth = evaluate(space.states[known]).astype(np.float64), space.distance[known]
    finite = np.isfinite(values)
    off = values[finite] - truth[finite]
    return float(np.corrcoef(values[finite], truth[finite])[0, 1]), float(np.abs(off).mean()), float(off.mean())


def compare_labels(space: Space) -> Iterator[str]:
    """The errors of each kind of labels, without a network."""
    task = space.task
    length = suggest_length(task, 0)
    rollouts = regress(task, RolloutOptions("n-rsl", suggest_rollouts(task, "n-rsl", length, None), length))
    for kind in LABELS:
        source = Source(task, rollouts, SamplingOptions(10, 0.5, "uniform", 0, kind))
        correlation, error, bias = compare(space, source.label)
        yield f"  labels {kind:29s} correlation {correlation:6.3f}  error {error:7.2f}  value - h* {bias:+8.2f}"


def heuristics(
    space: Space, recipes: list[dict[str, str]], seconds: float
) -> Iterator[tuple[str, BoundHeuristic, LearnedModel | None]]:
    """By name: the truth, h_FF, and a model by each recipe."""
    yield "h*", bind_heuristic(space.task, space.truth()), None
    yield "h_FF", bind_heuristic(space.task, "ff"), None
    for recipe in recipes:
        options = make_options("n-rsl", {"time_limit": seconds}, recipe)
        model = train_with(space.task, "n-rsl", options, clock=time.process_time)
        yield ",".join(f"{k}={v}" for k, v in recipe.items()) or "network", model.heuristic(), model


def parse_recipe(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(";")) if text else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TASKS), help="names of small tasks")
    parser.add_argument("--states", type=int, default=50, help="states to search from")
    parser.add_argument("--seconds", type=float, default=15.0, help="of training, CPU time")
    parser.add_argument("--seed", type=int, default=5, help="of the choice of states")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE[;…]", help="a training, by its options"
    )
    arguments = parser.parse_args()
    recipes = [parse_recipe(text) for text in arguments.set] or [{}]
    all_worths: dict[str, list[Worth]] = {}
    for name in arguments.tasks.split(","):
        domain_name, sizes = TASKS[name]
        instance = generate(domain_name, **sizes)
        domain = parse_domain(instance.domain_text, name)
        space = explore(ground(domain, parse_problem(instance.problem_text, name, domain)))
        print(f"{name}: {len(space.states)} states", flush=True)
        rows = space.chosen(arguments.states, arguments.seed)
        print("\n".join(compare_labels(space)), flush=True)
        for label, heuristic, model in heuristics(space, recipes, arguments.seconds):
            worth = measure(space, heuristic, rows, model)
            all_worths.setdefault(label, []).append(worth)
            print(f"  {label:36s} {worth}", flush=True)
    print("all")
    for label, worths in all_worths.items():
        expansions = geometric_mean(worth.expansions for worth in worths)
        plans, correlation = fmean(worth.plans for worth in worths), fmean(worth.correlation for worth in worths)
        print(f"  {label:36s} expansions {expansions:8.1f}  plan/optimal {plans:5.2f}  correlation {correlation:6.3f}")
        solves = [worth.solve for worth in worths if worth.solve is not None]
        if solves:
            print(f"  {label:36s} solve/optimal {fmean(solves):.3f}, {min(solves):.3f} to {max(solves):.3f}")


if __name__ == "__main__":
    main()
