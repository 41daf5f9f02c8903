"""Measures time and memory of status and resume for an experiment with very many results.

Fills a store with synthetic results, then runs the commands that a user would. Prints a line for each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from goalward.experiments.config import load_config
from goalward.experiments.runner import open_store, prepare
from goalward.experiments.store import Result

CONFIG = """\
seeds = 10
[[methods]]
label = "a"
method = "n-rsl"
[[methods]]
label = "b"
method = "rsl"
[[methods]]
method = "ff"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=100_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, output = Path(folder), Path(folder) / "out"
        units_of_an_instance = 20 + 21 * 50
        for number in range(-(-arguments.results // units_of_an_instance)):
            place = root / "bench" / f"domain{number % 10}" / "hard" / f"p{number}"
            place.mkdir(parents=True)
            for name in ["domain", "problem", *(f"p{state}" for state in range(1, 51))]:
                (place / f"{name}.pddl").touch()
        (root / "many.toml").write_text(CONFIG)
        config = load_config(str(root / "many.toml"), benchmark=root / "bench")
        with open_store(output) as store:
            plan = prepare(config, output, store)
            store._db.execute("PRAGMA synchronous = OFF")  # only reading is measured
            curve = [[epoch, 3.1, 3.2, epoch * 1.5] for epoch in range(15)]
            for number, unit in enumerate(plan.units):
                training = unit.kind == "train"
                store.begin_attempt(unit.id)
                store.add(
                    Result(
                        unit.id, "trained" if training else "solved" if number % 3 else "out of time",
                        solved=not training and number % 3 > 0, total_time=1.5, search_time=1.2, expansions=number,
                        evaluations=number * 9, plan_length=60, n_atoms=500,
                        extra={"curve": curve} if training else {"h_along": [float(h) for h in range(60)]},
                    )
                )  # fmt: skip
        size = sum(path.stat().st_size for path in output.glob("results.sqlite*"))
        print(f"{len(plan.units)} results, {size / 2**20:.0f} MiB")
        print(f"{'command':<8} {'seconds':>8} {'CPU s':>6} {'peak MiB':>9}")
        measure("status", "status", str(output))
        run = ("run", str(root / "many.toml"), "-o", str(output), "--benchmark", str(root / "bench"))
        measure("resume", *run)


def measure(name: str, *arguments: str) -> None:
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "goalward", "experiment", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.monotonic() - started, usage.ru_utime + usage.ru_stime
    failed = f"  exit code {process.returncode}" if process.returncode else ""
    print(f"{name:<8} {seconds:>8.1f} {cpu:>6.1f} {usage.ru_maxrss / 1024:>9.0f}{failed}")


if __name__ == "__main__":
    main()
