"""Compares goalward's searches with Fast Downward's lama-first on the public benchmark, in CPU time.

    python benchmarks/beside_lama.py --list all                         # plan --search portfolio, 75 instances, p1–p3
    python benchmarks/beside_lama.py --list mid --states 5 --train 60   # and with a model trained for 60 s
    python benchmarks/beside_lama.py --list all --table results.jsonl   # only the tables of an earlier run

Searches run one after the other, each in a separate process, so memory of both planners is measured in the same way.
The times do not include grounding and translating. Limits are CPU time of the search. goalward's search time includes
finding landmarks; Fast Downward's does not: successor generators, relaxed operators and landmarks are in its set-up
time. Results are written line by line, so an interrupted run can be continued.

With ``--train`` there are three more rows: ``hybrid`` is hybrid search with the model, ``solve`` is the default of
``goalward solve`` (without the model if training found it useless), and ``network`` is greedy search with only the
network, with three widths that take turns, for ``--alone`` seconds. Training is limited by CPU time, too. At the end is
the number of states after which training pays.

With ``--improve``, goalward's plans are improved twice: for the default time of ``goalward plan``, and for the given
number of seconds. ``--theirs`` takes lama-first's results from the file of an earlier run.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from common import (
    LISTS,
    Instance,
    Lines,
    chosen,
    find_benchmark,
    find_fast_downward,
    find_instances,
    lama_first,
    number_after,
    part_of,
    read_lines,
    resident_memory,
    run_metered,
    translate,
)
from goalward import load_model
from goalward.experiments.cost_over_time import Curve, break_even
from goalward.search import bind_heuristic, prepare, search
from goalward.search.improve import Improver
from goalward.search.solving import DEFAULT_IMPROVEMENT
from goalward.search.strategy import NetworkUse, default_search, network_use, strategy_for
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader
from goalward.task.store import load_task, save_task

SEARCHING, THEIR_MARK = "searching", "Conducting lazy best first search"
MIN_STORED = 20_000  # stored states from which memory per state is computed
OURS = ("portfolio", "hybrid", "solve", "network")
FORMER_NAMES = {"goalward-lama": "portfolio"}  # in the files of earlier runs


class Comparison:
    """Runs all searches on the states of one instance."""

    def __init__(self, instance: Instance, folder: Path, options: argparse.Namespace) -> None:
        self.instance, self.options = instance, options
        self.theirs = Lines(options.theirs).all
        self.folder = folder / instance.label.replace("/", "-")
        self.folder.mkdir(exist_ok=True, parents=True)
        self.task_file, self.model = self.folder / "task", self.folder / "model.goalward"
        if not self.task_file.exists():
            save_task(ground_files(instance.domain_file, instance.problem_file), self.task_file)

    def results(self, state: int) -> dict[str, Any]:
        """The results of all searches from one state."""
        line: dict[str, Any] = {"instance": self.instance.label, "state": state}
        known = [line for line in self.theirs if (line["instance"], line["state"]) == (self.instance.label, state)]
        line["lama-first"] = known[0]["lama-first"] if known else self._theirs(state)
        line["portfolio"] = self._ours(state, "portfolio")
        if self.options.train:
            line["model"] = self._trained()
            line["hybrid"] = line["solve"] = self._ours(state, "hybrid")
            if not line["model"]["of_use"]:  # then goalward solve does not use it
                line["solve"] = self._ours(state, "solve")
            line["network"] = self._ours(state, "gbfs", self.options.alone)
        return line

    def _trained(self) -> dict[str, Any]:
        """The verdict of training on the model, which is trained with the defaults of ``goalward train`` if needed."""
        if not self.model.exists():
            words = [self.task_file, self.model, self.options.train, *self.options.set]
            subprocess.run([sys.executable, __file__, "--trainer", *map(str, words)], check=True)
        model = load_model(self.model)
        known = {
            name: model.info.get(name) for name in ("seconds", "network_use", "lead", "head_start", "end", "notes")
        }
        return known | {"of_use": network_use(model.info) in (NetworkUse.SEARCH, None)}

    def _ours(self, state: int, algorithm: str, limit: float | None = None) -> dict[str, Any]:
        source = self.task_file if algorithm == "portfolio" else self.model
        settings = [limit or self.options.limit, self.options.improve or 0]
        files = [source, self.instance.state_file(state)]
        run = run_metered(
            [sys.executable, __file__, "--worker", algorithm, *map(str, files), *map(str, settings)], SEARCHING
        )
        result = json.loads(run.log.splitlines()[-1])
        return result | {"growth": result.pop("peak") - run.before}  # without the improvement of plans

    def _theirs(self, state: int) -> dict[str, Any]:
        sas, plan = self.folder / "task.sas", self.folder / "lama.plan"
        plan.unlink(missing_ok=True)
        translate(self.instance.domain_file, self.instance.state_file(state), sas)
        limit = ["--internal-plan-file", plan]
        run = run_metered([find_fast_downward(), *lama_first(self.options.limit), *limit], THEIR_MARK, stdin=sas)
        solved = plan.exists()
        return {
            "solved": solved,
            "seconds": (seconds := number_after("] Search time:", run.log)),
            "setup": number_after("] Total time:", run.log) - seconds,
            "expanded": int(number_after("] Expanded", run.log)),
            "stored": int(number_after("Number of registered states:", run.log)),
            "length": int(number_after("Plan length:", run.log)) if solved else None,
            "cost": int(number_after("Plan cost:", run.log)) if solved else None,
            "growth": run.growth,
        }


def trainer(task_file: str, model_file: str, seconds: str, *settings: str) -> None:
    """Train in a separate process whose clock is CPU time."""
    from goalward.learning.methods import make_options, train_with  # noqa: PLC0415 - loads PyTorch

    time.monotonic = time.process_time  # type: ignore[assignment]  # the clock of training
    texts = dict(setting.split("=", 1) for setting in settings)
    train_with(load_task(task_file), "n-rsl", make_options("n-rsl", {"time_limit": float(seconds)}, texts)).save(
        model_file
    )


def worker(algorithm: str, source: str, state_file: str, limit: str, improvement: str) -> None:
    """Run one of goalward's searches in a separate process."""
    if algorithm == "portfolio":
        task, options = load_task(source), default_search(learned=False)
        heuristic = bind_heuristic(task, "ff", unit_costs=options.counts_steps)
    else:
        model = load_model(source)
        task, strategy = model.task, strategy_for(model, algorithm=None if algorithm == "solve" else algorithm)
        heuristic, options = strategy.bind(task), strategy.options
    init = StateReader(task).read(state_file)
    begun = time.process_time()
    prepare(heuristic, options, init)
    setup = time.process_time() - begun
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # so that the search does not reuse memory freed by loading
    print(SEARCHING, flush=True)
    time.sleep(0.1)  # for the measurement of memory to start
    begun = time.process_time()
    result = search(task, heuristic, options, init=init, progress=lambda _: time.process_time() - begun < float(limit))
    seconds = time.process_time() - begun
    peak = resident_memory(os.getpid(), highest=True)
    statistics = result.statistics
    report: dict[str, Any] = {
        "solved": result.solved,
        "seconds": seconds,
        "setup": setup,
        "expanded": statistics.expanded,
        "stored": statistics.stored,
        "bytes": statistics.bytes,
        "peak": peak,
        "led_by": statistics.led_by,
        "length": result.length,
        "cost": result.cost,
    }
    if result.solved and float(improvement):
        improver, plan = Improver(task, heuristic=heuristic), result.plan or ()
        begun = time.process_time()
        report["cost_by_default"] = improver.improve(plan, init=init, **DEFAULT_IMPROVEMENT.limits(seconds, None)).cost
        report["improved_for"] = time.process_time() - begun
        report["cost_at_last"] = improver.improve(plan, init=init, time_limit=float(improvement)).cost
    print(json.dumps(report), flush=True)


# --- tables ---


def tables(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Coverage, time, plan cost and memory of goalward's searches and of lama-first."""
    ours = [name for name in OURS if any(name in line for line in lines)]
    by_domain: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        by_domain[line["instance"].split("/")[0]].append(line)
    yield "| domain | states | lama-first | " + " | ".join(ours) + " |"
    yield "|---|---|---|" + "---|" * len(ours)
    for domain, rows in [*sorted(by_domain.items()), ("all", list(lines))]:
        counts = [sum(row[name]["solved"] for row in rows if name in row) for name in ("lama-first", *ours)]
        yield f"| {domain} | {len(rows)} | " + " | ".join(map(str, counts)) + " |"
    for name in ours:
        common = [line for line in lines if name in line and line[name]["solved"] and line["lama-first"]["solved"]]
        yield ""
        yield f"{name} / lama-first on the {len(common)} states that both solve:"
        yield from _ratios(name, common, by_domain)
    if "solve" in ours:
        yield from _effect_of_learning(lines)


MEASURES = (("expansions", "expanded", 1), ("time", "seconds", 0.001), ("cost", "cost", 1))


def _ratio(row: dict[str, Any], ours: str, other: str, part: str, minimum: float) -> float:
    return float(max(row[ours][part], minimum) / max(row[other][part], minimum))


def _effect_of_learning(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Compare searches with and without the model, and compute the break-even point of training."""
    yield ""
    both = [line for line in lines if line["hybrid"]["solved"] and line["portfolio"]["solved"]]
    asked = [line for line in both if line["hybrid"]["expanded"] != line["portfolio"]["expanded"]]
    for what, rows in (("", both), (", and otherwise than without it", asked)):
        if rows:
            parts = [
                f"{name} {median(_ratio(row, 'hybrid', 'portfolio', part, minimum) for row in rows):.2f}"
                for name, part, minimum in MEASURES
            ]
            yield f"hybrid / portfolio on the {len(rows)} states that both solve{what}, medians: {', '.join(parts)}"
    by_instance: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        by_instance[line["instance"]].append(line)
    for label, rows in by_instance.items():
        pairs = [(_curve(row["solve"]), _curve(row["lama-first"])) for row in rows]
        found = break_even("lama-first", rows[0]["model"]["seconds"], pairs, as_good=False)
        if found is not None:
            yield f"{label}: {found.text}"


def _curve(run: dict[str, Any]) -> Curve:
    return Curve(((run["seconds"], run["cost"]),) if run["solved"] else (), run["seconds"])


def _ratios(name: str, common: list[dict[str, Any]], by_domain: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    def times(rows: list[dict[str, Any]], *parts: str) -> list[float]:
        floor = 0.001  # seconds; the resolution of Fast Downward's log
        seconds = [[max(sum(row[who][part] for part in parts), floor) for who in (name, "lama-first")] for row in rows]
        return [ours / theirs for ours, theirs in seconds]

    if not common:
        return
    searches = times(common, "seconds")
    yield f"search time: median {median(searches):.2f}, geometric mean {geometric_mean(searches):.2f}"
    if all("setup" in row[who] for row in common for who in (name, "lama-first")):
        both = times(common, "seconds", "setup")
        yield f"with set-up: median {median(both):.2f}, geometric mean {geometric_mean(both):.2f}"
    expanded = [max(row[name]["expanded"], 1) / max(row["lama-first"]["expanded"], 1) for row in common]
    yield f"expansions: median {median(expanded):.2f}, geometric mean {geometric_mean(expanded):.2f}"
    for what in ("cost", "cost_by_default", "cost_at_last"):
        found = [row for row in common if row[name].get(what) is not None and row["lama-first"]["cost"]]
        if found:
            parts = [
                f"{domain} {median(row[name][what] / row['lama-first']['cost'] for row in rows):.2f}"
                for domain, all_rows in sorted(by_domain.items())
                if (rows := [row for row in all_rows if row in found])
            ]
            middle = median(row[name][what] / row["lama-first"]["cost"] for row in found)
            yield f"{what.replace('_', ' ')}: median {middle:.2f} ({', '.join(parts)})"
    large = [row for row in common if min(row[name]["stored"], row["lama-first"]["stored"]) >= MIN_STORED]
    if large:
        growth = [
            row[name]["growth"] / row[name]["stored"] / (row["lama-first"]["growth"] / row["lama-first"]["stored"])
            for row in large
        ]
        yield f"memory per stored state, {len(large)} states: median {median(growth):.2f}, highest {max(growth):.2f}"


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
        return
    if sys.argv[1:2] == ["--trainer"]:
        trainer(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="folder of the unpacked public benchmark")
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--states", type=int, default=3, help="p1 to pN of each instance")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of CPU time for each search")
    parser.add_argument("--train", type=float, help="train a model for this many seconds, and run hybrid search too")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of training")
    parser.add_argument("--alone", type=float, default=10.0, help="seconds for the search with only the network")
    parser.add_argument("--models", type=Path, help="keep models and tasks in this folder")
    parser.add_argument("--theirs", type=Path, help="file with earlier results of lama-first to use")
    parser.add_argument("--improve", type=float, help="improve plans for this many seconds")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="run only the K-th of N parts of the list")
    parser.add_argument("--out", type=Path, help="file for the results; an existing file is continued")
    parser.add_argument("--table", type=Path, nargs="+", help="only print the tables of these files")
    options = parser.parse_args()
    if options.table:
        lines = [line for file in options.table for line in read_lines(file, FORMER_NAMES)]
        instances = {i.label for i in chosen(find_instances(find_benchmark(options.bench)), options.list)}
        print("\n".join(tables([line for line in lines if line["instance"] in instances])))
        return
    instances = part_of(chosen(find_instances(find_benchmark(options.bench)), options.list), options.part)
    lines = Lines(options.out, FORMER_NAMES)
    with tempfile.TemporaryDirectory() as scratch:
        for instance in instances:
            states = [n for n in range(1, options.states + 1) if not lines.has(instance=instance.label, state=n)]
            comparison = Comparison(instance, options.models or Path(scratch), options) if states else None
            for state in states:
                assert comparison is not None
                line = comparison.results(state)
                lines.add(line)
                shown = ", ".join(f"{name} {_shown(line[name])}" for name in ("lama-first", *OURS) if name in line)
                print(f"{instance.label} p{state}: {shown}", flush=True)
    print("\n".join(tables(lines.all)))


def _shown(result: dict[str, Any]) -> str:
    if not result["solved"]:
        return f"none in {result['seconds']:.1f}s"
    costs = [result["cost"], *(result[name] for name in ("cost_by_default", "cost_at_last") if name in result)]
    return f"{result['seconds']:.2f}s, cost {' → '.join(f'{cost:g}' if math.isfinite(cost) else '-' for cost in costs)}"


if __name__ == "__main__":
    main()
