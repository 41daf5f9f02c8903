"""Generates small problems of a public domain for `goalward train-domain`; the benchmark has none that small.

For domains that a bundled one equals but for its words, problems are generated and renamed.

    python benchmarks/small_problems.py FOLDER/blocks/hard/probBLOCKS-18-4/domain.pddl blocks -o small/blocks
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from goalward.task.domains import generate

# Public domain → the bundled domain, its names in the public one, and sizes of small instances.
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
SEEDS = 4


def small_problems(domain: str, domain_file: Path, folder: Path) -> list[Path]:
    """Write small instances with the names of a public domain; return their paths."""
    bundled, words, sizes = RENAMED[domain]
    found = re.search(r"\(domain\s+([^\s)]+)", domain_file.read_text())
    assert found
    paths = []
    for size in sizes:
        for seed in range(SEEDS):
            text = generate(bundled, seed=seed, **size).problem_text
            for ours, theirs in words.items():
                text = re.sub(rf"(?<![\w-]){re.escape(ours)}(?![\w-])", theirs, text)
            text = text.replace(f"(:domain {bundled})", f"(:domain {found[1]})")
            paths.append(folder / f"{domain}-{'-'.join(map(str, size.values()))}-{seed}.pddl")
            paths[-1].write_text(text)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain_file", type=Path, help="domain.pddl of the public domain")
    parser.add_argument("domain", choices=RENAMED, help="its folder in the benchmark")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder for the problems")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in small_problems(arguments.domain, arguments.domain_file, arguments.out):
        print(path)


if __name__ == "__main__":
    main()
