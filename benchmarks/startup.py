"""Measures the run time of short commands: --version, --help, and solving one easy state with a model.

`python -c pass` is measured in the same run: no Python program takes less. The least of several calls counts; it is the
one that others disturbed least. The highest is printed too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
PROGRAM = Path(sys.executable).with_name("goalward")
MODEL, STATE = DATA / "blocks4-v1.goalward", DATA / "blocks4-v1" / "p1.pddl"


def seconds(command: list[str | Path], folder: str) -> tuple[float, float]:
    """CPU seconds and wall-clock seconds of a command."""
    began = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began


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
            cpu, wall = zip(*(seconds(command, folder) for _ in range(repetitions)), strict=True)
            print(
                f"{name:<30} {min(cpu):.3f} s of CPU (at most {max(cpu):.3f}), {min(wall):.3f} s by the clock "
                f"(at most {max(wall):.3f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
