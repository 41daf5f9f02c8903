"""Measures the cost of Python's stable ABI: the core built for one Python version against that for 3.12 and later.

    benchmarks/stable_abi.py NORMAL STABLE

Both are interpreters of the same version, 3.12 or newer, of environments with goalward: in the first it was built with
`wheel.py-api = ""` in pyproject.toml, in the second as it is. They take turns, so that other load of the
machine affects both. Ratios are stable over normal, of CPU time, the median over the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

MODEL = Path(__file__).resolve().parents[1] / "tests" / "data" / "blocks4-v1.goalward"
STATE = MODEL.with_suffix("") / "p1.pddl"
SECONDS = 0.4
"""CPU time of each measurement in each round."""


def measures() -> dict[str, Callable[[], object]]:
    """Calls across the boundary between Python and the core, from bare calls to searches."""
    from goalward import _core, bind_heuristic, generate, load_model, plan  # noqa: PLC0415
    from goalward.search import SearchOptions, search  # noqa: PLC0415
    from goalward.task.states import random_walk_states, to_bits  # noqa: PLC0415

    task = generate("blocks", n=6, seed=1).ground()
    larger = generate("delivery", size=6, seed=1).ground()
    ff = bind_heuristic(task, "ff")
    states = to_bits(random_walk_states(task, 1024, 50, seed=1), task.n_atoms)
    model = load_model(MODEL)
    native = _core.native_heuristics()[0]

    def open_goals(batch):  # type: ignore[no-untyped-def]
        return (1 - batch[:, task.goal]).sum(axis=1)

    return {
        "1,000 attributes read": lambda: [native.admissible for _ in range(1000)],
        "1,000 objects made": lambda: [_core.SearchOptions() for _ in range(1000)],
        "h_FF of one state": lambda: ff.evaluate(states[:1]),
        "h_FF of 1,024 states": lambda: ff.evaluate(states),
        "search, a heuristic in Python": lambda: search(task, open_goals, SearchOptions(batch=1)),
        "search, h_FF, a small task": lambda: search(task, ff),
        "plan, a small task": lambda: plan(task, improve=None),
        "plan, a larger task": lambda: plan(larger, improve=None),
        "solve with a model": lambda: model.solve(STATE, improve=None),
    }


def measure() -> None:
    """Print the CPU microseconds of each call as JSON: the minimum over several batches of calls."""
    found = {}
    for name, work in measures().items():
        work()
        began = time.process_time()
        work()
        repetitions = max(1, int(SECONDS / 20 / max(time.process_time() - began, 1e-6)))
        batches = []
        while time.process_time() - began < SECONDS or len(batches) < 3:
            before = time.process_time()
            for _ in range(repetitions):
                work()
            batches.append((time.process_time() - before) / repetitions)
        found[name] = min(batches) * 1e6
    print(json.dumps(found))


def cpu_of(command: list[str]) -> float:
    """CPU microseconds of a process."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1e6


def one_round(python: str) -> dict[str, float]:
    """All measurements in a separate process, and the CPU time of its start."""
    run = subprocess.run([python, __file__, "--measure"], stdout=subprocess.PIPE, check=True)
    starts = {
        "import of the core": ["-c", "import goalward._core"],
        "goalward solve": ["-m", "goalward", "solve", str(MODEL), str(STATE)],
    }
    started = {name: min(cpu_of([python, *arguments]) for _ in range(5)) for name, arguments in starts.items()}
    return json.loads(run.stdout) | started


def core_of(python: str) -> tuple[str, int]:
    """Name and size of the core's file."""
    command = [python, "-c", "import goalward._core; print(goalward._core.__file__)"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    return path.name, path.stat().st_size


def main() -> None:
    if sys.argv[1:] == ["--measure"]:
        measure()
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("normal", help="Python interpreter with the normal core")
    parser.add_argument("stable", help="Python interpreter with the core for the stable ABI")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    pythons = [arguments.normal, arguments.stable]
    sizes = []
    for python in pythons:
        name, size = core_of(python)
        sizes.append(size)
        print(f"{name}: {size:,} bytes")
    print(
        f"size: {sizes[1] / sizes[0]:.3f}\n\n{'measure':<31} {'normal':>11} {'stable':>11}  ratio (lowest to highest)"
    )
    rounds = []
    for turn in range(arguments.rounds):
        order = pythons if turn % 2 == 0 else pythons[::-1]
        found = {python: one_round(python) for python in order}
        rounds.append([found[python] for python in pythons])
    for name in rounds[0][0]:
        normal, stable = ([both[which][name] for both in rounds] for which in (0, 1))
        ratios = sorted(b / a for a, b in zip(normal, stable, strict=True))
        print(
            f"{name:<31} {median(normal):>8.1f} µs {median(stable):>8.1f} µs  "
            f"{median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
        )


if __name__ == "__main__":
    main()
