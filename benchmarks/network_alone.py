"""Greedy search with the network alone on the public benchmark's larger instances, in CPU time.

    python benchmarks/network_alone.py --list mid --train 60 --limit 10
    python benchmarks/network_alone.py --list large --set labels=d --set expert=false
    python benchmarks/network_alone.py --list large --half confirming --seeds 1 2 3

One training per instance and seed; every state is searched with the network and nothing else, three widths in turn. The
halves are printed apart: those on which defaults may be chosen (first and third instance of each domain and
difficulty), and the others. With the interpreter of another checkout the same script measures that one (``--before``
for the code of release 927b0c4, whose function to train has another form).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from common import LISTS, chosen, find_benchmark, find_instances
from goalward.search import SearchOptions, search
from goalward.search.network import bind_network
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader
from goalward.task.strips import Task

WIDTHS = (1, 32, 256)


@dataclass(frozen=True)
class Found:
    """The result for one state."""

    length: int | None
    seconds: float
    expanded: int


def train(task: Task, seconds: float, seed: int, settings: dict[str, str], *, before: bool) -> Any:
    if before:
        from goalward import train_model  # noqa: PLC0415
        from goalward.learning.options import LearnOptions  # noqa: PLC0415

        return train_model(task, LearnOptions(time_limit=seconds, seed=seed))  # type: ignore[call-arg, arg-type]
    from goalward.learning.methods import make_options, train_with  # noqa: PLC0415

    return train_with(task, "n-rsl", make_options("n-rsl", {"time_limit": seconds, "seed": seed}, settings))


def solve(task: Task, model: Any, states: Iterable[Path], limit: float) -> list[Found]:
    heuristic, reader = bind_network(task, model.weights), StateReader(task)
    found = []
    for path in states:
        begun = time.process_time()
        result = search(
            task,
            heuristic,
            SearchOptions(batch=WIDTHS),
            init=reader.read(path),
            progress=lambda _, begun=begun: time.process_time() - begun < limit,  # type: ignore[misc]
        )
        length = None if result.plan is None else len(result.plan)
        found.append(Found(length, time.process_time() - begun, result.statistics.expanded))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked benchmark")
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--only", default="", help="instances whose label contains this")
    parser.add_argument("--half", choices=("both", "choosing", "confirming"), default="both")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--train", type=float, default=60.0, help="seconds of CPU time")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of CPU time for each state")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the training")
    parser.add_argument("--before", action="store_true", help="the code of release 927b0c4 is measured")
    arguments = parser.parse_args()
    time.monotonic = time.process_time  # type: ignore[assignment]  # training goes by the monotonic clock
    settings = dict(text.split("=", 1) for text in arguments.set)
    everything = find_instances(find_benchmark(arguments.bench))
    choosing = {instance.label for instance in chosen(everything, "choose")}
    solved: dict[str, list[int]] = {"choosing": [0, 0], "confirming": [0, 0]}
    for instance in chosen(everything, arguments.list):
        half = "choosing" if instance.label in choosing else "confirming"
        if arguments.only not in instance.label or arguments.half not in {"both", half}:
            continue
        task = ground_files(instance.domain_file, instance.problem_file)
        states = [instance.state_file(i + 1) for i in range(arguments.states)]
        for seed in arguments.seeds:
            model = train(task, arguments.train, seed, settings, before=arguments.before)
            found = solve(task, model, states, arguments.limit)
            plans = [one for one in found if one.length is not None]
            solved[half][0] += len(plans)
            solved[half][1] += len(found)
            figures = ""
            if plans:
                figures = f", medians: {median(p.length or 0 for p in plans):g} steps, "
                figures += f"{median(p.expanded for p in plans):g} expanded, {median(p.seconds for p in plans):.2f} s"
            label = f"{instance.label} ({half}), seed {seed}"
            print(f"{label}: {len(plans)} of {len(found)} solved{figures}", flush=True)
    for half, (n, of) in solved.items():
        print(f"{half}: {n} of {of} solved")


if __name__ == "__main__":
    main()
