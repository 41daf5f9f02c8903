"""``goalward walk``: create initial states by random walks and write them as problem files."""

from __future__ import annotations

from pathlib import Path

from goalward.cli.console import say
from goalward.cli.live import spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import FORCE, TASK, command, flag, path_flag
from goalward.measures import counted
from goalward.task.grounding import ground_files
from goalward.task.plan_file import write_text_atomically
from goalward.task.states import format_problem, random_walk_states

MAX_STATES, MAX_STEPS = 1_000_000, 1_000_000_000


@command(
    *TASK,
    path_flag("--output", "-o", help="folder for p1.pddl, p2.pddl, …", required=True),
    flag("--states", help="number of states", default=50, low=1, high=MAX_STATES),
    flag("--steps", help="length of each walk", default=200, low=0, high=MAX_STEPS),
    flag("--seed", help="same seed, same states", default=0, low=0),
    FORCE,
)
def walk(domain: Path, problem: Path, output: Path, states: int, steps: int, seed: int, force: bool) -> None:
    """Write the end states of uniform random walks from the problem's initial state."""
    files = [output / f"p{number}.pddl" for number in range(1, states + 1)]
    if output.is_dir():
        for file in files:
            if file.exists():
                check_output(file, [domain, problem], force=force)
    with spinner("grounding"):
        task = ground_files(domain, problem)
    ends = random_walk_states(task, states, steps, seed)
    output.mkdir(parents=True, exist_ok=True)
    for i, (file, state) in enumerate(zip(files, ends, strict=True), start=1):
        write_text_atomically(file, format_problem(task, state, f"{task.problem_name}-walk-{i}"))
    solved = sum(task.is_goal(state) for state in ends)
    distinct = len({state.tobytes() for state in ends})
    say(f"{counted(states, 'state')} ({distinct} distinct, {solved} of them goal states) in {output}")
