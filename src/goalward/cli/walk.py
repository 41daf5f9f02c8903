"""``goalward walk``: make initial states by random walk and write them as problem files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goalward.cli.console import say
from goalward.cli.live import spinner
from goalward.task.grounding import ground_files
from goalward.task.plan_file import write_text_atomically
from goalward.task.states import format_problem, random_walk_states

MOST_STATES, MOST_STEPS = 1_000_000, 1_000_000_000


def walk(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="folder for p1.pddl, p2.pddl, …", show_default=False)],
    states: Annotated[int, typer.Option(help="how many states", min=1, max=MOST_STATES)] = 50,
    steps: Annotated[int, typer.Option(help="length of each walk", min=0, max=MOST_STEPS)] = 200,
    seed: Annotated[int, typer.Option(help="same seed, same states", min=0)] = 0,
) -> None:
    """Write the end states of uniform random walks from the problem's initial state."""
    with spinner("grounding"):
        task = ground_files(domain, problem)
    ends = random_walk_states(task, states, steps, seed)
    output.mkdir(parents=True, exist_ok=True)
    for i, state in enumerate(ends, start=1):
        write_text_atomically(output / f"p{i}.pddl", format_problem(task, state, f"{task.problem_name}-walk-{i}"))
    solved = sum(task.is_goal(state) for state in ends)
    distinct = len({state.tobytes() for state in ends})
    say(f"{states} states ({distinct} distinct, {solved} of them goal states) in {output}")
