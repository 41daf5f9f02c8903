"""Cost of plans with a model over the cost of plans without it and of LAMA's plans, on the same states.

    python benchmarks/plan_quality.py --models DIR --list mid --states 5 --seeds 3 --out quality.jsonl
    python benchmarks/plan_quality.py --models DIR --list mid --sides solve,solve5,anytime,lama --out quality.jsonl
    python benchmarks/plan_quality.py --models DIR --list mid --judge --out again.jsonl

The sides, each on every state:

    solve     as users get it with a model: first plan and default improvement
    solve5    the same, with improvement for 5 s
    plan      as users get it without a model
    anytime   ``goalward plan --anytime`` for 30 s
    lama      LAMA (``--alias lama``) for 30 s

With ``--judge``, models get new verdicts by the present code. Times are CPU time, grounding and loading left out;
training is counted in CPU time, too, so that other work on the machine does not change much. Models missing in DIR are
trained for ``--train`` seconds, one for each seed. Results go to a file line by line; a run that was cut short goes on
where it stopped.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from common import LISTS, Instance, Lines, chosen, find_benchmark, find_instances, lama_plans_until, part_of, translate
from goalward.experiments.cost_over_time import Curve, break_even
from goalward.learning.budget import SHARES, Budget
from goalward.learning.methods import make_options, train_with
from goalward.learning.selection import judge
from goalward.learning.validation import validation_states
from goalward.search.learned import load_model
from goalward.search.planning import LearnedModel
from goalward.search.solving import DEFAULT_IMPROVEMENT, Improvement, solve
from goalward.search.starts import Start
from goalward.search.strategy import strategy_for
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader
from goalward.task.strips import Task

LEARNED = {"solve": DEFAULT_IMPROVEMENT, "solve5": Improvement(5.0)}
OTHERS = {"plan": DEFAULT_IMPROVEMENT, "anytime": Improvement(30.0), "lama": None}
SEARCH_LIMIT = 60.0


@cache
def ground(instance: Instance) -> Task:
    return ground_files(instance.domain_file, instance.problem_file)


def model_file(instance: Instance, folder: Path, seed: int) -> Path:
    return folder / f"{instance.label.replace('/', '_')}_{seed}.goalward"


@cache
def model_of(instance: Instance, folder: Path, seconds: float, seed: int, *, again: bool) -> LearnedModel:
    """The instance's model, trained now if it is missing; with a new verdict if it is to be judged again."""
    file = model_file(instance, folder, seed)
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        options = make_options("n-rsl", {"time_limit": seconds, "seed": seed})
        train_with(ground(instance), "n-rsl", options, clock=time.process_time).save(file)
    model = load_model(file)
    if again:
        judge_again(model)
    return model


def judge_again(model: LearnedModel) -> None:
    """Replace the verdict of a model by one of the present code, in the time that it had then."""
    options = model.info["options"]
    states = validation_states(model.task, options["validation_states"], options["seed"])
    budget = Budget((1 - SHARES["training"]) * options["time_limit"], clock=time.process_time)
    verdict = judge(model.heuristic(), states, options["validation_seconds"], budget)
    model.info.update(verdict.info() if verdict else {})


def ours(instance: Instance, state: int, model: LearnedModel | None, improve: Improvement) -> dict[str, Any]:
    """One state, with a model or without one."""
    file = instance.state_file(state)
    if model is not None:
        start = model.start(file.read_text(), str(file))
    else:
        start = Start(ground(instance), StateReader(ground(instance)).read(file))
    strategy = strategy_for(model)
    bound = strategy.bind(start.task)
    begun = time.process_time()
    outcome = solve(start, bound, replace(strategy.options, time_limit=SEARCH_LIMIT), improve=improve)
    seconds = time.process_time() - begun
    first = outcome.found.cost if outcome.solved else None
    plans = [(outcome.search_time, first), *((at, cost) for at, cost, _ in outcome.better_plans)]
    return {"cost": outcome.cost, "first": first, "seconds": seconds, "plans": plans if outcome.solved else []}


def lama(instance: Instance, state: int) -> dict[str, Any]:
    """All of LAMA for 30 s of CPU time of its search."""
    with tempfile.TemporaryDirectory() as folder:
        sas = Path(folder) / "task.sas"
        translate(instance.domain_file, instance.state_file(state), sas)
        plans = lama_plans_until(30.0, sas)
    return {"cost": plans[-1][1] if plans else None, "seconds": 30.0, "plans": plans}


def run(lines: Lines, instances: Sequence[Instance], options: argparse.Namespace) -> None:
    """Measure and append the lines that are missing."""
    for instance in instances:
        for side in options.sides.split(","):
            for seed in range(options.seeds) if side in LEARNED else [None]:
                for state in range(1, options.states + 1):
                    key = {"instance": instance.label, "state": state, "side": side, "seed": seed}
                    if lines.has(**key):
                        continue
                    line: dict[str, Any] = dict(key)
                    if side == "lama":
                        line |= lama(instance, state)
                    elif side in LEARNED:
                        model = model_of(instance, options.models, options.train, seed, again=options.judge)
                        names = ("network_use", "network_share", "lead", "cost_ratio", "seconds")
                        line["verdict"] = {name: model.info.get(name) for name in names}
                        line |= ours(instance, state, model, LEARNED[side])
                    else:
                        line |= ours(instance, state, None, OTHERS[side])
                    lines.add(line)
                    print(
                        f"{instance.label} p{state} {side} {seed}: {line['cost']}, {line['seconds']:.3f} s", flush=True
                    )


class Results:
    """Lines by instance, side, state and seed."""

    def __init__(self, lines: Sequence[dict[str, Any]]) -> None:
        self.by_key = {(line["instance"], line["side"], line["state"], line["seed"]): line for line in lines}
        self.instances = list(dict.fromkeys(line["instance"] for line in lines))
        self.lines = lines

    def pairs(self, instance: str, side: str, other: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Lines of a side with a model, each with that of another side from the same state."""
        for (of, its_side, state, _), line in self.by_key.items():
            theirs = self.by_key.get((instance, other, state, None))
            if (of, its_side) == (instance, side) and theirs is not None:
                yield line, theirs

    def ratio(self, instance: str, side: str, other: str) -> float:
        """Geometric mean over states that both solve; not a number if there are none."""
        ratios = [a["cost"] / b["cost"] for a, b in self.pairs(instance, side, other) if a["cost"] and b["cost"]]
        return geometric_mean(ratios) if ratios else math.nan

    def break_even(self, instance: str, other: str) -> int | None:
        """States after which training pays, against plans as good from the other side; None if it does not."""
        pairs = list(self.pairs(instance, "solve", other))
        training = [line["verdict"]["seconds"] for line, _ in pairs]
        curves = [(_curve(line), _curve(theirs)) for line, theirs in pairs]
        found = break_even(other, sum(training) / max(len(training), 1), curves, as_good=True)
        return found.states if found else None

    def of(self, instance: str, side: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if (line["instance"], line["side"]) == (instance, side)]


def _curve(line: dict[str, Any]) -> Curve:
    return Curve(tuple((at, cost) for at, cost in line["plans"]), line["seconds"])


def _use(verdict: dict[str, Any]) -> str:
    """The part that leads if the network is used in the search, otherwise what it is used for."""
    return str(verdict["lead"] if verdict["network_use"] == "search" else verdict["network_use"])


def _mean_cost(rows: Sequence[dict[str, Any]]) -> float:
    costs = [row["cost"] for row in rows if row["cost"] is not None]
    return sum(costs) / len(costs) if costs else math.nan


def tables(results: Results, halves: dict[str, str]) -> Iterator[str]:
    """Ratios by instance, then their geometric means by half and by what training said of the network."""
    sides = list(dict.fromkeys(line["side"] for line in results.lines))
    compared = [(side, other) for side in LEARNED if side in sides for other in OTHERS if other in sides]
    headings = (
        f"{'instance':44} {'half':6} {'network used for':36} {'solved':>6} {'seconds':>7} {'cost':>8} {'plan':>8}  "
    )
    yield headings + "  ".join(f"{a}/{b}" for a, b in compared)
    used = set()
    for instance in results.instances:
        rows = results.of(instance, "solve")
        if not rows:
            continue
        uses = [row["verdict"]["network_use"] for row in rows if row["state"] == 1]
        if sum(use in {"search", "improvement"} for use in uses) * 2 > len(uses):
            used.add(instance)
        said = " ".join(_use(row["verdict"]) for row in rows if row["state"] == 1)
        solved = sum(row["cost"] is not None for row in rows)
        ratios = "  ".join(f"{results.ratio(instance, *pair):11.3f}" for pair in compared)
        seconds = median(row["seconds"] for row in rows)
        cost, plan = (_mean_cost(each) for each in (rows, results.of(instance, "plan")))
        figures = f"{solved:3}/{len(rows)} {seconds:7.3f} {cost:8.1f} {plan:8.1f}"
        yield f"{instance:44} {halves.get(instance, ''):6} {said:36} {figures}  {ratios}"
    groups = {"all": set(results.instances), "network used": used}
    groups |= {half: {i for i in results.instances if halves.get(i) == half} for half in ("choose", "report")}
    for pair in compared:
        for group, members in groups.items():
            values = [ratio for i in members if not math.isnan(ratio := results.ratio(i, *pair))]
            if values:
                over = f"{len(values)} instances, {min(values):.3f} to {max(values):.3f}"
                yield f"{pair[0]} / {pair[1]}, {group}: {geometric_mean(values):.3f} ({over})"
    for other in OTHERS:
        if "solve" in sides and other in sides:
            states = {instance: results.break_even(instance, other) for instance in results.instances}
            shown = ", ".join(f"{instance.split('/')[-1]} {count}" for instance, count in states.items())
            few = sum(count is not None and count <= 10 for count in states.values())
            yield f"break-even against plans as good from {other}: at most 10 states on {few} instances ({shown})"
    for side in sides:
        times = [line["seconds"] for line in results.lines if line["side"] == side]
        solved = sum(line["cost"] is not None for line in results.lines if line["side"] == side)
        yield f"{side}: {solved} of {len(times)} states, {median(times):.3f} s in the median"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True, help="folder of model files")
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--only", default="", help="only instances whose label contains one of these, with commas")
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N parts of the list")
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--train", type=float, default=60.0, help="seconds of CPU time")
    parser.add_argument("--judge", action="store_true", help="judge the models again, instead of what their files say")
    parser.add_argument("--sides", default="solve,plan", help=f"some of {','.join([*LEARNED, *OTHERS])}")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", nargs="*", type=Path, help="run nothing; a table of the results in these files")
    options = parser.parse_args()
    instances = find_instances(find_benchmark(options.bench))
    halves = {i.label: name for name in ("choose", "report") for i in chosen(instances, name)}
    if options.table is not None:
        print("\n".join(tables(Results([line for file in options.table for line in Lines(file).all]), halves)))
        return
    lines = Lines(options.out)
    words = options.only.split(",")
    wanted = [i for i in chosen(instances, options.list) if any(word in i.label for word in words)]
    run(lines, part_of(wanted, options.part), options)
    print("\n".join(tables(Results(lines.all), halves)))


if __name__ == "__main__":
    main()
