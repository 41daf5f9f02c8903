"""Solve one bundled instance from several initial states and check every plan: what `make demo` shows."""

from rich.console import Console
from rich.table import Table

from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import format_problem, random_walk_states
from goalward.task.validate import validate_plan

STATES = 8


def main() -> None:
    """Generate, ground once, walk to other initial states, solve each, validate each plan."""
    console = Console(highlight=False)
    instance = generate("delivery", seed=1, size=6)
    domain = parse_domain(instance.domain_text, "domain.pddl")
    task = ground(domain, parse_problem(instance.problem_text, "problem.pddl", domain))
    console.print(f"{instance.problem_name}: {task.n_atoms} atoms, {task.n_operators} operators, grounded once\n")

    heuristic = bind_heuristic(task, "ff")
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("initial state", "status", "steps", "expanded", "evaluations/s", "time", "plan checked on the PDDL"):
        table.add_column(name, justify="left" if name in {"initial state", "status"} else "right")
    walks = random_walk_states(task, STATES - 1, steps=200, seed=0)
    for i, state in enumerate([task.init, *walks]):
        result = search(task, heuristic, SearchOptions(time_limit=30), init=state)
        problem = parse_problem(format_problem(task, state, f"state-{i}"), f"state-{i}", domain)
        verdict = validate_plan(domain, problem, [tuple(step[1:-1].split()) for step in result.steps])
        table.add_row(
            "the problem's own" if i == 0 else f"random walk {i}",
            result.status.value,
            str(result.length),
            str(result.statistics.expanded),
            f"{result.statistics.evaluated / result.statistics.seconds:,.0f}",
            f"{result.statistics.seconds:.3f} s",
            "valid" if result.solved and verdict.valid else f"NOT VALID: {verdict.reason}",
        )
    console.print(table)
    console.print("\nNext: goalward generate, goalward plan, goalward walk, goalward validate, goalward inspect (--help)")


if __name__ == "__main__":
    main()
