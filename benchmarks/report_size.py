"""Measures time, memory and size of a report of many made-up results.

    .venv/bin/python benchmarks/report_size.py [--results 100000] [--keep FOLDER]

Prints one line for making the store, one for the report; the limit is 10 s and 1 GB for 100,000 results.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from goalward.experiments.store import FILE_NAME, Result, Store, Unit

DOMAINS = ["blocks", "depot", "grid", "npuzzle", "pipesworld-notankage"]
DOMAINS += ["rovers", "scanalyzer", "storage", "transport", "visitall"]
STRENGTH = {"n-rsl": 0.66, "rsl": 0.6, "tsl": 0.55, "boot": 0.4, "hgn": 0.3, "ff": 0.58, "fd-ff": 0.57, "lama": 0.85}
SEEDED = ("n-rsl", "rsl", "tsl", "boot")
SEEDS = 3
INSTANCES = 7


def made_up(n_results: int) -> tuple[list[Unit], list[Result]]:
    """About ``n_results`` made-up searches, and the trainings that they need."""
    draw = random.Random(0)
    per_state = SEEDS * len(SEEDED) + len(STRENGTH) - len(SEEDED)
    n_states = max(1, n_results // (len(DOMAINS) * 2 * INSTANCES * per_state))
    units, results = [], []
    for domain in DOMAINS:
        ease = draw.uniform(-0.25, 0.3)
        for difficulty in ("moderate", "hard"):
            for number in range(INSTANCES):
                instance, atoms = f"p{number + 1:02}", draw.randint(200, 4000) * (2 if difficulty == "hard" else 1)
                for method, strength in STRENGTH.items():
                    for seed in range(SEEDS) if method in SEEDED else (None,):
                        chance = strength + ease - (0.3 if difficulty == "hard" else 0) + draw.gauss(0, 0.12)
                        if seed is not None:
                            units.append(Unit("train", domain, difficulty, instance, method, seed))
                            results.append(_training(draw, units[-1], chance, atoms))
                        for state in range(n_states):
                            units.append(Unit("search", domain, difficulty, instance, method, seed, f"p{state + 1}"))
                            results.append(_search(draw, units[-1], chance, atoms))
    return units, results


def _training(draw: random.Random, unit: Unit, chance: float, atoms: int) -> Result:
    start = draw.uniform(2000, 9000)
    curve = [
        [epoch, start * math.exp(-epoch / 6) + 40, start * math.exp(-epoch / 6.4) + 60 + draw.random() * 9, epoch * 1.5]
        for epoch in range(1, 31)
    ]
    validation = {"validation_solved": max(0, round(10 * chance)), "validation_states": 10}
    extra = {"curve": curve, "seconds": draw.uniform(40, 120), **validation, "validation_evaluations": atoms * 10}
    return Result(unit.id, "trained", total_time=extra["seconds"], n_atoms=atoms, extra=extra, finished=1.0)


def _search(draw: random.Random, unit: Unit, chance: float, atoms: int) -> Result:
    if draw.random() < 0.002:
        return Result(unit.id, "failed", error="the worker was lost three times", n_atoms=atoms, finished=1.0)
    rate = 90_000 if unit.seed is not None else 3e7 / atoms
    if draw.random() > chance:
        status = draw.choice(["out of time"] * 9 + ["out of memory"])
        return Result(unit.id, status, False, 30.0, 30.0, evaluations=round(30 * rate), n_atoms=atoms, finished=1.0)
    evaluations = round(math.exp(draw.uniform(4, 13)))
    seconds, length = evaluations / rate * draw.uniform(0.8, 1.2), round(math.exp(draw.uniform(2.5, 5.5)))
    along = [max(0.0, 0.8 * left + draw.gauss(0, 6)) for left in range(length, -1, -1)] if unit.seed is not None else []
    return Result(
        unit.id, "solved", True, seconds + 0.05, seconds, evaluations // 6, evaluations, 2 * evaluations, length,
        length, 200 * 2**20, float(length), atoms, extra={"h_along": along} if along else {}, finished=1.0,
    )  # fmt: skip


_CHILD = """
import resource, sys, time
from pathlib import Path
from goalward.experiments.store import Store
from goalward.report import write_report
began = time.monotonic()
with Store(Path(sys.argv[1])) as store:
    size = write_report(store, Path(sys.argv[2]))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(time.monotonic() - began, time.process_time(), memory / 2**20, size / 2**20)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="folder for the results and the report")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        units, results = made_up(options.results)
        with Store(folder / FILE_NAME, create=True) as store:
            store.set_meta(config={"name": "made-up results", "seeds": list(range(SEEDS))}, versions={"goalward": "0"})
            store.add_units(units)
            store.add_many(results)
        print(f"{len(results)} results made and stored in {time.monotonic() - began:.1f} s")
        # A separate process, so that time and memory of making the results are not included.
        command = [sys.executable, "-c", _CHILD, str(folder / FILE_NAME), str(folder / "report.html")]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, cpu_seconds, gibibytes, mebibytes = map(float, told)
        print(
            f"report: {seconds:.1f} s ({cpu_seconds:.1f} s of one core), {gibibytes:.2f} GiB, file {mebibytes:.1f} MiB"
        )


if __name__ == "__main__":
    main()
