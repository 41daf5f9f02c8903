"""Compares grounding of quantified conditions with Fast Downward's translator: time and number of operators.

The domains are our own (``tests/quantified_domains.py``): a lift with passengers who must not meet, a workshop, a
taxiway, guards who recharge. The translator keeps a ``forall`` as an axiom; here it is written out, so that the numbers
of operators may differ where a condition has several cases. Times are processor seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from goalward.errors import GoalwardError
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from quantified_domains import QUANTIFIED

TRANSLATE = """
import sys, time
from fast_downward.translate import instantiate, normalize, options
from fast_downward.translate.pddl_parser import pddl_file
options.set_options(sys.argv[1:])
begun = time.process_time()
task = pddl_file.open(domain_filename=sys.argv[1], problem_filename=sys.argv[2])
normalize.normalize(task)
_, _, actions, _, axioms, _ = instantiate.explore(task)
print(time.process_time() - begun, len(actions), len(axioms), file=sys.stderr)
"""


def translated(domain: str, problem: str, seconds: float) -> tuple[float, int, int] | None:
    """CPU seconds, operators and axioms of the translator without its mutex search; None on a timeout."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        for file, text in zip(files, (domain, problem), strict=True):
            file.write_text(text)
        command = [sys.executable, "-c", TRANSLATE, *map(str, files)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
    took, operators, axioms = run.stderr.split()[-3:]
    return float(took), int(operators), int(axioms)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of one run of the translator")
    chosen = parser.parse_args()
    print("| domain | size | goalward | operators | translator | operators | axioms |\n|---|---|---|---|---|---|---|")
    for name, make in QUANTIFIED.items():
        for size in chosen.sizes:
            domain, problem = make(size)
            begun = time.process_time()
            try:
                lifted = parse_domain(domain, "domain.pddl")
                ours = str(ground(lifted, parse_problem(problem, "problem.pddl", lifted)).n_operators)
            except GoalwardError as error:
                ours = str(error).partition(":")[2][:60]
            took = time.process_time() - begun
            theirs = translated(domain, problem, chosen.seconds)
            shown = f"{theirs[0]:.2f} s | {theirs[1]} | {theirs[2]}" if theirs else f"> {chosen.seconds:g} s | |"
            print(f"| {name} | {size} | {took:.2f} s | {ours} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
