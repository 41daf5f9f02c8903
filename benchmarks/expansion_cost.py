"""Measures the cost of an expansion in two parts of hybrid search: h_FF, landmarks, network and bookkeeping.

    SKBUILD_CMAKE_BUILD_TYPE=RelWithDebInfo make -B .venv/.installed-dev   # the core with its symbols
    python benchmarks/expansion_cost.py

Each search runs in a separate process under ``perf record``, which regularly samples the running function during the
search. Functions are assigned to parts by their names (``PARTS``); all others are bookkeeping: registry, queues,
successors and allocation. The share of a part's samples is its share of the search's user CPU time, which is divided by
the number of expansions. The search itself is not changed, and a busy machine does not matter. Finding landmarks, which
is done once per search, is left out.

Two of the searches that take turns in hybrid search are measured: ``landmarks``, with h_FF and landmarks, and
``hybrid``, which also has a network. Networks have the paper's shape and random weights, since their cost does not
depend on the weights. Short searches are added up over the states of an instance.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from beside_lama import chosen
from common import Instance, find_benchmark, find_instances
from goalward import _core
from goalward.learning.options import NetworkShape
from goalward.search import SearchOptions, bind_heuristic
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task.grounding import ground_files
from goalward.task.packing import core_atoms
from goalward.task.states import StateReader, to_bits
from goalward.task.store import load_task, save_task
from goalward.task.strips import Task

SEARCHES = ("landmarks", "hybrid")
MAX_STATES = 5  # p1 … p5
FREQUENCY = 4000  # samples per second of CPU time
ONCE = "finding landmarks"
# The first pattern that matches the name of a function decides.
PARTS = {
    ONCE: r"LandmarkKnowledge|LandmarkPropagation|ReasonableOrders",
    "landmarks": r"Landmark",
    "h_FF": r"Relaxation|FFGuide",
    "network": r"Network|::(generic|avx2|avx512)::",
}
COLUMNS = ("h_FF", "landmarks", "network", "bookkeeping")


@dataclass(frozen=True)
class Cost:
    """Microseconds of CPU time per expansion, by part."""

    instance: str
    search: str
    expansions: int
    children: float
    parts: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def untrained(task: Task) -> NetworkWeights:
    """A network of the paper's shape with random weights, which ignores the same atoms as learned networks."""
    random, shape = np.random.default_rng(1), NetworkShape()

    def uniform(*size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return random.uniform(-1, 1, size).astype(np.float32) / np.float32(np.sqrt(shape.width))

    def layer(skip: int = -1) -> Layer:
        return Layer(uniform(shape.width, shape.width), uniform(shape.width), skip)

    table = np.where(core_atoms(task)[:, None], uniform(task.n_atoms, shape.width), np.float32(0))
    layers = [layer() for _ in range(shape.plain_layers - 1)]
    for _ in range(shape.residual_blocks):
        layers += [layer(), layer(skip=len(layers))]
    return NetworkWeights(table, uniform(shape.width), (*layers, Layer(uniform(1, shape.width), uniform(1))))


# --- in a separate process ---


def worker(search: str, task_file: str, state_files: list[str], seconds: float, control: Path, answer: Path) -> None:
    """Search from the states until ``seconds`` of CPU time are used; perf samples only the searches."""
    task = load_task(task_file)
    heuristic = bind_network(task, untrained(task)) if search == "hybrid" else bind_heuristic(task, "ff")
    kind = _core.PartKind.HYBRID if search == "hybrid" else _core.PartKind.GUIDED
    parts = [_core.PortfolioPart(name=search, kind=kind)]
    totals: Counter[str] = Counter()
    spent = 0.0
    with control.open("w") as orders, answer.open() as answers:

        def order(text: str) -> None:
            print(text, file=orders, flush=True)
            answers.readline()

        for state_file in state_files:
            init = StateReader(task).read(state_file)
            states = to_bits([init], task.n_atoms)
            guidance = heuristic.guidance(states)
            network = heuristic.evaluator(states) if search == "hybrid" else None
            options = SearchOptions(time_limit=100 * seconds).native()
            begun = os.times().user
            enough = begun + seconds - spent
            order("enable")
            found = _core.portfolio_search(
                guidance, network, parts, init, options, lambda _, enough=enough: os.times().user < enough
            )
            order("disable")
            spent += os.times().user - begun
            totals.update(expanded=found.statistics.expanded, stored=found.statistics.stored)
            if spent >= 0.9 * seconds:
                break
    print(json.dumps({**totals, "seconds": spent}), flush=True)


# --- in the main process ---


def measure(instance: Instance, search: str, folder: Path, seconds: float) -> Cost:
    """Measure one row of the table."""
    task_file = folder / instance.label.replace("/", "-")
    if not task_file.exists():
        save_task(ground_files(instance.domain_file, instance.problem_file), task_file)
    control, answer, samples = folder / "control", folder / "answer", folder / "samples"
    for pipe in (control, answer):
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    states = [str(instance.state_file(number)) for number in range(1, MAX_STATES + 1)]
    command = [
        "perf", "record", "--quiet", "--event", "cpu-clock:u", "--freq", str(FREQUENCY), "--delay", "-1",
        "--control", f"fifo:{control},{answer}", "--output", str(samples), "--",
        sys.executable, __file__, "--worker", search, str(task_file), *states,
        "--seconds", str(seconds), "--pipes", str(control), str(answer),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"perf record failed: {run.stderr.strip()}")
    said = json.loads(run.stdout.splitlines()[-1])
    counts = samples_by_part(samples)
    kept = sum(counts[part] for part in COLUMNS)
    microseconds = 1e6 * said["seconds"] * kept / max(1, counts.total()) / max(1, said["expanded"])
    parts = {part: microseconds * counts[part] / max(1, kept) for part in COLUMNS}
    return Cost(instance.label, search, said["expanded"], said["stored"] / max(1, said["expanded"]), parts)


def samples_by_part(samples: Path) -> Counter[str]:
    """The number of samples in each part."""
    shown = subprocess.run(
        ["perf", "script", "--input", samples, "--fields", "ip,sym"], capture_output=True, text=True, check=True
    ).stdout
    names = [line.strip() for line in shown.splitlines() if line.strip()]
    if not any("goalward::" in name for name in names):
        sys.exit("perf sees no function of goalward by its name: build the core with its symbols (see --help)")
    return Counter(part_of(name) for name in names)


def part_of(function: str) -> str:
    """The part of a function; functions that several parts use are bookkeeping."""
    return next((part for part, pattern in PARTS.items() if re.search(pattern, function)), "bookkeeping")


def described(cost: Cost) -> str:
    """A formatted line of the table."""
    cells = "".join(f"{cost.parts[c]:11.1f} {cost.parts[c] / cost.total:5.0%} " for c in COLUMNS)
    numbers = f"{cost.expansions:9,} {cost.children:6.1f} {cost.total:8.1f}"
    return f"{cost.instance:44} {cost.search:7} {numbers}  {cells}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="unpacked benchmark (default: unpack ../shared/bench)")
    parser.add_argument(
        "--list", default="mid", choices=["mid", "large"], help="list of instances, as in beside_lama.py"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds of each search")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--pipes", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        search, task_file, *states = arguments.worker
        worker(search, task_file, states, arguments.seconds, *arguments.pipes)
        return
    if shutil.which("perf") is None:
        sys.exit("perf is absent: it comes with the tools of the Linux kernel.")
    instances = chosen(find_instances(find_benchmark(arguments.bench)), arguments.list)
    print(f"{'instance':44} {'search':7} {'expanded':>9} {'new':>6} {'µs':>8}  " + "".join(f"{c:>18}" for c in COLUMNS))
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        for instance in instances:
            for search in SEARCHES:
                cost = measure(instance, search, Path(folder), arguments.seconds)
                costs.append(cost)
                print(described(cost), flush=True)
    for search in SEARCHES:
        shares = {c: median(cost.parts[c] / cost.total for cost in costs if cost.search == search) for c in COLUMNS}
        print(f"median shares in {search}: " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items()))


if __name__ == "__main__":
    main()
