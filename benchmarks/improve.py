"""Measures the improvement of plans in four ways, each compared with a reference in the same run.

    python benchmarks/improve.py throughput               # states/s around a plan, beside plain breadth-first search
    python benchmarks/improve.py optimal                  # cost after improvement over the optimal cost, small tasks
    python benchmarks/improve.py lama-first               # what improvement makes of lama-first's own plans
    python benchmarks/improve.py full-lama --list report --states 1 --out full.jsonl   # after the same CPU time as LAMA

Times are CPU time; where improvement is short, effort is counted instead (a unit is about a nanosecond), so that the
figures are the same on a busy machine. ``full-lama`` gives all of LAMA (``--alias lama``) the time that our search and
improvement took together. Grounding and translating are not counted. With ``--out`` results go to a file line by line,
and a run that was cut short goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from common import (
    LISTS,
    Instance,
    Lines,
    chosen,
    fast_downward_log,
    find_benchmark,
    find_fast_downward,
    find_instances,
    lama_first,
    lama_plans_until,
    part_of,
    translate,
)
from goalward import _core, improve_plan
from goalward.search import SearchOptions, bind_heuristic, prepare, search
from goalward.task.domains import DOMAINS, generate
from goalward.task.grounding import ground, ground_files
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.packing import problem_for
from goalward.task.plan_file import read_plan
from goalward.task.states import StateReader
from goalward.task.steps import find_operators
from goalward.task.strips import Ints, Task

EFFORT_PER_SECOND = 1_000_000_000
NEIGHBOURHOOD_EFFORT = 300_000_000  # effort for the states around a plan
ASTAR_EXPANSIONS = 200_000
SEEDS = range(3)  # instances of each bundled domain

Result = dict[str, Any]


# --- states per second around a plan ---


def throughput(instance: Instance, state: int, _: argparse.Namespace) -> Result | None:
    """Generated states per CPU second: around a plan, and in breadth-first search from the same initial state."""
    task, init = ground_state(instance, state)
    plan = search(task, "ff", SearchOptions("portfolio", time_limit=60), init=init).plan
    if plan is None:
        return None
    problem, steps = problem_for(task, init), np.array(plan, dtype=np.int32)
    begun = time.process_time()
    generated = _core.neighbourhood_states(problem, init, steps, NEIGHBOURHOOD_EFFORT)
    around = generated / (time.process_time() - begun)
    bound = bind_heuristic(task, "blind")  # greedy search with it is breadth first
    options = SearchOptions("gbfs", expansion_limit=max(1, generated // max(1, len(task.applicable(init)))))
    prepare(bound, options, init)
    begun = time.process_time()
    found = search(task, bound, options, init=init)
    plain = found.statistics.generated / (time.process_time() - begun)
    return {"around": around, "breadth_first": plain, "ratio": around / plain}


# --- distance from the optimum ---


def optimal(bench: Path | None, lines: Lines) -> None:
    """Compare with optimal costs, on bundled domains and on the smallest public instances that A* with h_max solves."""
    for name in DOMAINS:
        for seed in SEEDS:
            instance = generate(name, seed=seed)
            domain = parse_domain(instance.domain_text, name)
            task = ground(domain, parse_problem(instance.problem_text, name, domain))
            _beside_optimal(f"{name}/bundled/{instance.problem_name}", 0, task, task.init, lines)
    if bench is not None:
        first: dict[str, Instance] = {}
        for i in find_instances(bench):
            first.setdefault(i.domain, i)
        for i in first.values():
            if not lines.has(instance=i.label, state=1):
                _beside_optimal(i.label, 1, *ground_state(i, 1), lines)


def _beside_optimal(label: str, state: int, task: Task, init: Ints, lines: Lines) -> None:
    if lines.has(instance=label, state=state):
        return
    best = search(task, "hmax", SearchOptions("astar", expansion_limit=ASTAR_EXPANSIONS), init=init)
    first = search(task, "ff", SearchOptions("portfolio"), init=init).plan
    if best.plan is None or first is None:
        lines.add({"instance": label, "state": state, "solved": False})
        return
    improved = improve_plan(task, first, init=init, effort_limit=EFFORT_PER_SECOND)
    lines.add(
        {
            "instance": label, "state": state, "solved": True, "first": improved.cost_before, "cost": improved.cost,
            "optimal": best.cost, "ratio": improved.cost / best.cost if best.cost else 1.0,
        }
    )  # fmt: skip
    print(f"{label}: {improved.cost_before} → {improved.cost}, optimal {best.cost}", flush=True)


# --- plans of lama-first ---


def lama_plans(instance: Instance, state: int, options: argparse.Namespace) -> Result | None:
    """The cost of a plan of lama-first, before and after improvement with several limits on effort."""
    with tempfile.TemporaryDirectory() as folder:
        sas = Path(folder) / "task.sas"
        translate(instance.domain_file, instance.state_file(state), sas)
        fast_downward_log(find_fast_downward(), sas, lama_first(options.limit)[-1])
        if not sas.with_suffix(".plan").exists():
            return None
        steps = [f"({' '.join(words)})" for _, words in read_plan(sas.with_suffix(".plan"))]
    task, init = ground_state(instance, state)
    improved = improve_plan(task, find_operators(task, init, steps), init=init, effort_limit=EFFORT_PER_SECOND)
    return {"first": improved.cost_before, "cost": improved.cost, "ratio": improved.cost / max(improved.cost_before, 1)}


# --- all of LAMA ---


def full_lama(instance: Instance, state: int, options: argparse.Namespace) -> Result:
    """The cost after search and improvement, and that of full LAMA after the same CPU time."""
    task, init = ground_state(instance, state)
    begun = time.process_time()
    found = search(
        task, "ff", SearchOptions("portfolio"), init=init,
        progress=lambda _: time.process_time() - begun < options.limit,
    )  # fmt: skip
    searched = time.process_time() - begun
    ours: Result = {"seconds": searched, "first": None, "cost": None}
    if found.plan is not None:
        improved = improve_plan(
            task, found.plan, init=init,
            progress=lambda _: time.process_time() - begun < searched + options.improve,
        )  # fmt: skip
        ours |= {"first": improved.cost_before, "cost": improved.cost, "end": improved.status.value}
    limit = searched + options.improve
    with tempfile.TemporaryDirectory() as folder:
        sas = Path(folder) / "task.sas"
        translate(instance.domain_file, instance.state_file(state), sas)
        plans = lama_plans_until(limit, sas)
    theirs = plans[-1][1] if plans else None
    ratio = ours["cost"] / theirs if ours["cost"] is not None and theirs else None
    return {"limit": limit, "goalward": ours, "lama": {"plans": plans, "cost": theirs}, "ratio": ratio}


# --- shared functions ---


def ground_state(instance: Instance, state: int) -> tuple[Task, Ints]:
    """Ground an instance; return its task and one of its initial states."""
    task = ground_files(instance.domain_file, instance.problem_file)
    return task, StateReader(task).read(instance.state_file(state))


Measure = Callable[[Instance, int, argparse.Namespace], "Result | None"]
MEASURES: dict[str, Measure] = {"throughput": throughput, "lama-first": lama_plans, "full-lama": full_lama}


def table(lines: Sequence[Result]) -> Iterator[str]:
    """The ratios of each measurement, by domain and over all."""
    by_domain: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        if line.get("ratio") is not None:
            by_domain[line["instance"].split("/")[0]].append(line["ratio"])
    yield "| domain | states | median | lowest | highest |"
    yield "|---|---|---|---|---|"
    everything = [ratio for ratios in by_domain.values() for ratio in ratios]
    for domain, ratios in [*sorted(by_domain.items()), ("all", everything)]:
        if ratios:
            yield f"| {domain} | {len(ratios)} | {median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"
    yield f"without a ratio: {sum(line.get('ratio') is None for line in lines)} of {len(lines)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=[*MEASURES, "optimal"])
    parser.add_argument("--bench", type=Path, help="the unpacked public benchmark")
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--states", type=int, default=1, help="p1 to pN of each instance")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of the list")
    parser.add_argument("--limit", type=float, default=30.0, help="CPU seconds for a search")
    parser.add_argument("--improve", type=float, default=10.0, help="CPU seconds of improvement, with full-lama")
    parser.add_argument("--out", type=Path, help="lines of results; an existing file is continued")
    options = parser.parse_args()
    lines = Lines(options.out)
    if options.measure == "optimal":
        optimal(options.bench, lines)
    else:
        measure = MEASURES[options.measure]
        for instance in part_of(chosen(find_instances(find_benchmark(options.bench)), options.list), options.part):
            for state in range(1, options.states + 1):
                if lines.has(instance=instance.label, state=state):
                    continue
                result = measure(instance, state, options) or {"ratio": None}
                lines.add({"instance": instance.label, "state": state} | result)
                print(f"{instance.label} p{state}: {result}", flush=True)
    print("\n".join(table(lines.all)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
