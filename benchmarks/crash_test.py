"""Kills runners, workers, guards, units and planners of a small experiment at random times, many times.

Each round runs the experiment to its end with ``--kills`` kills and compares everything that does not depend on the
clock, plans included, with an undisturbed run. Prints a line per round.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from experiments.crashes import (
    CONFIG,
    MORE_INSTANCES,
    PLANNER,
    ROLES,
    TRAINING,
    outcome,
    run_undisturbed,
    run_with_kills,
)
from goalward.baselines.fast_downward import find_driver


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=12, help="number of kills in each round")
    parser.add_argument("--states", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = CONFIG.format(states=arguments.states, more=MORE_INSTANCES) + TRAINING
        experiment += PLANNER if find_driver() else ""
        config = Path(folder) / "crash.toml"
        config.write_text(experiment)
        run_undisturbed(config, Path(folder) / "calm")
        expected = outcome(Path(folder) / "calm")
        print(f"{len(expected['results'])} units, {len(expected['plans'])} plans, {len(expected['models'])} models")
        print(f"{'round':>5} {'starts':>6} " + " ".join(f"{role:>7}" for role in ROLES) + f" {'seconds':>8}  results")
        same = True
        for number in range(1, arguments.rounds + 1):
            started = time.monotonic()
            output = Path(folder) / f"round{number}"
            victims = run_with_kills(config, output, arguments.kills, random.Random(arguments.seed + number))
            found = outcome(output)
            equal = found == expected
            same = same and equal
            counts = " ".join(f"{victims.killed[role]:>7}" for role in ROLES)
            seconds = time.monotonic() - started
            print(
                f"{number:>5} {victims.starts:>6} {counts} {seconds:>8.1f}  {'equal' if equal else 'DIFFERENT'}",
                flush=True,
            )
            for what in expected:
                if found[what] != expected[what]:
                    _show_difference(what, expected[what], found[what])
    sys.exit(0 if same else 1)


def _show_difference(what: str, expected: Any, found: Any) -> None:
    """Print each missing, additional or different entry."""
    calm, disturbed = (dict.fromkeys(one) if isinstance(one, list) else one for one in (expected, found))
    for name in sorted(calm.keys() | disturbed.keys()):
        if name not in calm or name not in disturbed or calm[name] != disturbed[name]:
            print(f"      {what}: {name}: {calm.get(name)} -> {disturbed.get(name)}", flush=True)


if __name__ == "__main__":
    main()
