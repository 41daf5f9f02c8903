"""``goalward improve``: make the plan of any planner cheaper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goalward import _core
from goalward.cli.console import print_json, say
from goalward.cli.limits import Limits
from goalward.cli.live import LiveFigures, spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import (  # fmt: skip
    FORCE,
    JSON,
    MEMORY_LIMIT,
    PLAN,
    PLAN_OUTPUT,
    TASK,
    command,
    flag,
    time_limit,
)
from goalward.cli.searching import CORES, ENDS_OF_IMPROVEMENT, describe_grounding
from goalward.cli.signals import Interrupt
from goalward.cli.validate import read_valid_plan
from goalward.measures import counted
from goalward.search.improve import ImprovedPlan, improve_plan
from goalward.search.starts import check_plan, initial_state
from goalward.task.grounding import ground
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import format_plan, write_text_atomically
from goalward.task.steps import find_operators
from goalward.task.validate import Validation


@command(
    *TASK,
    PLAN,
    PLAN_OUTPUT,
    time_limit("time limit for the whole command: 90s, 5m, 1h30m", default=10.0),
    MEMORY_LIMIT,
    flag(
        "--costs",
        help="what counts: steps, or the costs in the PDDL if it has any",
        choices=("unit", "pddl"),
        default="pddl",
    ),
    CORES,
    flag("--seed", help="random seed", default=0, low=0),
    FORCE,
    JSON,
)
def improve(
    domain: Path,
    problem: Path,
    plan: Path,
    output: Path | None,
    time_limit: float,
    memory_limit: int | None,
    costs: str,
    cores: int,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Make the plan of any planner cheaper. Ctrl-C keeps the best plan so far; plans are checked before and after."""
    limits = Limits.of_command(time_limit, memory_limit)
    if output is not None:
        check_output(output, [domain, problem, plan], force=force)
    loaded = limits.elapsed
    with spinner("grounding", not as_json), limits.enforce("reading and grounding the problem"):
        lifted_domain = read_domain(domain)
        lifted_problem = read_problem(problem, lifted_domain)
        steps, before = read_valid_plan(lifted_domain, lifted_problem, plan)
        start = initial_state(ground(lifted_domain, lifted_problem))
        task = start.task
        operators = find_operators(task, task.init, steps)
    if not as_json:
        say(describe_grounding(task, limits.elapsed - loaded))
    with Interrupt() as interrupt, LiveFigures(enabled=not as_json, interrupt=interrupt) as live:
        improved = improve_plan(
            task, operators, time_limit=limits.remaining, memory_limit=memory_limit,
            unit_costs=True if costs == "unit" else None, cores=cores, seed=seed, progress=live.improving,
        )  # fmt: skip
    check_plan(start, improved.steps)
    text = format_plan(improved.steps, improved.task.cost_of(improved.plan), not task.uses_costs)
    if output is not None:
        write_text_atomically(output, text)
    elif not as_json:
        say(text, nl=False)
    if as_json:
        print_json(_as_json(improved, before, limits))
    else:
        say("\n".join(_lines(improved, before, limits, output)))


def _lines(improved: ImprovedPlan, before: Validation, limits: Limits, output: Path | None) -> list[str]:
    length, better = counted(before.length, "step"), counted(len(improved.better), "better plan")
    return [
        ENDS_OF_IMPROVEMENT[improved.status],
        f"Plan length: {counted(improved.length, 'step')}.",
        f"Plan cost: {improved.task.cost_of(improved.plan)}",
        f"Before: {length}, cost {before.cost}; {better} found.",
        "Plan valid.",
        *([] if output is None else [f"Plan written to {output}"]),
        f"Improvement time: {improved.seconds:.6f}s",
        f"Total time: {limits.elapsed:.6f}s",
        f"Peak memory: {_core.peak_memory() // 1024} KB",
    ]


def _as_json(improved: ImprovedPlan, before: Validation, limits: Limits) -> dict[str, Any]:
    return {
        "status": improved.status.value,
        "plan": improved.steps,
        "plan_length": improved.length,
        "cost": improved.task.cost_of(improved.plan),
        "plan_length_before": before.length,
        "cost_before": before.cost,
        "valid": True,
        "better": [
            {"seconds": b.seconds, "plan_length": b.length, "cost": improved.task.cost_of(b.plan), "by": b.by}
            for b in improved.better
        ],
        "improvement_time": improved.seconds,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }
