"""Compares speed and memory of GBFS with h_FF with Fast Downward's on the public benchmark.

Speed: evaluations per second of CPU time of the search itself, on the first moderate instance of each domain. The two
planners take turns; the median of the repetitions counts. Where a search is over too soon to be timed, those from
further states are added to it, and where ten of them are, the next instance is taken.

Memory: growth of resident memory during the search, per stored state, measured from outside in the same way for both.
It means something only where there are many states, so other states and instances of the domain are tried until both
planners store enough.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import gc
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

from common import (
    Instance,
    MeteredRun,
    find_benchmark,
    find_fast_downward,
    find_instances,
    number_after,
    run_metered,
    translate,
)
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.grounding import ground_files
from goalward.task.packing import native_problem
from goalward.task.states import StateReader
from goalward.task.store import load_task, save_task

MIN_SECONDS = 0.2  # shorter searches are not timed one by one
MIN_TOTAL_SECONDS = 1.0  # of searches that are added up
MAX_STATES = 10  # p1 … p10
MIN_STORED = 50_000  # stored states from which memory per state is computed
OURS, THEIRS = "goalward", "Fast Downward"
MARKS = {OURS: "searching", THEIRS: "Conducting best first search"}


@dataclass(frozen=True)
class Measurement:
    """One search by one planner."""

    evaluations: int
    seconds: float
    stored: int
    packed_bytes: int
    growth: int

    @property
    def bytes_per_state(self) -> float:
        return self.growth / self.stored


class Comparison:
    """Runs both planners on states of one instance; everything but search is prepared once."""

    def __init__(self, instance: Instance, folder: Path, limit: float) -> None:
        self.instance = instance
        self.limit = limit
        self.folder = folder / instance.label.replace("/", "-")
        self.folder.mkdir(exist_ok=True)
        self.task_file = self.folder / "task"
        if not self.task_file.exists():
            save_task(ground_files(instance.domain_file, instance.problem_file), self.task_file)

    def run(self, planner: str, state: int) -> Measurement:
        return self._ours(state) if planner == OURS else self._theirs(state)

    def _ours(self, state: int) -> Measurement:
        state_file = self.instance.state_file(state)
        command = [sys.executable, __file__, "--worker", self.task_file, state_file, str(self.limit)]
        run = run_metered(command, MARKS[OURS])
        return Measurement(**json.loads(run.log.splitlines()[-1]), growth=run.growth)

    def _theirs(self, state: int) -> Measurement:
        sas = self.folder / f"p{state}.sas"
        if not sas.exists():
            translate(self.instance.domain_file, self.instance.state_file(state), sas)
        greedy = f"let(h,eval_modify_costs(ff(),cost_type=one),eager_greedy([h],cost_type=one,max_time={self.limit}))"
        command = [find_fast_downward(), "--search", greedy, "--internal-plan-file", sas.with_suffix(".plan")]
        return self._read_log(run_metered(command, MARKS[THEIRS], stdin=sas))

    @staticmethod
    def _read_log(run: MeteredRun) -> Measurement:
        return Measurement(
            evaluations=int(number_after("Evaluations:", run.log)),
            seconds=number_after("] Search time:", run.log),
            stored=int(number_after("Number of registered states:", run.log)),
            packed_bytes=int(number_after("Bytes per state:", run.log)),
            growth=run.growth,
        )


def worker(task_file: str, state_file: str, limit: str) -> None:
    """Run one search of goalward in a separate process."""
    task = load_task(task_file)
    state = StateReader(task).read(state_file)
    heuristic = bind_heuristic(task, "ff")
    heuristic.value(state)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # so that the search does not reuse memory freed by loading
    print(MARKS[OURS], flush=True)
    time.sleep(0.1)  # for the measurement of memory to start
    start = time.process_time()
    statistics = search(task, heuristic, SearchOptions(time_limit=float(limit)), init=state).statistics
    seconds = time.process_time() - start
    report = {
        "evaluations": statistics.evaluated,
        "seconds": seconds,
        "stored": statistics.stored,
        "packed_bytes": native_problem(task, whole=False).state_bytes,
    }
    print(json.dumps(report), flush=True)


# --- speed ---


@dataclass(frozen=True)
class Speed:
    """Evaluations per second of both planners on one instance, summed over some states."""

    instance: str
    states: int
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def measure_speed(comparisons: Iterable[Comparison], repetitions: int) -> Speed:
    """Median rates on the first instance with searches long enough to time; the planners alternate."""
    for comparison in comparisons:
        total = dict.fromkeys(MARKS, 0.0)
        n_states = 0
        while n_states < MAX_STATES and min(total.values()) < (MIN_SECONDS if n_states < 2 else MIN_TOTAL_SECONDS):
            n_states += 1
            for planner in MARKS:
                total[planner] += comparison.run(planner, n_states).seconds
        if min(total.values()) >= MIN_SECONDS:
            break
    rates: dict[str, list[float]] = {planner: [] for planner in MARKS}
    for _ in range(repetitions):
        for planner in MARKS:
            runs = [comparison.run(planner, number) for number in range(1, n_states + 1)]
            rates[planner].append(sum(run.evaluations for run in runs) / sum(run.seconds for run in runs))
    return Speed(comparison.instance.label, n_states, median(rates[OURS]), median(rates[THEIRS]))


# --- memory ---


@dataclass(frozen=True)
class Memory:
    """Bytes per stored state of both planners on one state: resident memory, and packed states only."""

    instance: str
    state: int
    ours_stored: int
    theirs_stored: int
    ours: float
    theirs: float
    ours_packed: int
    theirs_packed: int

    @property
    def enough(self) -> bool:
        return min(self.ours_stored, self.theirs_stored) >= MIN_STORED

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def measure_memory(comparisons: Iterable[Comparison], repetitions: int) -> Memory:
    """Memory on the first state from which both planners store enough states, or on the state with the most."""
    best: Memory | None = None
    for comparison in comparisons:
        for state in (1, 2):
            found = _memory_of(comparison, state, 1)
            if found.enough:
                return _memory_of(comparison, state, repetitions)
            if best is None or min(found.ours_stored, found.theirs_stored) > min(best.ours_stored, best.theirs_stored):
                best = found
    assert best is not None
    return best


def _memory_of(comparison: Comparison, state: int, repetitions: int) -> Memory:
    runs: dict[str, list[Measurement]] = {planner: [] for planner in MARKS}
    for _ in range(repetitions):
        for planner in MARKS:
            runs[planner].append(comparison.run(planner, state))
    ours, theirs = runs[OURS], runs[THEIRS]
    return Memory(
        comparison.instance.label,
        state,
        min(run.stored for run in ours),
        min(run.stored for run in theirs),
        median(run.bytes_per_state for run in ours),
        median(run.bytes_per_state for run in theirs),
        ours[0].packed_bytes,
        theirs[0].packed_bytes,
    )


# --- the tables ---


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="unpacked benchmark (default: unpack ../shared/bench)")
    parser.add_argument("--out", type=Path, help="also write the tables to this CSV file")
    parser.add_argument("--limit", type=float, default=20, help="seconds per search (default: 20)")
    parser.add_argument("--repetitions", type=int, default=3, help="repetitions of every measurement (default: 3)")
    parser.add_argument("--only", default="", help="only domains whose name contains this")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(*arguments.worker)
        return
    find_fast_downward()
    instances = [i for i in find_instances(find_benchmark(arguments.bench)) if arguments.only in i.domain]
    domains = list(dict.fromkeys(instance.domain for instance in instances))
    speeds, memories = [], []
    with tempfile.TemporaryDirectory() as folder:
        print(f"GBFS with h_FF, unit costs, {arguments.limit:g} s per search, {arguments.repetitions} repetitions")
        print(f"\n{'evaluations per second':<52}{'states':>7}{OURS:>15}{THEIRS:>15}{'ratio':>8}")
        for domain in domains:
            moderate = [i for i in instances if i.domain == domain and i.difficulty == "moderate"]
            comparisons = (Comparison(instance, Path(folder), arguments.limit) for instance in moderate)
            speed = measure_speed(comparisons, arguments.repetitions)
            speeds.append(speed)
            print(
                f"{speed.instance:<52}{speed.states:>7}{speed.ours:>15,.0f}{speed.theirs:>15,.0f}{speed.ratio:>8.2f}",
                flush=True,
            )
        print(f"{'median':<89}{median(speed.ratio for speed in speeds):>8.2f}")
        print(f"\n{'bytes per stored state (packed)':<52}{'stored':>20}{OURS:>15}{THEIRS:>15}{'ratio':>8}")
        for domain in domains:
            mine = [instance for instance in instances if instance.domain == domain]
            comparisons = (Comparison(instance, Path(folder), arguments.limit) for instance in _candidates(mine))
            memory = measure_memory(comparisons, arguments.repetitions)
            memories.append(memory)
            print(_memory_line(memory), flush=True)
    meaningful = [memory.ratio for memory in memories if memory.enough]
    middle = f"{median(meaningful):>8.2f}" if meaningful else "none"
    print(f"{f'median of the {len(meaningful)} with enough states':<102}{middle}")
    if arguments.out:
        _write(arguments.out, speeds, memories)


def _candidates(instances: list[Instance]) -> list[Instance]:
    """Instances to try, in order: the first moderate one, the first three hard ones, the last moderate one."""
    moderate = [instance for instance in instances if instance.difficulty == "moderate"]
    hard = [instance for instance in instances if instance.difficulty == "hard"]
    return list(dict.fromkeys([*moderate[:1], *hard[:3], *moderate[-1:]]))


def _memory_line(memory: Memory) -> str:
    stored = f"{memory.ours_stored:,}/{memory.theirs_stored:,}"
    name = f"{memory.instance}/p{memory.state}"
    packed = f"{name:<52}{stored:>20}"
    if not memory.enough:
        return f"{packed}   too few states (packed: {memory.ours_packed} and {memory.theirs_packed} bytes)"
    ours, theirs = f"{memory.ours:.1f} ({memory.ours_packed})", f"{memory.theirs:.1f} ({memory.theirs_packed})"
    return f"{packed}{ours:>15}{theirs:>15}{memory.ratio:>8.2f}"


def _write(path: Path, speeds: list[Speed], memories: list[Memory]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        for rows, kind in ((speeds, Speed), (memories, Memory)):
            writer.writerow([field.name for field in fields(kind)])
            writer.writerows(asdict(row).values() for row in rows)


if __name__ == "__main__":
    main()
