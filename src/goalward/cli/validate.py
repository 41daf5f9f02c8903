"""``goalward validate``: check a plan file against the PDDL."""

from __future__ import annotations

from pathlib import Path

from goalward.cli.console import say
from goalward.cli.parameters import PLAN, TASK, command
from goalward.errors import InvalidPlanError
from goalward.measures import counted
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import read_plan
from goalward.task.validate import Validation, validate_plan


@command(*TASK, PLAN)
def validate(domain: Path, problem: Path, plan: Path) -> None:
    """Check a plan step by step on the PDDL itself, without grounding."""
    lifted = read_domain(domain)
    _, verdict = read_valid_plan(lifted, read_problem(problem, lifted), plan)
    say(f"Plan valid.\nPlan length: {counted(verdict.length, 'step')}.\nPlan cost: {verdict.cost}")


def read_valid_plan(domain: Domain, problem: Problem, path: Path) -> tuple[list[str], Validation]:
    """The steps of a plan file, ``(action object …)``, and the verdict; InvalidPlanError if it is not valid."""
    steps = read_plan(path)
    verdict = validate_plan(domain, problem, [words for _, words in steps])
    if not verdict.valid:
        line = steps[(verdict.failed_step or len(steps)) - 1][0] if steps else None
        raise InvalidPlanError(verdict.reason, path, line)
    return [f"({' '.join(words)})" for _, words in steps], verdict
