"""What a model buys: cost of plans with it, over the cost of plans without it and of LAMA's, on the same states.

    python benchmarks/plan_quality.py --models DIR --list mid --states 5 --out quality.jsonl
    python benchmarks/plan_quality.py --models DIR --list mid --states 5 --seconds 5 --against plan,anytime,lama

``solve`` is what users get with a model: first plan and default improvement (``--seconds`` improves for longer).
``plan`` is the same without a model, ``anytime`` is ``goalward plan --anytime``, and ``lama`` is LAMA (``--alias
lama``), each after 30 s. Times are CPU time, grounding and loading left out. A model that is missing in DIR is
trained for ``--train`` seconds. Results go to a file line by line; a run that was cut short goes on where it stopped.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean, mean, median
from typing import Any

from common import LISTS, Instance, Lines, chosen, find_benchmark, find_instances, lama_plans_until, part_of, translate
from goalward import train
from goalward.search.learned import load_model
from goalward.search.planning import LearnedModel
from goalward.search.solving import WHILE_IT_PAYS, Improvement, Outcome, solve
from goalward.search.strategy import strategy_for
from goalward.task.grounding import ground_files

OPPONENTS = ("plan", "anytime", "lama")
SEARCH_LIMIT = 30.0


def model_of(instance: Instance, folder: Path, seconds: float, seed: int) -> LearnedModel:
    """The instance's model, trained now if it is not there yet."""
    file = folder / f"{instance.label.replace('/', '_')}_{seed}.goalward"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        task = ground_files(instance.domain_file, instance.problem_file)
        train(task, time_limit=seconds, seed=seed, progress=False).save(file)
    return load_model(file)


def ours(instance: Instance, state: int, model: LearnedModel, improve: Improvement, *, learned: bool) -> dict[str, Any]:
    """One state with the model or without it."""
    file = instance.state_file(state)
    start = model.start(file.read_text(), str(file))
    strategy = strategy_for(model if learned else None)
    bound = strategy.bind(start.task)
    begun = time.process_time()
    outcome = solve(start, bound, replace(strategy.options, time_limit=SEARCH_LIMIT * 2), improve=improve)
    return {"cost": outcome.cost, "first": _first(outcome), "seconds": time.process_time() - begun}


def _first(outcome: Outcome) -> int | None:
    return outcome.found.cost if outcome.solved else None


def lama(instance: Instance, state: int) -> dict[str, Any]:
    """All of LAMA for 30 s of CPU time of its search."""
    with tempfile.TemporaryDirectory() as folder:
        sas = Path(folder) / "task.sas"
        translate(instance.domain_file, instance.state_file(state), sas)
        plans = lama_plans_until(SEARCH_LIMIT, sas)
    return {"cost": plans[-1][1] if plans else None, "plans": plans}


def tables(lines: Sequence[dict[str, Any]], halves: dict[str, str]) -> Iterator[str]:
    """Ratios by instance, then their geometric means by half and by what training said of the network."""
    by_instance: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_instance.setdefault(line["instance"], []).append(line)
    opponents = [name for name in OPPONENTS if any(name in line for line in lines)]
    ratios: dict[str, dict[str, float]] = {}
    yield f"{'instance':44} share  solved  cost  seconds  " + "  ".join(f"/ {name}" for name in opponents)
    for instance, rows in by_instance.items():
        ratios[instance] = {name: ratio for name in opponents if (ratio := _ratio(rows, name)) is not None}
        solved = sum(row["solve"]["cost"] is not None for row in rows)
        costs = [row["solve"]["cost"] for row in rows if row["solve"]["cost"] is not None]
        shown = "  ".join(f"{ratios[instance].get(name, math.nan):.3f}" for name in opponents)
        seconds = median(row["solve"]["seconds"] for row in rows)
        figures = f"{rows[0]['share']:.2f} {solved:3}/{len(rows)} {mean(costs or [math.nan]):7.1f} {seconds:7.3f}"
        yield f"{instance:44} {figures}  {shown}"
    used = {instance for instance, rows in by_instance.items() if rows[0]["share"] > 0}
    groups = {"all": set(by_instance), "network used": used}
    groups |= {half: {i for i in by_instance if halves.get(i) == half} for half in ("choose", "report")}
    for group, members in groups.items():
        for name in opponents:
            values = [ratios[i][name] for i in members if name in ratios[i]]
            if values:
                over = f"{len(values)} instances, worst {max(values):.3f}"
                yield f"solve / {name}, {group}: {geometric_mean(values):.3f} ({over})"
    times = [line["solve"]["seconds"] for line in lines]
    yield f"seconds of solve for a state: {median(times):.3f} in the median, {mean(times):.3f} in the mean"


def _ratio(rows: Sequence[dict[str, Any]], opponent: str) -> float | None:
    """Geometric mean over the states that both solve."""
    both = [
        (row["solve"]["cost"], row[opponent]["cost"])
        for row in rows
        if opponent in row and row["solve"]["cost"] and row[opponent]["cost"]
    ]
    return geometric_mean([a / b for a, b in both]) if both else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True, help="folder of model files")
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--list", choices=LISTS, default="mid")
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N parts of the list")
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train", type=float, default=60.0, help="seconds")
    parser.add_argument("--seconds", type=float, help="of improvement by solve; default: as users get it")
    parser.add_argument("--against", default="plan", help=f"some of {','.join(OPPONENTS)}")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    instances = find_instances(find_benchmark(options.bench))
    halves = {i.label: name for name in ("choose", "report") for i in chosen(instances, name)}
    improve = WHILE_IT_PAYS if options.seconds is None else Improvement(options.seconds)
    lines = Lines(options.out)
    for instance in part_of(chosen(instances, options.list), options.part):
        model = None
        for state in range(1, options.states + 1):
            key = {"instance": instance.label, "state": state, "seed": options.seed}
            if lines.has(**key):
                continue
            model = model or model_of(instance, options.models, options.train, options.seed)
            line = key | {"share": model.info.get("network_share", math.nan), "use": model.info.get("likely_to_help")}
            line["solve"] = ours(instance, state, model, improve, learned=True)
            for opponent in options.against.split(","):
                if opponent == "plan":
                    line["plan"] = ours(instance, state, model, WHILE_IT_PAYS, learned=False)
                elif opponent == "anytime":
                    line["anytime"] = ours(instance, state, model, Improvement(SEARCH_LIMIT), learned=False)
                else:
                    line["lama"] = lama(instance, state)
            lines.add(line)
            shown = {name: line[name]["cost"] for name in ("solve", *OPPONENTS) if name in line}
            print(f"{instance.label} p{state}: {shown}, {line['solve']['seconds']:.3f} s", flush=True)
    print("\n".join(tables(lines.all, halves)))


if __name__ == "__main__":
    main()
