"""Checks that commands keep their limits: time within 0.2 s or 2 %, including grounding, and memory within 5 %.

Time: on the ten largest public instances, on a task of 30,000 variables and on a puzzle. A limit is missed by the time
from the start of the process until it is gone; on a machine that others use too, the processor time after the limit
says more, so both are shown. `compare` has a limit for each of its parts (reading and grounding, each training, each
search), so the part that misses it by most is shown. Memory: `plan`, `solve`, `train` and `compare` on a puzzle that
none of them solves, by the highest resident memory that the system saw. And how long a report takes after Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
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
"""Sorted by the number of operators after grounding."""
COMMANDS = ["plan -s astar", "plan", "solve", "train", "compare"]
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Run:
    """How a command ended: seconds after its limit (0: before it), CPU seconds after it, peak memory in MiB."""

    code: int
    seconds: float
    cpu_after: float
    peak: float
    lines: list[tuple[float, str]]
    """Lines of stderr with their times."""


def run(arguments: list[str], until: float = 0.0) -> Run:
    """Run a command; its CPU time is measured from ``until`` on."""
    with tempfile.TemporaryFile("w+") as told:
        begun = time.monotonic()
        process = subprocess.Popen([sys.executable, "-m", "goalward", *arguments], stdout=told, stderr=subprocess.PIPE)
        time.sleep(until)
        early = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        before = _processor_seconds(process.pid)
        lines = [(time.monotonic() - begun, line.decode()) for line in process.stderr or ()]
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        after = usage.ru_utime + usage.ru_stime - before if before else 0.0
        return Run(process.returncode, 0.0 if early else seconds, after, usage.ru_maxrss / 1024, lines)


def longest_part(done: Run) -> float:
    """Seconds of the longest unit of a comparison, from the times of its messages."""
    ends = [when for when, _ in done.lines]
    if done.code:
        return done.seconds
    return max(after - before for before, after in itertools.pairwise(ends))


def _processor_seconds(pid: int) -> float:
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def many_variables(folder: Path, n: int) -> Path:
    """A problem with ``n`` independent switches."""
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
    """Write a sliding-tile puzzle to a folder, and return the folder."""
    command = [sys.executable, "-m", "goalward", "generate", "tiles", "--set", "rows=5", "--set", "cols=5"]
    subprocess.run([*command, "-o", str(folder)], check=True, capture_output=True)
    return folder


def files(folder: Path) -> list[str]:
    return [str(folder / "domain.pddl"), str(folder / "problem.pddl")]


def time_limits(folders: dict[str, Path], limits: list[float], chosen: list[str], scratch: Path) -> None:
    print("| command | limit | over | processor time after it | ended with |\n|---|---|---|---|---|")
    for name, folder in folders.items():
        model = scratch / "wide.goalward"
        if "solve" in chosen:
            Model(task := ground_files(*files(folder)), wide_network(task.n_atoms), {}).save(model)
        problem = str(folder / "problem.pddl")
        commands = {
            "plan -s astar": ["plan", *files(folder), "-s", "astar", "-H", "hmax"],
            "plan": ["plan", *files(folder), "--anytime", "-o", str(scratch / "plan")],
            "solve": ["solve", str(model), problem],
            "train": ["train", *files(folder), "-o", str(scratch / "model")],
            "compare": ["compare", *files(folder), problem, "--methods", "n-rsl,hmax"],
        }
        for limit, shown in itertools.product(limits, chosen):
            command = [*commands[shown], "--time-limit", f"{limit:g}s"]
            if shown == "compare":
                done = run([*command, "--train-limit", f"{limit:g}s"])
                seconds, after = longest_part(done), "–"
            else:
                done = run(command, limit)
                seconds, after = done.seconds, f"{done.cpu_after:.2f} s"
            over = f"{seconds - limit:+.2f} s" if seconds else "before it"
            print(f"| {shown} {name} | {limit:g} s | {over} | {after} | {done.code} |", flush=True)


def wide_network(n_atoms: int) -> NetworkWeights:
    numbers = np.random.default_rng(0)
    floats = lambda *shape: numbers.normal(size=shape).astype(np.float32)  # noqa: E731
    return NetworkWeights(floats(n_atoms, 256), floats(256), (Layer(floats(1, 256), floats(1)),))


def memory_limits(folder: Path, scratch: Path) -> None:
    task = ground_files(*files(folder))
    model = scratch / "wide.goalward"
    Model(task, wide_network(task.n_atoms), {}).save(model)
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
    parser.add_argument(
        "--commands", nargs="+", default=COMMANDS, choices=COMMANDS, help="check the time limits of these commands"
    )
    parser.add_argument("--tasks", nargs="+", help="only tasks whose name contains one of these")
    parser.add_argument("--only", choices=["time", "memory", "signals"])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        hard = puzzle(scratch / "tiles")
        if chosen.only in {None, "time"}:
            bench = find_benchmark(chosen.bench)
            folders = {label: bench / label for label in LARGEST}
            folders |= {"30,000 variables": many_variables(scratch / "many", 30_000), "tiles 5x5": hard}
            folders = {
                label: folder
                for label, folder in folders.items()
                if not chosen.tasks or any(part in label for part in chosen.tasks)
            }
            time_limits(folders, chosen.limits, chosen.commands, scratch)
        if chosen.only in {None, "memory"}:
            memory_limits(hard, scratch)
        if chosen.only in {None, "signals"}:
            after_ctrl_c(hard, 5)


if __name__ == "__main__":
    main()
