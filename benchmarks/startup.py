"""CPU time from the shell's call to its end: the program's name and help, and one easy state with a model at hand.

`python -c pass` is measured in the same run: no Python program takes less. The least of several calls counts; it is the
one that others disturbed least.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
PROGRAM = Path(sys.executable).with_name("goalward")
MODEL, STATE = DATA / "blocks4-v1.goalward", DATA / "blocks4-v1" / "p1.pddl"


def cpu_seconds(command: list[str | Path], folder: str) -> float:
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=10)
    repetitions = parser.parse_args().repetitions
    commands: list[tuple[str, list[str | Path]]] = [
        ("python -c pass", [sys.executable, "-c", "pass"]),
        ("goalward --version", [PROGRAM, "--version"]),
        ("goalward --help", [PROGRAM, "--help"]),
        ("goalward solve", [PROGRAM, "solve", MODEL, STATE]),
        ("goalward solve --improve none", [PROGRAM, "solve", MODEL, STATE, "--improve", "none"]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands:
            least = min(cpu_seconds(command, folder) for _ in range(repetitions))
            print(f"{name:<30} {least:.3f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
