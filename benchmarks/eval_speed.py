"""Measures evaluations per second in GBFS with a network, compared with one TorchScript call per state.

The public systems call the network once per state. So the reference is one TorchScript forward call per state, batch 1,
on the same network and the same states that greedy search evaluates; only the forward calls are timed. Both run on one
core and take turns; medians count. Also printed: GBFS with our own h_FF, and how near the dense layers come to what one
core reaches in a large matrix product (MKL through PyTorch).
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

from common import Instance, find_benchmark, find_instances
from goalward.learning.options import NetworkShape
from goalward.learning.state_network import StateNetwork
from goalward.search import BoundHeuristic, SearchOptions, bind_heuristic, search
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.grounding import ground_files
from goalward.task.packing import core_atoms
from goalward.task.states import StateReader
from goalward.task.strips import Ints, Task

REFERENCE_STATES = 1500
LARGE = ("npuzzle", "hard", "prob-n8-1")  # 4,096 atoms


@dataclass(frozen=True)
class Row:
    instance: str
    atoms: int
    network: float  # evaluations per second inside GBFS
    batched: float  # the same with --batch 32
    torchscript: float
    ff: float
    dense_flops: float  # per evaluation


def rate(task: Task, heuristic: BoundHeuristic, init: Ints, seconds: float, batch: int = 1) -> float:
    """Evaluations per second of GBFS; a search that ends early is repeated."""
    evaluated, spent = 0, 0.0
    while spent < seconds:
        result = search(task, heuristic, SearchOptions(time_limit=seconds - spent, batch=batch), init=init)
        evaluated += result.statistics.evaluated
        spent += max(result.statistics.seconds, 1e-4)
    return evaluated / spent


def searched_states(task: Task, weights: NetworkWeights, init: Ints) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """The first states that greedy search evaluates, in its order."""
    seen: list[np.ndarray[tuple[int, int], np.dtype[np.uint8]]] = []

    def record(states: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> object:
        seen.append(states.copy())
        return weights.forward(states.astype(bool))

    def enough(_: object) -> bool:
        return sum(map(len, seen)) < REFERENCE_STATES

    search(task, record, SearchOptions(time_limit=30), init=init, progress=enough)
    return np.concatenate(seen)[:REFERENCE_STATES]


def forward_rate(network: torch.jit.ScriptModule, states: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> float:
    """TorchScript forward calls per second, with one state per call."""
    inputs = [torch.from_numpy(state[None].astype(np.float32)) for state in states]
    with torch.inference_mode():
        for state in inputs[:50]:
            network(state)
        spent = 0.0
        for state in inputs:
            begun = time.perf_counter()
            network(state)
            spent += time.perf_counter() - begun
    return len(inputs) / spent


def machine_gflops() -> float:
    """GFLOP/s of one core in a large single-precision matrix product."""
    a, b = torch.rand(1536, 1536), torch.rand(1536, 1536)
    best = 0.0
    for _ in range(6):
        begun = time.perf_counter()
        a @ b
        best = max(best, 2 * 1536**3 / (time.perf_counter() - begun) / 1e9)
    return best


def measure(instance: Instance, seconds: float, repetitions: int) -> Row:
    task = ground_files(instance.domain_file, instance.problem_file)
    init = StateReader(task).read(instance.state_file(1))
    shape = NetworkShape()
    network = StateNetwork(task.n_atoms, shape, torch.Generator().manual_seed(1)).eval()
    network.silence(torch.from_numpy(np.flatnonzero(~core_atoms(task))))  # as in learned networks
    weights = network.export()
    states = searched_states(task, weights, init)
    with torch.inference_mode():
        traced = torch.jit.freeze(torch.jit.trace(network, torch.from_numpy(states[:1].astype(np.float32))))
    bound, relaxed = bind_network(task, weights), bind_heuristic(task, "ff")
    rates: dict[str, list[float]] = {"network": [], "batched": [], "torchscript": [], "ff": []}
    for _ in range(repetitions):
        rates["network"].append(rate(task, bound, init, seconds))
        rates["torchscript"].append(forward_rate(traced, states))
        rates["batched"].append(rate(task, bound, init, seconds, batch=32))
        rates["ff"].append(rate(task, relaxed, init, seconds))
    flops = 2.0 * sum(layer.weights.size for layer in weights.layers)
    return Row(
        instance.label, task.n_atoms, **{name: median(values) for name, values in rates.items()}, dense_flops=flops
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--bench", type=Path, help="the unpacked benchmark; default: ../shared/bench beside the repository"
    )
    parser.add_argument("--seconds", type=float, default=1.5, help="seconds of each measurement")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    instances = find_instances(find_benchmark(arguments.bench))
    first = {i.domain: i for i in reversed(instances) if i.difficulty == "moderate"}
    large = [i for i in instances if (i.domain, i.difficulty, i.name) == LARGE]
    gflops = machine_gflops()
    titles = ("|F|", 6), ("GBFS", 9), ("batch 32", 9), ("TorchScript", 11), ("h_FF", 9), ("ratio", 7), ("of peak", 8)
    print(f"{'instance':48} " + " ".join(f"{title:>{width}}" for title, width in titles))
    rows = []
    for instance in [*sorted(first.values(), key=lambda i: i.domain), *large]:
        row = measure(instance, arguments.seconds, arguments.repetitions)
        rows.append(row)
        print(
            f"{row.instance:48} {row.atoms:6} {row.network:9,.0f} {row.batched:9,.0f} {row.torchscript:11,.0f} "
            f"{row.ff:9,.0f} {row.network / row.torchscript:6.1f}x {row.batched * row.dense_flops / gflops / 1e9:8.0%}",
            flush=True,
        )
    moderate = rows[: len(first)]
    speedup = median(r.network / r.torchscript for r in moderate)
    print(f"\nmedian GBFS with the network / one TorchScript call per state: {speedup:.1f}")
    print(f"median GBFS with the network / GBFS with h_FF: {median(r.network / r.ff for r in moderate):.1f}")
    small = min(moderate, key=lambda r: abs(r.atoms - 250))
    if large:
        print(f"rate at |F| = {rows[-1].atoms} / rate at |F| = {small.atoms}: {rows[-1].network / small.network:.2f}")
    print(f"one core in a large matrix product: {gflops:.0f} GFLOP/s; 'of peak' is the share of it at batch 32")


if __name__ == "__main__":
    main()
