"""Compares goalcount, h_add and h_max with Fast Downward's on the first states of every public benchmark instance.

The task is grounded once per instance, from ``problem.pddl``, and the states are read onto it; Fast Downward translates
every state afresh. Where GBFS with h_FF finds a plan soon, the plan is checked against the PDDL. Finished states are
kept in a CSV file, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import math
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from common import Instance, fast_downward_log, find_benchmark, find_fast_downward, find_instances, translate
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.grounding import ground_files
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.states import StateReader, to_bits
from goalward.task.validate import validate_plan

OURS_AND_THEIRS = {
    "goalcount": "goalcount()",
    "add": "eval_modify_costs(add(),cost_type=one)",
    "hmax": "eval_modify_costs(hmax(),cost_type=one)",
}


@dataclass(frozen=True)
class Row:
    """One state: the values of both planners, and the result of GBFS with h_FF."""

    instance: str
    state: int
    goalcount: float
    fd_goalcount: float
    add: float
    fd_add: float
    hmax: float
    fd_hmax: float
    plan: str

    @classmethod
    def of(cls, texts: dict[str, str]) -> Row:
        kinds = {"instance": str, "state": int, "plan": str}
        return cls(**{field.name: kinds.get(field.name, float)(texts[field.name]) for field in fields(cls)})

    def equal(self, name: str) -> bool:
        return getattr(self, name) == getattr(self, f"fd_{name}")

    @property
    def all_equal(self) -> bool:
        return all(self.equal(name) for name in OURS_AND_THEIRS)

    def __str__(self) -> str:
        values = "  ".join(
            f"{name} {getattr(self, name):g} {'=' if self.equal(name) else '≠'} {getattr(self, f'fd_{name}'):g}"
            for name in OURS_AND_THEIRS
        )
        return f"p{self.state}: {values}  plan {self.plan}"


def compare(instance: Instance, states: list[int], plan_seconds: float) -> list[Row]:
    """Compute both planners' values for some states of one instance."""
    task = ground_files(instance.domain_file, instance.problem_file)
    domain = read_domain(instance.domain_file)
    reader = StateReader(task)
    heuristics = {name: bind_heuristic(task, name) for name in OURS_AND_THEIRS}
    rows = []
    for number in states:
        path = instance.state_file(number)
        state = reader.read(path)
        bits = to_bits([state], task.n_atoms)
        ours = {name: float(heuristic.evaluate(bits)[0]) for name, heuristic in heuristics.items()}
        theirs = {f"fd_{name}": value for name, value in fast_downward_values(instance.domain_file, path).items()}
        result = search(task, "ff", SearchOptions(time_limit=plan_seconds), init=state)
        plan = result.status.value
        if result.solved:
            steps = [tuple(step[1:-1].split()) for step in result.steps]
            verdict = validate_plan(domain, read_problem(path, domain), steps)
            plan = f"valid ({result.length} steps)" if verdict.valid else f"INVALID ({verdict.reason})"
        rows.append(Row(instance.label, number, **ours, **theirs, plan=plan))
    return rows


def fast_downward_values(domain: Path, problem: Path) -> dict[str, float]:
    """Fast Downward's initial heuristic values, with unit costs."""
    with tempfile.TemporaryDirectory() as folder:
        sas = Path(folder) / "task.sas"
        translate(domain, problem, sas)
        evaluators = ",".join(OURS_AND_THEIRS.values())
        log = fast_downward_log(find_fast_downward(), sas, f"eager_greedy([{evaluators}],cost_type=one,max_time=0)")
    values = dict.fromkeys(OURS_AND_THEIRS, math.nan)
    for line in log.splitlines():
        name, colon, value = line.partition("Initial heuristic value for ")[2].partition(": ")
        if colon:
            values[name] = math.inf if value.startswith("inf") else float(value)
    return values


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="unpacked benchmark (default: unpack ../shared/bench)")
    default_out = Path(tempfile.gettempdir()) / "goalward-heuristic-values.csv"
    parser.add_argument("--out", type=Path, default=default_out, help=f"CSV file (default: {default_out})")
    parser.add_argument("--states", type=int, default=3, help="states per instance (default: 3)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--plan-seconds", type=float, default=2, help="limit of GBFS with h_FF (default: 2)")
    parser.add_argument("--only", default="", help="only instances whose DOMAIN/DIFFICULTY/NAME contains this")
    arguments = parser.parse_args()
    find_fast_downward()
    instances = [i for i in find_instances(find_benchmark(arguments.bench)) if arguments.only in i.label]
    rows = {(row.instance, row.state): row for row in _finished(arguments.out)}
    _write_header(arguments.out)
    wanted = [(i.label, number) for i in instances for number in range(1, arguments.states + 1)]
    failed: list[str] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        pending = {}
        for instance in instances:
            missing = [number for label, number in wanted if label == instance.label and (label, number) not in rows]
            if missing:
                pending[pool.submit(compare, instance, missing, arguments.plan_seconds)] = instance.label
        for future in as_completed(pending):
            if error := future.exception():
                failed.append(f"{pending[future]}: {type(error).__name__}: {error}")
                continue
            for row in future.result():
                rows[row.instance, row.state] = row
                with arguments.out.open("a", newline="") as file:
                    csv.DictWriter(file, _columns()).writerow(asdict(row))
            print(f"finished {pending[future]}", flush=True)
    return _report([rows[key] for key in wanted if key in rows], failed)


def _columns() -> list[str]:
    return [field.name for field in fields(Row)]


def _finished(path: Path) -> Iterator[Row]:
    if path.exists():
        with path.open(newline="") as file:
            yield from map(Row.of, csv.DictReader(file))


def _write_header(path: Path) -> None:
    if not path.exists() or path.stat().st_size == 0:
        with path.open("w", newline="") as file:
            csv.DictWriter(file, _columns()).writeheader()


def _report(rows: list[Row], failed: list[str]) -> int:
    """Print one line per instance and a summary; return the number of wrong states and failed instances."""
    for instance in dict.fromkeys(row.instance for row in rows):
        print(f"{instance}  " + "  |  ".join(str(row) for row in rows if row.instance == instance))
    print()
    for name in OURS_AND_THEIRS:
        print(f"{name}: {sum(row.equal(name) for row in rows)} of {len(rows)} equal")
    equal = sum(row.all_equal for row in rows)
    solved = [row for row in rows if "valid" in row.plan.lower()]
    invalid = [row for row in solved if row.plan.startswith("INVALID")]
    print(f"{equal} of {len(rows)} equal in all heuristics")
    print(f"{len(solved)} of {len(rows)} solved within the limit, {len(solved) - len(invalid)} plans valid")
    for line in failed:
        print(f"FAILED {line}")
    return len(rows) - equal + len(invalid) + len(failed)


if __name__ == "__main__":
    raise SystemExit(min(main(), 1))
