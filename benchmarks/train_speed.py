"""Measures the time of learning on one core, on the public benchmark.

1. Rollouts, sampling and labels for N_t = 100,000, N_r = 5, L = 500 at |F| = 4,096, beside labelling by the plain scan
   over all pre-images (in NumPy, on a part of the states, extrapolated).
2. An epoch at |F| = 4,096 beside one at |F| ≈ 250.
3. The first layer of a batch, forwards and backwards, beside PyTorch's ``embedding_bag``, for sampled states, and for
   states with six successors each, as choices have them.
4. A full training with preset `fast` within a limit, and the validation loss that preset `paper` reaches on the same
   data (`--with-paper`; takes minutes).
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

from common import find_benchmark
from goalward import _core
from goalward.learning.options import TrainingOptions
from goalward.learning.state_network import TableSum
from goalward.learning.trainer import train_network
from goalward.regression import Rollouts, regress
from goalward.sampling import SAMPLERS, Dataset, SamplingOptions, make_dataset
from goalward.task.grounding import ground_files
from goalward.task.packing import native_problem
from goalward.task.states import BitRows, from_bits, to_lists
from goalward.task.strips import Task

LARGE = "npuzzle/hard/prob-n8-1"
SMALL = "blocks/moderate/probBLOCKS-14-0"
FULL = (SMALL, "pipesworld-notankage/moderate/p19-net2-b18-g6", "npuzzle/moderate/prob-n6-1")


def ground(bench: Path, name: str) -> Task:
    return ground_files(bench / name / "domain.pddl", bench / name / "problem.pddl")


def plain_scan_seconds(dataset: Dataset, rollouts: Rollouts, states: int = 200) -> float:
    """Estimated seconds to label all states by testing every pre-image on every state."""
    truth = from_bits(dataset.states[:states], dataset.task.n_atoms)
    order = np.argsort(rollouts.depth, kind="stable")
    begun = time.perf_counter()
    for state in truth:
        for x in order:
            if state[rollouts.preimages[int(x)]].all():
                break
    return (time.perf_counter() - begun) / states * len(dataset)


def data_times(task: Task) -> None:
    for sampler in SAMPLERS:
        begun = time.perf_counter()
        rollouts = regress(task)
        rolled = time.perf_counter()
        dataset = make_dataset(task, rollouts, SamplingOptions(sampler=sampler))
        total = time.perf_counter() - begun
        scan = plain_scan_seconds(dataset, rollouts)
        print(
            f"  {sampler:10} rollouts {rolled - begun:.2f} s, samples and labels {total - (rolled - begun):.2f} s, "
            f"all {total:.2f} s; the plain scan alone {scan:.0f} s: {scan / total:.0f}x",
            flush=True,
        )


def epoch_seconds(dataset: Dataset) -> float:
    """The minimum time of a few epochs."""
    options = TrainingOptions(max_epochs=4, patience=10)
    curve = train_network(dataset, options).curve
    return min(b.seconds - a.seconds for a, b in pairwise(curve))


def with_successors(task: Task, states: BitRows) -> BitRows:
    """Each state, followed by up to six of its successors."""
    problem = native_problem(task, whole=True)
    rows = [
        np.concatenate([state[None], _core.successors(problem, atoms)[1][:6]])
        for state, atoms in zip(states, to_lists(states, task.n_atoms), strict=True)
    ]
    return np.concatenate(rows)


def first_layer(task: Task, states: BitRows, what: str, width: int = 64, repeats: int = 30) -> None:
    table = torch.randn(task.n_atoms, width, requires_grad=True)
    gradient = torch.randn(len(states), width)
    row, atom = np.nonzero(from_bits(states, task.n_atoms))
    atoms, begins = torch.from_numpy(atom), torch.from_numpy(np.searchsorted(row, np.arange(len(states))))

    def ours() -> torch.Tensor:
        return TableSum.apply(table, states)  # type: ignore[no-any-return, no-untyped-call]

    def theirs() -> torch.Tensor:
        return torch.nn.functional.embedding_bag(atoms, table, begins, mode="sum")

    seconds = []
    for sums in (ours, theirs):
        times = []
        for _ in range(repeats):
            begun = time.perf_counter()
            sums().backward(gradient)  # type: ignore[no-untyped-call]
            times.append(time.perf_counter() - begun)
        seconds.append(min(times))
    print(
        f"  {what}: {1e3 * seconds[0]:.2f} ms, embedding_bag {1e3 * seconds[1]:.2f} ms: {seconds[1] / seconds[0]:.1f}x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--bench", type=Path, help="the unpacked benchmark; default: ../shared/bench beside the repository"
    )
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a full training")
    parser.add_argument("--with-paper", action="store_true", help="also train with preset paper on the same data")
    arguments = parser.parse_args()
    bench = find_benchmark(arguments.bench)
    large, small = ground(bench, LARGE), ground(bench, SMALL)

    print(f"rollouts, sampling and labels at |F| = {large.n_atoms}, |O| = {large.n_operators}:")
    data_times(large)

    times = {task.n_atoms: epoch_seconds(make_dataset(task, regress(task))) for task in (small, large)}
    for atoms, seconds in times.items():
        print(f"an epoch at |F| = {atoms}: {seconds:.2f} s")
    print(f"ratio: {times[large.n_atoms] / times[small.n_atoms]:.2f}\n")

    torch.set_num_threads(1)
    for task in (small, large):
        states = make_dataset(task, regress(task), SamplingOptions(1024, sampler="reachable")).states
        print(f"the first layer, forwards and backwards, at |F| = {task.n_atoms}, 1,024 states:")
        first_layer(task, states, "sampled states")
        first_layer(task, with_successors(task, states)[:1024], "states and their successors")
    print()

    print(f"full training with preset fast, at most {arguments.limit:g} s:")
    for name in FULL:
        task = ground(bench, name)
        dataset = make_dataset(task, regress(task))
        begun = time.perf_counter()
        fast = train_network(dataset, TrainingOptions(time_limit=arguments.limit))
        line = (
            f"  {name} |F| = {task.n_atoms}: {time.perf_counter() - begun:.0f} s, {len(fast.curve)} epochs "
            f"({fast.end}), validation loss {fast.validation_loss:.3f}"
        )
        if arguments.with_paper:
            begun = time.perf_counter()
            paper = train_network(dataset, TrainingOptions(preset="paper"))
            seconds = time.perf_counter() - begun
            line += (
                f"; preset paper {seconds:.0f} s, {len(paper.curve)} epochs, {paper.validation_loss:.3f}: "
                f"loss ratio {fast.validation_loss / paper.validation_loss:.2f}"
            )
        print(line, flush=True)


if __name__ == "__main__":
    main()
