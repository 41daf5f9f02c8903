"""How near commands stay to their limits: time to within 0.2 s or 2 %, grounding included, and memory to within 5 %.

Time: `plan` and `train` on the ten largest public instances, on a task of 30,000 variables and on a puzzle. A limit is
missed by the time until the process is gone; on a machine that others use too, the processor time after the limit says
more, so both are shown. Memory: `plan`, `solve`, `train` and `compare` on a puzzle that none of them solves, by the
highest resident memory that the system saw. And how long a report takes after Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import find_benchmark
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.grounding import ground_files

LARGEST = [
    "scanalyzer-opt11-strips/moderate/p07",
    "rovers/hard/p38",
    "rovers/hard/p40",
    "scanalyzer-opt11-strips/hard/p19",
    "npuzzle/hard/prob-n9-3",
    "npuzzle/hard/prob-n9-1",
    "storage/hard/p29",
    "depot/hard/p22",
    "scanalyzer-opt11-strips/moderate/p13",
    "storage/hard/p27",
]
"""By operators after grounding."""
# What a command needs is loaded before its clock starts; the mark says that it is about to.
PROGRAM = """
import os, goalward.cli.commands, goalward.cli.{module}, goalward.task.grounding, goalward.task.translation
{more}
os.write(2, b"now")
from goalward.cli.main import main
main()
"""
LEARNING = "import goalward.learning.methods"  # PyTorch comes after grounding
MODULES = {"plan": "", "solve": "", "train": LEARNING, "compare": LEARNING}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Run:
    """How a command ended: seconds since its clock started, processor seconds after a moment, peak memory in MiB."""

    code: int
    seconds: float
    cpu_after: float
    peak: float
    output: str


def run(arguments: list[str], until: float = 0.0) -> Run:
    """Run a command; ``until`` is the moment after which its processor time is counted."""
    program = PROGRAM.format(module=arguments[0], more=MODULES[arguments[0]])
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments], stdout=told, stderr=subprocess.PIPE, text=False
        )
        assert process.stderr is not None
        process.stderr.read(3)
        begun = time.monotonic()
        time.sleep(until)
        before = _processor_seconds(process.pid)
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        after = usage.ru_utime + usage.ru_stime - before if before else 0.0
        return Run(process.returncode, seconds, after, usage.ru_maxrss / 1024, told.read() + said)


def _processor_seconds(pid: int) -> float:
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def many_variables(folder: Path, n: int) -> Path:
    """A problem with so many switches that have nothing to do with each other."""
    names = [f"v{i}" for i in range(n)]
    folder.mkdir()
    (folder / "domain.pddl").write_text(
        "(define (domain many) (:predicates (off ?x) (on ?x)) (:action flip :parameters (?x) :precondition (off ?x)"
        " :effect (and (on ?x) (not (off ?x)))))"
    )
    off, on = (" ".join(f"({state} {name})" for name in names) for state in ("off", "on"))
    (folder / "problem.pddl").write_text(
        f"(define (problem many{n}) (:domain many) (:objects {' '.join(names)}) (:init {off}) (:goal (and {on})))"
    )
    return folder


def puzzle(folder: Path) -> Path:
    command = [sys.executable, "-m", "goalward", "generate", "tiles", "--set", "rows=5", "--set", "cols=5"]
    subprocess.run([*command, "-o", str(folder)], check=True, capture_output=True)
    return folder


def files(folder: Path) -> list[str]:
    return [str(folder / "domain.pddl"), str(folder / "problem.pddl")]


def time_limits(folders: dict[str, Path], limits: list[float], scratch: Path) -> None:
    print("| command | limit | over | processor time after it | ended with |\n|---|---|---|---|---|")
    for name, folder in folders.items():
        for limit in limits:
            for command in (
                ["plan", *files(folder), "-s", "astar", "-H", "hmax"],
                ["plan", *files(folder), "--anytime", "-o", str(scratch / "plan")],
                ["train", *files(folder), "-o", str(scratch / "model")],
            ):
                done = run([*command, "--time-limit", f"{limit:g}s"], limit)
                shown = command[0] + (" -s astar" if "astar" in command else "")
                print(
                    f"| {shown} {name} | {limit:g} s | {done.seconds - limit:+.2f} s | {done.cpu_after:.2f} s | "
                    f"{done.code} |", flush=True,
                )  # fmt: skip


def memory_limits(folder: Path, scratch: Path) -> None:
    task = ground_files(*files(folder))
    numbers = np.random.default_rng(0)
    floats = lambda *shape: numbers.normal(size=shape).astype(np.float32)  # noqa: E731
    weights = NetworkWeights(floats(task.n_atoms, 256), floats(256), (Layer(floats(1, 256), floats(1)),))
    model = scratch / "wide.goalward"
    Model(task, weights, {}).save(model)
    problem = str(folder / "problem.pddl")
    quick = ["--time-limit", "120s"]
    commands: dict[str, tuple[list[str], int]] = {
        f"plan -H blind, {size} MiB": (["plan", *files(folder), "-H", "blind", *quick], size)
        for size in (150, 300, 600)
    }
    commands |= {
        "solve --batch 1000000": (["solve", str(model), problem, "-s", "gbfs", "--batch", "1000000", *quick], 500),
        "solve --jobs 4": (["solve", str(model), *[problem] * 4, "-s", "gbfs", "--jobs", "4", *quick], 250),
        "train": (["train", *files(folder), "-o", str(scratch / "m"), "--samples", "20000000", *quick], 350),
        "compare --methods n-rsl,ff": (
            ["compare", *files(folder), problem, "--methods", "n-rsl,ff", "--train-limit", "60s", *quick], 350,
        ),
    }  # fmt: skip
    print("\n| command | limit | peak | | ended with |\n|---|---|---|---|---|")
    for name, (command, limit) in commands.items():
        done = run([*command, "--memory-limit", f"{limit}M"])
        print(
            f"| {name} | {limit} MiB | {done.peak:.0f} MiB | {done.peak / limit - 1:+.1%} | {done.code} |", flush=True
        )


def after_ctrl_c(folder: Path, repetitions: int) -> None:
    waits = []
    command = [sys.executable, "-m", "goalward", "plan", *files(folder), "-H", "ff", "-s", "astar"]
    for _ in range(repetitions):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()  # the task is grounded
            time.sleep(1)
            asked = time.perf_counter()
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            waits.append(time.perf_counter() - asked)
        if "Interrupted." not in rest:
            raise RuntimeError(f"the search ended by itself:\n{rest}")
    print(f"\nCtrl-C: the report is complete after {min(waits):.3f} to {max(waits):.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked public benchmark")
    parser.add_argument("--limits", type=float, nargs="+", default=[1.0, 10.0], help="time limits in seconds")
    parser.add_argument("--only", choices=["time", "memory", "signals"])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        hard = puzzle(scratch / "tiles")
        if chosen.only in {None, "time"}:
            bench = find_benchmark(chosen.bench)
            folders = {label: bench / label for label in LARGEST}
            folders |= {"30,000 variables": many_variables(scratch / "many", 30_000), "tiles 5x5": hard}
            time_limits(folders, chosen.limits, scratch)
        if chosen.only in {None, "memory"}:
            memory_limits(hard, scratch)
        if chosen.only in {None, "signals"}:
            after_ctrl_c(hard, 5)


if __name__ == "__main__":
    main()
