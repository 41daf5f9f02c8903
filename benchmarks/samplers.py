"""State samplers beside one another: validation states solved, out of ten, by a network trained with each.

For the first public instance of each domain and difficulty and each sampler: one network of preset `fast` trained for
at most 48 s on one core, then searches of 1.2 s from validation states, the same for all, which is what each of
two trials of `goalward train --time-limit 2m` gets. Results are kept in a CSV file, so an interrupted run goes on where
it stopped.
"""

from __future__ import annotations

import argparse
import csv
import os
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from common import Instance, find_benchmark, find_instances
from goalward.learning import PreimageOptions, train_with
from goalward.learning.validation import score, validation_states
from goalward.sampling import SAMPLERS
from goalward.task.grounding import ground_files

FIELDS = (
    "domain",
    "difficulty",
    "instance",
    "sampler",
    "solved",
    "states",
    "evaluations",
    "seconds",
    "validation_loss",
)


def measure(instance: Instance, sampler: str, seconds: float) -> dict[str, object]:
    task = ground_files(instance.domain_file, instance.problem_file)
    model = train_with(task, "n-rsl", PreimageOptions(sampler=(sampler,), trials=1, time_limit=seconds))
    verdict = score(model.heuristic(), validation_states(task, 10, 0), seconds / 40)
    return {
        "domain": instance.domain,
        "difficulty": instance.difficulty,
        "instance": instance.name,
        "sampler": sampler,
        "solved": verdict.solved,
        "states": verdict.states,
        "evaluations": verdict.evaluations,
        "seconds": model.info["seconds"],
        "validation_loss": model.info["validation_loss"],
    }


def first_instances(bench: Path) -> list[Instance]:
    """The first of each domain and difficulty."""
    first: dict[tuple[str, str], Instance] = {}
    for instance in find_instances(bench):
        first.setdefault((instance.domain, instance.difficulty), instance)
    return list(first.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked benchmark; default: ../shared/bench")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "goalward-samplers.csv")
    parser.add_argument("--samplers", default=",".join(SAMPLERS))
    parser.add_argument("--seconds", type=float, default=48.0, help="for each training")
    arguments = parser.parse_args()
    instances = first_instances(find_benchmark(arguments.bench))
    rows: list[dict[str, object]] = []
    if arguments.out.exists():
        with arguments.out.open() as file:
            rows = list(csv.DictReader(file))
    done = {(row["domain"], row["difficulty"], row["sampler"]) for row in rows}
    names = arguments.samplers.split(",")
    for instance in instances:
        for sampler in names:
            if (instance.domain, instance.difficulty, sampler) in done:
                continue
            rows.append(measure(instance, sampler, arguments.seconds))
            print(f"{instance.domain} {instance.difficulty} {sampler}: {rows[-1]['solved']}", flush=True)
            with arguments.out.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                writer.writeheader()
                writer.writerows(rows)
    print(f"\n| instance | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    total = dict.fromkeys(names, 0)
    for instance in instances:
        key = (instance.domain, instance.difficulty)
        solved = {str(r["sampler"]): int(str(r["solved"])) for r in rows if (r["domain"], r["difficulty"]) == key}
        for name in names:
            total[name] += solved.get(name, 0)
        cells = " | ".join(str(solved.get(name, "–")) for name in names)
        print(f"| {instance.domain} {instance.name} ({instance.difficulty}) | {cells} |")
    print(f"| all | {' | '.join(str(total[name]) for name in names)} |")


if __name__ == "__main__":
    main()
