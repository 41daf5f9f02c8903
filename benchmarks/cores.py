"""Measures the speed-up of a search on several cores, on the public benchmark.

States whose search takes more than 0.1 s of CPU time on one core are searched on one core and on several in turn, in
one process. Every search must find a plan, and all searches on the same number of cores must find the same one.
Printed for each state and in the median: the ratio of wall-clock times, which tells something on idle cores only, and a
ratio of counted effort, which does not depend on the load. The latter is what several cores cannot divide (an equal
share of the effort of all parts, or the effort of one part if that is more) over the effort of all parts on one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from common import LISTS, chosen, find_benchmark, find_instances
from goalward.search import BoundHeuristic, SearchOptions, SearchResult, bind_heuristic, search
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader
from goalward.task.strips import Ints

MIN_CPU_SECONDS = 0.1


def find_states(options: argparse.Namespace) -> Iterator[tuple[str, BoundHeuristic, Ints]]:
    """States of the chosen instances, each with h_FF bound to its task."""
    for instance in chosen(find_instances(find_benchmark(options.bench)), options.instances):
        task = ground_files(instance.domain_file, instance.problem_file)
        reader, bound = StateReader(task), bind_heuristic(task, "ff")
        for number in range(1, options.states + 1):
            yield f"{instance.label} p{number}", bound, reader.read(instance.state_file(number))


def effort(result: SearchResult, cores: int) -> float:
    """The lower bound of the effort on ``cores`` cores if none of them ever waits."""
    of_parts = [effort for _, effort in result.statistics.effort_by_part]
    return max(sum(of_parts) / cores, *of_parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="folder of the public benchmark")
    parser.add_argument("--instances", choices=LISTS, default="choose")
    parser.add_argument("--states", type=int, default=1, help="number of states of each instance")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3, help="number of searches of each kind; the median is used")
    parser.add_argument("--time-limit", type=float, default=30)
    options = parser.parse_args()

    one = SearchOptions("portfolio", time_limit=options.time_limit)
    several = replace(one, cores=options.cores)
    ratios: list[tuple[float, float]] = []
    passed_over = 0
    for label, bound, state in find_states(options):
        begun = time.process_time()
        first = search(bound.task, bound, one, init=state)
        if not first.solved or time.process_time() - begun < MIN_CPU_SECONDS:
            passed_over += 1
            continue
        pairs = [
            (search(bound.task, bound, one, init=state), search(bound.task, bound, several, init=state))
            for _ in range(options.repeat)
        ]
        for cores, results in zip((1, options.cores), zip(*pairs, strict=True), strict=True):
            if not all(result.solved for result in results):
                raise SystemExit(
                    f"{label}: not every search on {cores} cores found a plan within {options.time_limit} s"
                )
            if len({result.plan for result in results}) > 1:
                raise SystemExit(f"{label}: searches on {cores} cores found different plans")
        seconds = [median(result.statistics.seconds for result in results) for results in zip(*pairs, strict=True)]
        on_one, on_several = pairs[0]
        of_effort = effort(on_several, options.cores) / effort(on_one, 1)
        ratios.append((seconds[1] / seconds[0], of_effort))
        print(
            f"{label}: {seconds[0]:.3f} s on one core, {seconds[1]:.3f} s on {options.cores}: "
            f"{ratios[-1][0]:.2f} of the time, {of_effort:.2f} of the effort",
            flush=True,
        )
    print(f"{len(ratios)} states; {passed_over} others took less than {MIN_CPU_SECONDS} s or were not solved")
    if ratios:
        of_time, of_effort = (median(values) for values in zip(*ratios, strict=True))
        print(f"Median: {of_time:.2f} of the time, {of_effort:.2f} of the effort")


if __name__ == "__main__":
    main()
