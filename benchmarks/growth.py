"""Measures how the time of rollouts, labelling and an epoch grows with |F|, |O|, L, N_r and N_t.

Each quantity is varied alone on instances made here; the exponent of a power law is fitted to the times and printed
beside the exponent in the paper's bound O(|F|(|O|·N_r·L + N_t·L·N_r)). |F| and |O| grow together in planning tasks, so
they are varied by the size of a sliding-tile puzzle.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from goalward.learning.options import TrainingOptions
from goalward.learning.trainer import train_network
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, label, make_dataset
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.strips import Task

SIDES = (4, 5, 6, 7, 8)  # |F| = side⁴
LENGTHS = (125, 250, 500, 1000, 2000)
ROLLOUTS = (2, 5, 10, 20, 40)
SAMPLES = (12_500, 25_000, 50_000, 100_000, 200_000)


def tiles(side: int) -> Task:
    instance = generate("tiles", seed=0, rows=side, cols=side)
    domain = parse_domain(instance.domain_text, "domain")
    return ground(domain, parse_problem(instance.problem_text, "problem", domain))


def min_time(action: Callable[[], object], repetitions: int) -> float:
    """The minimum time of a few runs, because noise only adds time."""
    times = []
    for _ in range(repetitions):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return min(times)


def rollout_time(task: Task, repetitions: int, length: int = 500, n_rollouts: int = 5) -> float:
    return min_time(lambda: regress(task, RolloutOptions("n-rsl", n_rollouts, length)), repetitions)


def label_time(task: Task, repetitions: int, length: int = 500, n_rollouts: int = 5, samples: int = 50_000) -> float:
    rollouts = regress(task, RolloutOptions("n-rsl", n_rollouts, length))
    dataset = make_dataset(task, rollouts, SamplingOptions(samples))
    return min_time(lambda: label(task, rollouts, dataset.states), repetitions)


def epoch_time(task: Task, samples: int = 25_000) -> float:
    dataset = make_dataset(task, regress(task), SamplingOptions(samples))
    curve = train_network(dataset, TrainingOptions(max_epochs=4, patience=10)).curve
    return min(b.seconds - a.seconds for a, b in pairwise(curve))


def report(what: str, against: str, values: Sequence[float], times: Sequence[float], bound: str) -> None:
    """Fit an exponent to times by values on logarithmic axes, and print it with its expected bound."""
    exponent = np.polyfit(np.log(values), np.log(times), 1)[0]
    shown = "  ".join(f"{value:g}: {seconds * 1e3:.1f} ms" for value, seconds in zip(values, times, strict=True))
    print(f"{what:9} ~ {against}^{exponent:4.2f}   (bound: {bound})   {shown}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    tasks = [tiles(side) for side in SIDES]
    atoms = [task.n_atoms for task in tasks]
    operators = [task.n_operators for task in tasks]
    rolled = [rollout_time(task, repetitions) for task in tasks]
    report("rollouts", "|F|", atoms, rolled, "|F|·|O|, both growing")
    report("rollouts", "|O|", operators, rolled, "|F|·|O|, both growing")
    report("labels", "|F|", atoms, [label_time(task, repetitions) for task in tasks], "|F|¹")
    report("epoch", "|F|", atoms, [epoch_time(task) for task in tasks], "none given")

    task = tasks[1]
    report("rollouts", "L", LENGTHS, [rollout_time(task, repetitions, length=n) for n in LENGTHS], "L¹")
    report("labels", "L", LENGTHS, [label_time(task, repetitions, length=n) for n in LENGTHS], "L¹")
    report("rollouts", "N_r", ROLLOUTS, [rollout_time(task, repetitions, n_rollouts=n) for n in ROLLOUTS], "N_r¹")
    report("labels", "N_r", ROLLOUTS, [label_time(task, repetitions, n_rollouts=n) for n in ROLLOUTS], "N_r¹")
    report("labels", "N_t", SAMPLES, [label_time(task, repetitions, samples=n) for n in SAMPLES], "N_t¹")
    report("epoch", "N_t", SAMPLES[:4], [epoch_time(task, samples=n) for n in SAMPLES[:4]], "none given")


if __name__ == "__main__":
    main()
