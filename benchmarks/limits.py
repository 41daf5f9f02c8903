"""How near a search stays to its limits: time to within 0.1 s, memory to within 5 %, Ctrl-C within 0.2 s.

Runs `goalward plan` on a puzzle that it does not solve in time, and prints by how much each limit was missed.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOALWARD = [sys.executable, "-m", "goalward"]


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if not found:
        raise RuntimeError(f"no {pattern!r} in:\n{text}")
    return float(found[1])


def plan(folder: Path, *options: str) -> list[str]:
    return [*GOALWARD, "plan", str(folder / "domain.pddl"), str(folder / "problem.pddl"), *options]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    repetitions = parser.parse_args().repetitions
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        puzzle = [*GOALWARD, "generate", "tiles", "--set", "rows=5", "--set", "cols=5", "-o", name]
        subprocess.run(puzzle, check=True, capture_output=True)
        for heuristic in ("blind", "hmax", "ff"):
            over = []
            for _ in range(repetitions):
                command = plan(folder, "-H", heuristic, "-s", "astar", "--time-limit", "2s")
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                over.append(number(r"Total time: ([\d.]+)s", run.stdout) - 2)
            print(f"time limit 2 s, {heuristic:5}: over by {min(over):.3f} to {max(over):.3f} s", flush=True)
        for megabytes in (150, 300, 600):
            command = plan(folder, "-H", "blind", "--memory-limit", f"{megabytes}M")
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            peak = number(r"Peak memory: (\d+) KB", run.stdout) / 1024
            print(f"memory limit {megabytes} MiB: peak {peak:.1f} MiB, {peak / megabytes - 1:+.1%}", flush=True)
        waits = []
        for _ in range(repetitions):
            with subprocess.Popen(
                plan(folder, "-H", "ff", "-s", "astar"), stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout is not None
                process.stdout.readline()  # the task is grounded
                time.sleep(1)
                asked = time.perf_counter()
                process.send_signal(signal.SIGINT)
                rest = process.stdout.read()
                waits.append(time.perf_counter() - asked)
            if "Interrupted." not in rest:
                raise RuntimeError(f"the search ended by itself:\n{rest}")
        print(f"Ctrl-C: the report is complete after {min(waits):.3f} to {max(waits):.3f} s")


if __name__ == "__main__":
    main()
