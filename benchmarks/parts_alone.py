"""Measures the contribution of the network: runs single parts of hybrid search, with and without it.

    python benchmarks/beside_lama.py --list mid --states 5 --train 60 --models models    # makes the models
    python benchmarks/parts_alone.py --list mid --states 5 --models models

By default the search with h_FF, landmarks and the network is compared with the same search without the network: states
solved, and expansions and CPU time on the states that both solve. ``goalward solve`` lets parts take turns and begins
with the one that was best after training; here no other part ever begins.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from common import LISTS, Lines, chosen, find_benchmark, find_instances
from goalward import load_model
from goalward.search import BoundHeuristic, SearchOptions, search
from goalward.search.portfolio import FORMER_LEADS, LEADS, Lead, current_lead
from goalward.task.states import StateReader
from goalward.task.strips import Ints


def search_by(part: Lead, heuristic: BoundHeuristic, init: Ints, limit: float) -> dict[str, float | None]:
    """Expansions, CPU seconds, and the length of the plan if there is one."""
    begun = time.process_time()
    options = SearchOptions("hybrid", lead=part, head_start=10 * limit)
    result = search(
        heuristic.task, heuristic, options, init=init, progress=lambda _: time.process_time() - begun < limit
    )
    seconds = time.process_time() - begun
    length = None if result.plan is None else len(result.plan)
    return {"length": length, "expanded": result.statistics.expanded, "seconds": seconds}


def summary(lines: Sequence[dict[str, dict[str, float]]], part: str, other: str) -> str:
    """The number of states that each part solves, and medians of ratios on common states."""
    solved = {name: sum(line[name]["length"] is not None for line in lines) for name in (part, other)}
    common = [line for line in lines if line[part]["length"] is not None and line[other]["length"] is not None]
    words = f"of {len(lines)} states {part} solves {solved[part]}, {other} {solved[other]}"
    if not common:
        return words
    ratios = {
        what: median(max(line[part][what], 1e-3) / max(line[other][what], 1e-3) for line in common)
        for what in ("expanded", "seconds", "length")
    }
    shown = ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items())
    return f"{words}; {part} / {other} on {len(common)} common ones, medians: {shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="folder of the unpacked benchmark")
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--states", type=int, default=5, help="p1 to pN of each instance")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of CPU time for each search")
    parser.add_argument("--models", type=Path, required=True, help="folder of the models of beside_lama.py")
    parser.add_argument("--part", type=current_lead, choices=LEADS, default="hybrid")
    parser.add_argument("--against", type=current_lead, choices=LEADS, default="landmarks")
    parser.add_argument("--out", type=Path, help="file for the results; an existing file is continued")
    options = parser.parse_args()
    everything = find_instances(find_benchmark(options.bench))
    lines, instances = Lines(options.out, FORMER_LEADS), chosen(everything, options.list)
    for instance in instances:
        states = [n for n in range(1, options.states + 1) if not lines.has(instance=instance.label, state=n)]
        if not states:
            continue
        path = options.models / instance.label.replace("/", "-") / "model.goalward"
        if not path.exists():
            sys.exit(f"No model of {instance.label} in {options.models}: beside_lama.py --models makes it.")
        model = load_model(path)
        heuristic = model.heuristic()
        reader = StateReader(heuristic.task)
        for state in states:
            init = reader.read(instance.state_file(state))
            found = {part: search_by(part, heuristic, init, options.limit) for part in (options.part, options.against)}
            lines.add({"instance": instance.label, "state": state, **found})
        of_it = [line for line in lines.all if line["instance"] == instance.label]
        print(f"{instance.label}: {summary(of_it, options.part, options.against)}", flush=True)
    choosing = {instance.label for instance in chosen(everything, "choose")}
    for half, inside in (("choosing", True), ("confirming", False)):
        of_it = [line for line in lines.all if (line["instance"] in choosing) == inside]
        print(f"{half} half: {summary(of_it, options.part, options.against)}")
    print(f"all: {summary(lines.all, options.part, options.against)}")


if __name__ == "__main__":
    main()
