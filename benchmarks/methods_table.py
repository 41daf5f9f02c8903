"""Every method on five public instances, p1–p3, by `goalward compare`, one core.

STRIPS-HGN is learned per domain and needs small instances, which the public benchmark does not have. For domains that a
bundled one equals but for names, they are generated here and renamed; elsewhere the column stays empty.

Each instance's answer is kept as JSON in `--out`, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import mean
from typing import Any

from common import find_benchmark
from goalward.task.domains import generate

os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

INSTANCES = (
    "blocks/moderate/probBLOCKS-14-0",
    "storage/moderate/p18",
    "transport-opt14-strips/moderate/p10",
    "visitall-opt14-strips/moderate/p-1-12",
    "blocks/hard/probBLOCKS-18-4",
)
METHODS = ("n-rsl", "rsl", "tsl", "boot", "bexp", "avi", "sing", "hgn", "ff", "fd-ff", "lama")

# Public domain → the bundled one, how its words are called there, and sizes of small instances.
RENAMED: dict[str, tuple[str, dict[str, str], list[dict[str, int]]]] = {
    "blocks": (
        "blocks",
        {"on-floor": "ontable", "uncovered": "clear", "held": "holding", "hand-free": "handempty", "- block": ""},
        [{"n": n} for n in (4, 5, 6)],
    ),
    "visitall-opt14-strips": (
        "visitall",
        {"robot-at": "at-robot", "linked": "connected", "- cell": "- place"},
        [{"rows": n, "cols": n, "missing": 0} for n in (2, 3)],
    ),
}


def small_problems(domain: str, domain_file: Path, folder: Path) -> list[Path]:
    """Small instances in the words of a public domain."""
    bundled, words, sizes = RENAMED[domain]
    found = re.search(r"\(domain\s+([^\s)]+)", domain_file.read_text())
    assert found
    paths = []
    for size in sizes:
        for seed in range(4):
            text = generate(bundled, seed=seed, **size).problem_text
            for ours, theirs in words.items():
                text = re.sub(rf"(?<![\w-]){re.escape(ours)}(?![\w-])", theirs, text)
            text = text.replace(f"(:domain {bundled})", f"(:domain {found[1]})")
            paths.append(folder / f"{domain}-{'-'.join(map(str, size.values()))}-{seed}.pddl")
            paths[-1].write_text(text)
    return paths


def domain_model(domain: str, domain_file: Path, folder: Path, limit: float) -> Path | None:
    """A STRIPS-HGN model of a domain, trained once."""
    if domain not in RENAMED:
        return None
    model = folder / f"{domain}.hgn"
    if not model.exists():
        problems = small_problems(domain, domain_file, folder)
        run(["train-domain", domain_file, *problems, "-o", model, "--time-limit", f"{limit}s"])
    return model


def run(arguments: list[Any]) -> str:
    command = [str(Path(sys.executable).parent / "goalward"), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def measure(bench: Path, name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """The answer of `goalward compare` for one instance; from the file where there is one."""
    kept: Path = arguments.out / f"{name.replace('/', '-')}.json"
    if not kept.exists():
        folder = bench / name
        domain_file = folder / "domain.pddl"
        hgn = domain_model(name.split("/", maxsplit=1)[0], domain_file, arguments.out, arguments.train_limit)
        methods = [f"hgn={hgn}" if m == "hgn" else m for m in METHODS if m != "hgn" or hgn]
        states = [folder / f"p{i + 1}.pddl" for i in range(arguments.states)]
        limits = ["--train-limit", f"{arguments.train_limit}s", "--time-limit", f"{arguments.time_limit}s"]
        options = ["--methods", ",".join(methods), *limits, "--memory-limit", "4G", "--json"]
        answer = run(["compare", domain_file, folder / "problem.pddl", *states, *options])
        kept.write_text(answer)
    result: dict[str, Any] = json.loads(kept.read_text())
    return result


def cell(answer: dict[str, Any], method: str) -> str:
    for entry in answer["methods"]:
        if entry["method"] == method:
            if entry["failure"]:
                return "failed"
            expanded = entry["median_expanded"]
            return f"{entry['solved']}/{entry['states']}" + (f" ({expanded:,.0f})" if expanded is not None else "")
    return "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked benchmark; default: ../shared/bench")
    parser.add_argument("--out", type=Path, required=True, help="folder for answers and models")
    parser.add_argument("--train-limit", type=float, default=60.0, help="seconds for each training")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds for each search")
    parser.add_argument("--states", type=int, default=3)
    arguments = parser.parse_args()
    bench = find_benchmark(arguments.bench)
    arguments.out.mkdir(parents=True, exist_ok=True)
    answers = []
    for name in INSTANCES:
        answers.append(measure(bench, name, arguments))
        print(f"finished {name}", file=sys.stderr, flush=True)
    print("solved (median expansions)\n")
    print(f"| method | {' | '.join(INSTANCES)} | all | training |\n|---|{'---|' * (len(INSTANCES) + 2)}")
    for method in METHODS:
        entries = [e for answer in answers for e in answer["methods"] if e["method"] == method]
        solved, tried = sum(e["solved"] for e in entries), sum(e["states"] for e in entries)
        times = [e["training_seconds"] for e in entries if e["training_seconds"] is not None]
        training = f"{mean(times):.0f} s" if times else "–"
        cells = [cell(answer, method) for answer in answers]
        print(f"| {method} | {' | '.join(cells)} | {solved}/{tried} | {training} |")


if __name__ == "__main__":
    main()
