"""``goalward validate``: check a plan file against the PDDL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goalward.errors import ExitCode
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import read_plan
from goalward.task.validate import validate_plan


def validate(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file", show_default=False)],
    plan: Annotated[Path, typer.Argument(help="plan file: one (action arg …) per line", show_default=False)],
) -> None:
    """Check a plan step by step on the PDDL itself, without grounding."""
    lifted = read_domain(domain)
    steps = read_plan(plan)
    verdict = validate_plan(lifted, read_problem(problem, lifted), [step for _, step in steps])
    if verdict.valid:
        typer.echo(f"Plan valid.\nPlan length: {verdict.length} step(s).\nPlan cost: {verdict.cost}")
        return
    line = f"{steps[(verdict.failed_step or len(steps)) - 1][0]}: " if steps else " "
    typer.echo(f"goalward: {plan}:{line}plan not valid: {verdict.reason}", err=True)
    raise typer.Exit(ExitCode.INVALID_PLAN)
