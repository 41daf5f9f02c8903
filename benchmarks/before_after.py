"""Compares two builds of goalward: speed and memory of searches before and after a change of the native core.

    benchmarks/before_after.py BEFORE AFTER --bench DIR

Both are interpreters of environments with goalward, one built before the change and one after it. On one instance of
each domain they take turns, so that other load of the machine affects both. "h_FF" evaluates the same states with both
builds: the successors of all states along a random walk. The others are searches, and each ends after a fixed number of
expansions. CPU time of the native call alone is counted, and the minimum of all repetitions counts. Ratios of speed are
after over before: 2.00 is twice as fast. Bytes per state are what the search accounts for. A mark shows a search that
expanded, evaluated or found something else than before: its speeds cannot be compared exactly.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from common import Instance, find_benchmark, find_instances

SEARCHES = ("gbfs", "novelty", "plan")
MIN_EVALUATED = 3000
"""Minimum number of states of which h_FF is measured."""
MIN_SECONDS = 0.3
"""Minimum CPU time of a measurement; short searches are repeated."""


def measure(domain_file: str, problem_file: str, state_file: str, expansions: int) -> None:
    """Measure one build: print the counts, CPU time and memory of each search as JSON."""
    from goalward import _core  # noqa: PLC0415
    from goalward.search import SearchOptions, bind_heuristic, search  # noqa: PLC0415
    from goalward.task.grounding import ground_files  # noqa: PLC0415
    from goalward.task.packing import native_problem  # noqa: PLC0415
    from goalward.task.states import StateReader, to_lists  # noqa: PLC0415

    task = ground_files(domain_file, problem_file)
    state = StateReader(task).read(state_file)
    heuristic = bind_heuristic(task, "ff")
    heuristic.value(state)
    # Earlier builds call the portfolio "lama"; later ones accept that name too.
    options = {
        "gbfs": SearchOptions("gbfs", batch=1, expansion_limit=expansions),
        "novelty": SearchOptions("lama", lead="novelty", head_start=100_000, expansion_limit=expansions),
        "plan": SearchOptions("lama", expansion_limit=expansions),
    }
    families: list[Any] = []
    random, atoms = np.random.default_rng(0), state
    while sum(map(len, families)) < MIN_EVALUATED:
        families.append(_core.successors(native_problem(task, whole=True), atoms)[1])
        (atoms,) = to_lists(random.choice(families[-1], 1), task.n_atoms)
    states = np.concatenate(families)
    seconds, _ = _timed(lambda: heuristic.evaluate(states))
    found: dict[str, Any] = {"h_FF": {"evaluated": len(states), "seconds": seconds}}
    for name in SEARCHES:
        seconds, result = _timed(lambda name=name: search(task, heuristic, options[name], init=state))  # type: ignore[misc]
        statistics = result.statistics
        found[name] = {
            "signature": [str(result.status), statistics.expanded, statistics.evaluated, result.length],
            "evaluated": statistics.evaluated,
            "seconds": seconds,
            "bytes": statistics.bytes / statistics.stored,
        }
    print(json.dumps(found))


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The minimum CPU time of some repetitions, and the last result."""
    seconds: list[float] = []
    began = time.process_time()
    while len(seconds) < 2 or time.process_time() - began < MIN_SECONDS:
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def turn(python: str, instance: Instance, expansions: int) -> dict[str, Any]:
    """Run :func:`measure` with an interpreter, in a separate process."""
    files = [instance.domain_file, instance.problem_file, instance.state_file(1)]
    command = [python, __file__, "--measure", *map(str, files), str(expansions)]
    found: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return found


def _seconds(measurement: dict[str, Any]) -> float:
    return float(measurement["seconds"])


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:5], int(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="Python interpreter with the build before the change")
    parser.add_argument("after", help="Python interpreter with the build after the change")
    parser.add_argument("--bench", type=Path, help="unpacked benchmark (default: unpack ../shared/bench)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--expansions", type=int, default=2000, help="limit on the expansions of each search (default: 2000)"
    )
    parser.add_argument("--only", default="", help="only domains whose name contains this")
    arguments = parser.parse_args()
    pythons = (arguments.before, arguments.after)
    instances = [i for i in find_instances(find_benchmark(arguments.bench)) if i.difficulty == "moderate"]
    first = {i.domain: i for i in reversed(instances) if arguments.only in i.domain}
    ratios: dict[str, list[float]] = {}
    print(
        f"{'evaluations per CPU second, bytes per state':<46}{'search':<9}{'before':>10}{'after':>10}{'ratio':>7}",
        end="",
    )
    print(f"{'bytes':>9}{'bytes':>9}{'ratio':>7}")
    for instance in reversed(first.values()):
        turns: dict[str, list[dict[str, Any]]] = {python: [] for python in pythons}
        for number in range(arguments.rounds):
            for python in pythons if number % 2 == 0 else pythons[::-1]:
                turns[python].append(turn(python, instance, arguments.expansions))
        best = [{name: min((t[name] for t in turns[p]), key=_seconds) for name in turns[p][0]} for p in pythons]
        rates = [found["h_FF"]["evaluated"] / found["h_FF"]["seconds"] for found in best]
        ratios.setdefault("h_FF", []).append(rates[1] / rates[0])
        print(f"{instance.label:<46}{'h_FF':<9}{rates[0]:>10,.0f}{rates[1]:>10,.0f}{rates[1] / rates[0]:>7.2f}")
        for name in SEARCHES:
            before, after = (found[name] for found in best)
            rates = [m["evaluated"] / m["seconds"] for m in (before, after)]
            changed = before["signature"] != after["signature"]
            speed = before["seconds"] / after["seconds"] if not changed else rates[1] / rates[0]
            memory = after["bytes"] / before["bytes"]
            ratios.setdefault(name, []).append(speed)
            ratios.setdefault(f"{name}, bytes", []).append(memory)
            print(
                f"{instance.label:<46}{name:<9}{rates[0]:>10,.0f}{rates[1]:>10,.0f}{speed:>7.2f}"
                f"{before['bytes']:>9.1f}{after['bytes']:>9.1f}{memory:>7.2f}{'  other search' if changed else ''}",
                flush=True,
            )
    for name, values in ratios.items():
        print(f"{name}: median {median(values):.2f}, {min(values):.2f} to {max(values):.2f}")


if __name__ == "__main__":
    main()
