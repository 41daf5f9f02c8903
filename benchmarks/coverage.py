"""Coverage of learned heuristics on the first public instance of each domain and difficulty, p1–p3.

For each instance this runs the two commands that a user would, `goalward train` and `goalward solve`, with their
defaults and the limits given, and prints a table per domain beside Fast Downward's figures for the same states. It
keeps every result in a CSV file and goes on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from common import DIFFICULTIES, Instance, find_benchmark, find_instances

FIELDS = (
    "domain", "difficulty", "instance", "state", "status", "plan_length", "evaluated", "search_time",
    "atoms", "training_seconds", "sampler", "validation_loss", "trials",
)  # fmt: skip
GOALWARD = [sys.executable, "-m", "goalward"]


def run(command: list[str], ok: set[int]) -> str:
    """Standard output of one command on one core."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in ok:
        raise RuntimeError(f"{' '.join(command)} exits with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def measure(instance: Instance, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Train once, solve the states."""
    states = [str(instance.state_file(number)) for number in range(1, arguments.states + 1)]
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model.goalward")
        train = [*GOALWARD, "train", str(instance.domain_file), str(instance.problem_file), "-o", model]
        run([*train, "--time-limit", f"{arguments.train_limit}s", *arguments.train], {0})
        facts = json.loads(run([*GOALWARD, "inspect", model, "--json"], {0}))
        solve = [*GOALWARD, "solve", model, *states, "--json", "--time-limit", f"{arguments.search_limit}s"]
        result = json.loads(run([*solve, *arguments.solve], {0, 12, 22, 23}))
    trials = "; ".join(f"{t['sampler']} {t['solved']}/{t['validation_states']}" for t in facts["all_trials"])
    return [
        {
            "domain": instance.domain,
            "difficulty": instance.difficulty,
            "instance": instance.name,
            "state": Path(row["state"]).stem,
            **{name: row[name] for name in ("status", "plan_length", "evaluated", "search_time")},
            "atoms": facts["atoms"],
            "training_seconds": facts["training_seconds"],
            "sampler": facts["sampler"],
            "validation_loss": facts["validation_loss"],
            "trials": trials,
        }
        for row in result["states"]
    ]


def baselines(bench_archive: Path) -> dict[tuple[str, ...], dict[str, int]]:
    """States that Fast Downward solves within 60 s, by instance and planner."""
    solved: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    if bench_archive.is_file():
        with bench_archive.open() as file:
            for row in csv.DictReader(file):
                solved[row["domain"], row["difficulty"], row["instance"]][row["planner"]] += int(row["solved"])
    return solved


def report(rows: list[dict[str, Any]], reference: dict[tuple[str, ...], dict[str, int]]) -> None:
    by_instance: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_instance[row["domain"], row["difficulty"], row["instance"]].append(row)
    totals: dict[str, list[int]] = {difficulty: [0, 0, 0, 0] for difficulty in DIFFICULTIES}
    domain = None
    for key in sorted(by_instance, key=lambda k: (k[0], DIFFICULTIES.index(k[1]))):
        if key[0] != domain:
            domain = key[0]
            print(f"\n**{domain}**\n")
            print("| instance | \\|F\\| | solved | steps | seconds | training | sampler kept | FD h_FF | lama-first |")
            print("|---|---|---|---|---|---|---|---|---|")
        mine = by_instance[key]
        solved = [row for row in mine if row["status"] == "solved"]
        theirs = reference.get(key, {})
        steps = ", ".join(str(row["plan_length"]) if row["status"] == "solved" else "–" for row in mine)
        seconds = ", ".join(f"{float(row['search_time']):.1f}" for row in mine)
        print(
            f"| {key[2]} ({key[1]}) | {mine[0]['atoms']} | {len(solved)}/{len(mine)} | {steps} | {seconds} "
            f"| {float(mine[0]['training_seconds']):.0f} s | {mine[0]['sampler']} ({mine[0]['trials']}) "
            f"| {theirs.get('gbfs_hff', '–')} | {theirs.get('lama_first', '–')} |"
        )
        added = (len(solved), len(mine), theirs.get("gbfs_hff", 0), theirs.get("lama_first", 0))
        totals[key[1]] = [a + b for a, b in zip(totals[key[1]], added, strict=True)]
    print()
    for difficulty, (solved_count, states, ff, lama) in totals.items():
        print(f"{difficulty}: {solved_count}/{states} solved; Fast Downward h_FF {ff}, lama-first {lama} (60 s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked benchmark; default: ../shared/bench")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "goalward-coverage.csv")
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--train-limit", type=float, default=120)
    parser.add_argument("--search-limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2, help="instances at the same time, one core each")
    parser.add_argument("--only", default="", help="instances whose name contains this")
    parser.add_argument("--all", action="store_true", help="every instance, not only the first of each domain")
    parser.add_argument("--train", default="", type=str.split, help="more options for goalward train")
    parser.add_argument("--solve", default="", type=str.split, help="more options for goalward solve")
    arguments = parser.parse_args()
    arguments.train, arguments.solve = arguments.train or [], arguments.solve or []
    instances = find_instances(find_benchmark(arguments.bench))
    if not arguments.all:
        instances = list({(i.domain, i.difficulty): i for i in reversed(instances)}.values())[::-1]
    instances = [i for i in instances if arguments.only in i.label]
    rows: list[dict[str, Any]] = []
    if arguments.out.is_file():
        with arguments.out.open() as file:
            rows = list(csv.DictReader(file))
    done = {(row["domain"], row["difficulty"], row["instance"]) for row in rows}
    todo = [i for i in instances if (i.domain, i.difficulty, i.name) not in done]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for future in as_completed([pool.submit(measure, instance, arguments) for instance in todo]):
            fresh = future.result()
            rows += fresh
            new = not arguments.out.is_file()
            with arguments.out.open("a", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                if new:
                    writer.writeheader()
                writer.writerows(fresh)
            solved = sum(row["status"] == "solved" for row in fresh)
            print(f"{fresh[0]['domain']}/{fresh[0]['instance']}: {solved}/{len(fresh)}", file=sys.stderr, flush=True)
    reference = Path(__file__).resolve().parents[1].parent / "shared" / "bench" / "baselines.csv"
    wanted = {(i.domain, i.difficulty, i.name) for i in instances}
    report([r for r in rows if (r["domain"], r["difficulty"], r["instance"]) in wanted], baselines(reference))


if __name__ == "__main__":
    main()
