"""``goalward train-domain``: learn a heuristic for all problems of a domain from small problems."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from goalward.baselines.hgn_model import DomainModel, DomainOptions, save_domain_model
from goalward.cli.console import say
from goalward.cli.live import spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import DOMAIN, FORCE, MODEL_OUTPUT, argument, command, flags_of, given
from goalward.cli.signals import Interrupt
from goalward.cli.training_view import DomainView
from goalward.declared import own_first
from goalward.errors import UsageError
from goalward.extras import require_torch
from goalward.measures import counted, format_duration
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.strips import Task


@command(
    DOMAIN,
    argument("problems", "small PDDL problem files of the domain to learn from", nargs=-1, required=True),
    MODEL_OUTPUT,
    FORCE,
    *flags_of(own_first(DomainOptions), {}),
)
def train_domain(domain: Path, problems: tuple[Path, ...], output: Path, force: bool, **flags: str | None) -> None:
    """Learn a heuristic for a whole domain (STRIPS-HGN), for use with goalward plan --model.

    Ctrl-C while training keeps the best weights so far.
    """
    check_output(output, [domain, *problems], force=force)
    require_torch("goalward train-domain")
    options = DomainOptions.of("hgn", texts=given(flags))
    with spinner("grounding"):
        tasks = _ground_all(domain, problems)
    if not tasks:
        raise UsageError("none of the problems has a plan: use other problems")
    with spinner("loading PyTorch"):
        from goalward.baselines.hgn_training import train_domain  # noqa: PLC0415

    with Interrupt() as interrupt, DomainView([str(path) for path in tasks], options, interrupt) as view:
        model = train_domain(list(tasks.values()), options, view)
    save_domain_model(model, output)
    say(describe_training(model))
    say(f"Model written to {output}")


def _ground_all(domain: Path, problems: Iterable[Path]) -> dict[Path, Task]:
    """The tasks by file. All files are read before the first is grounded, so that errors are found early."""
    lifted = read_domain(domain)
    read = {path: read_problem(path, lifted) for path in problems}
    tasks = {}
    for path, problem in read.items():
        try:
            tasks[path] = ground(lifted, problem)
        except UnsolvableError as error:
            say(f"{error}; skipped", err=True)
    return tasks


def describe_training(model: DomainModel) -> str:
    """The result of training in a few lines."""
    info = model.info
    used = [problem for problem in info["problems"] if problem["states"]]
    error, unit = info["validation_loss"], "steps" if model.options.unit_costs else "cost"
    shown = "" if error is None else f", error {math.sqrt(error):.1f} {unit} on held-out states"
    return "\n".join(
        [
            f"Data: {counted(sum(problem['states'] for problem in used), 'state')} of {counted(len(used), 'problem')}, "
            f"{len(info['problems']) - len(used)} skipped",
            f"Training: {counted(len(info['curve']), 'epoch')} ({info['end']}){shown}",
            f"Training time: {format_duration(info['seconds'])}",
        ]
    )
