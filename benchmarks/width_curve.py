"""Plan cost against evaluations: batched A* and beam search of growing width, with networks of different size.

    python benchmarks/width_curve.py --domain tiles --size 4
    python benchmarks/width_curve.py --instance grid/hard/prob05-1 --svg curve.svg

One network for each ``--network-widths`` is trained for ``--train`` seconds of CPU time. Then the same states are
searched with each of them, without improvement. The table has mean steps and mean evaluations over the states that all
searches of its row solve; ``solved`` counts those that the search itself solves.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from common import find_benchmark, find_instances
from goalward.learning.methods import make_options, train_with
from goalward.search import BoundHeuristic, SearchOptions, search
from goalward.search.network import bind_network
from goalward.task.domains import generate
from goalward.task.grounding import ground, ground_files
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import StateReader, random_walk_states
from goalward.task.strips import Ints, Task

WIDTHS = tuple(4**i for i in range(7))
SEARCHES = ("astar", "beam")


@dataclass(frozen=True)
class Point:
    """One search of one width with one network, over all states."""

    network: int
    algorithm: str
    width: int
    solved: int
    steps: float
    evaluations: float


def problem_of(options: argparse.Namespace) -> tuple[Task, list[Ints]]:
    if options.instance:
        instance = next(
            i for i in find_instances(find_benchmark(options.bench)) if i.label.startswith(options.instance)
        )
        task = ground_files(instance.domain_file, instance.problem_file)
        reader = StateReader(task)
        return task, [reader.read(instance.state_file(number)) for number in range(1, options.states + 1)]
    bundled = generate(options.domain, size=options.size, seed=1)
    domain = parse_domain(bundled.domain_text, options.domain)
    task = ground(domain, parse_problem(bundled.problem_text, options.domain, domain))
    return task, random_walk_states(task, options.states, 200, 1)


def points(network: int, heuristic: BoundHeuristic, states: list[Ints], limit: float) -> Iterator[Point]:
    for algorithm in SEARCHES:
        for width in WIDTHS:
            settings: dict[str, Any] = {"algorithm": algorithm, "batch": width, "time_limit": limit}
            found = [search(heuristic.task, heuristic, SearchOptions(**settings), init=state) for state in states]
            solved = [result for result in found if result.plan is not None]
            steps = mean(len(result.plan or ()) for result in solved) if solved else float("nan")
            evaluations = mean(result.statistics.evaluated for result in found)
            yield Point(network, algorithm, width, len(solved), steps, evaluations)


def draw(found: list[Point], states: int, title: str, file: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - only if a picture is wanted

    mpl.use("svg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(7, 4.2))
    for network in sorted({point.network for point in found}):
        for algorithm, style in zip(SEARCHES, ("-o", "--s"), strict=True):
            line = [p for p in found if (p.network, p.algorithm) == (network, algorithm) and p.solved == states]
            colour = f"C{sorted({point.network for point in found}).index(network)}"
            axes.plot(
                [p.evaluations for p in line], [p.steps for p in line], style, color=colour, markersize=4,
                label=f"{algorithm}, network of width {network}",
            )  # fmt: skip
    axes.set(xscale="log", xlabel="evaluations per state", ylabel="steps of the plan", title=title)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--instance", help="of the public benchmark, by the beginning of its label")
    parser.add_argument("--domain", default="tiles", help="bundled domain if no instance is given")
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--network-widths", default="16,64,256")
    parser.add_argument("--train", type=float, default=60.0, help="seconds of CPU time")
    parser.add_argument("--time-limit", type=float, default=30.0, help="of each search")
    parser.add_argument("--svg", type=Path, help="draw the curves of searches that solve every state")
    options = parser.parse_args()
    task, states = problem_of(options)
    found: list[Point] = []
    print(f"{'network':>7} {'search':>7} {'width':>6} {'solved':>7} {'steps':>7} {'evaluations':>12}")
    for network in map(int, options.network_widths.split(",")):
        learned = train_with(
            task, "n-rsl", make_options("n-rsl", {"time_limit": options.train, "width": network}),
            clock=time.process_time,
        )  # fmt: skip
        for point in points(network, bind_network(task, learned.weights), states, options.time_limit):
            found.append(point)
            shown = f"{point.solved}/{len(states)}"
            print(
                f"{network:7} {point.algorithm:>7} {point.width:6} {shown:>7} {point.steps:7.1f} "
                f"{point.evaluations:12,.0f}",
                flush=True,
            )
    if options.svg:
        draw(found, len(states), options.instance or f"{options.domain}, size {options.size}", options.svg)


if __name__ == "__main__":
    main()
