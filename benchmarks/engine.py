"""Tests goalward as an engine of unified-planning: its test cases, and many initial states against Fast Downward.

    python benchmarks/engine.py cases       # of unified-planning's examples and PDDL: admitted, solved, valid
    python benchmarks/engine.py replanner   # 50 states of a bundled problem: our Replanner, a OneshotPlanner of theirs

``cases`` validates every plan with unified-planning's own validator. ``replanner`` gives both engines the same problems
and the same timeout; times are wall-clock time around the calls, learning is printed apart.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

import unified_planning
from unified_planning.engines.results import POSITIVE_OUTCOMES, PlanGenerationResult
from unified_planning.io import PDDLReader
from unified_planning.model import FNode, Problem
from unified_planning.shortcuts import OneshotPlanner, PlanValidator, Replanner, get_environment
from unified_planning.test.examples import get_example_problems

from goalward.task.domains import generate
from goalward.task.states import random_walk_states
from goalward.up import GoalwardEngine
from goalward.up.translation import Translation

PDDL = Path(unified_planning.__file__).parent / "test" / "pddl"


def their_problems() -> dict[str, tuple[Problem, bool]]:
    """The examples and PDDL files of unified-planning's own tests, and whether each has a plan."""
    found = {name: (case.problem, case.solvable) for name, case in get_example_problems().items()}
    for domain in sorted(PDDL.glob("*/domain.pddl")):
        for problem in sorted(domain.parent.glob("problem*.pddl")):
            found[f"{domain.parent.name}/{problem.name}"] = PDDLReader().parse_problem(str(domain), str(problem)), True
    return found


def cases(timeout: float) -> None:
    problems = their_problems()
    admitted = {name: one for name, one in problems.items() if GoalwardEngine.supports(one[0].kind)}
    solved = proven = valid = 0
    with OneshotPlanner(name="goalward") as planner, PlanValidator(name="sequential_plan_validator") as validator:
        for name, (problem, solvable) in admitted.items():
            result = planner.solve(problem, timeout=timeout)
            solved += result.plan is not None
            proven += result.status.name == "UNSOLVABLE_PROVEN"
            valid += result.plan is not None and bool(validator.validate(problem, result.plan))
            if (result.plan is not None) != solvable:
                print(f"{name}: {result.status.name}, though a plan {'exists' if solvable else 'does not exist'}")
    for kind, is_pddl in (("examples", False), ("PDDL problems", True)):
        of_kind = [name for name in problems if ("/" in name) == is_pddl]
        print(f"{len(of_kind)} {kind}, {sum(name in admitted for name in of_kind)} admitted")
    print(f"{solved} solved, {valid} plans valid by unified-planning's validator, {proven} proven unsolvable")


def states_of(problem: Problem, n: int, steps: int) -> list[dict[FNode, bool]]:
    """The values of the changing fluents in states at the ends of random walks."""
    task = Translation(problem).ground()
    fluents = {}
    for atom in task.atoms:
        if not atom.startswith("(not "):
            name, *objects = atom[1:-1].split()
            fluents[atom] = problem.fluent(name)(*map(problem.object, objects))
    walked = (set(task.state_names(state)) for state in random_walk_states(task, n, steps, seed=7))
    return [{fluent: atom in true for atom, fluent in fluents.items()} for true in walked]


def replanner(domain: str, sizes: dict[str, int], n: int, train: str, timeout: float) -> None:
    """Compare a Replanner of goalward, which learns once, with a OneshotPlanner of Fast Downward."""
    instance = generate(domain, seed=1, **sizes)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "domain.pddl").write_text(instance.domain_text)
        (Path(folder) / "problem.pddl").write_text(instance.problem_text)
        problem = PDDLReader().parse_problem(f"{folder}/domain.pddl", f"{folder}/problem.pddl")
    states = states_of(problem, n, 200)
    print(f"{instance.problem_name}, {n} states, {timeout:g} s for each")

    begun = time.perf_counter()
    ours = []
    with Replanner(problem, name="goalward", params={"learn": "up front", "train_limit": train}) as planner:
        learned = time.perf_counter() - begun
        for values in states:
            for fluent, value in values.items():
                planner.update_initial_value(fluent, value)
            ours.append(answer(lambda: planner.resolve(timeout=timeout)))
    theirs = []
    with OneshotPlanner(name="fast-downward", params={"fast_downward_alias": "lama-first"}) as planner:
        for values in states:
            present = problem.clone()
            for fluent, value in values.items():
                present.set_initial_value(fluent, value)
            theirs.append(answer(lambda present=present: planner.solve(present, timeout=timeout)))
    show("Replanner of goalward", ours)
    show("OneshotPlanner of Fast Downward, lama-first", theirs)
    print(f"learning took {learned:.1f} s", end="")
    saved = mean(seconds for seconds, _ in theirs) - mean(seconds for seconds, _ in ours)
    print(f"; it pays after {int(learned / saved) + 1} states" if saved > 0 else "; it does not pay")


def answer(call: Callable[[], PlanGenerationResult]) -> tuple[float, int | None]:
    """Measure a call: seconds, and the length of the plan or None."""
    begun = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - begun
    return seconds, len(result.plan.actions) if result.status in POSITIVE_OUTCOMES else None


def show(name: str, answers: list[tuple[float, int | None]]) -> None:
    lengths = [length for _, length in answers if length is not None]
    seconds = [second for second, _ in answers]
    steps = f"{median(lengths):g} steps" if lengths else "no plans"
    print(f"{name}: {len(lengths)} of {len(answers)} solved, median {median(seconds):.3f} s, "
          f"mean {mean(seconds):.3f} s, maximum {max(seconds):.2f} s, median {steps}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cases", "replanner"])
    parser.add_argument("--domain", default="blocks")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", help="size of the problem")
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--train", default="30s")
    parser.add_argument("--timeout", type=float, default=10.0)
    options = parser.parse_args()
    environment = get_environment()
    environment.credits_stream = None
    environment.factory.add_engine("goalward", "goalward.up", "GoalwardEngine")
    warnings.simplefilter("ignore")
    if options.what == "cases":
        cases(options.timeout)
    else:
        sizes = {name: int(value) for name, value in (text.split("=") for text in options.set)}
        replanner(options.domain, sizes or {"n": 14}, options.states, options.train, options.timeout)


if __name__ == "__main__":
    main()
