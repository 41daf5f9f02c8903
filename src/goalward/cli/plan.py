"""``goalward plan``: find a plan for one problem."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from goalward.cli.anytime import DEFAULT_NAME, PlanSeries
from goalward.cli.console import print_json, say
from goalward.cli.limits import Limits
from goalward.cli.live import LiveFigures, spinner
from goalward.cli.plan_output import ENDS_OF_IMPROVEMENT, EXIT_CODES, early_end_as_json, plan_as_json, report
from goalward.cli.search_flags import CORES, IMPROVE, parse_improvement, search_flag
from goalward.cli.signals import Interrupt
from goalward.errors import LimitError, UsageError
from goalward.measures import format_batches, parse_batches, parse_duration, parse_size
from goalward.search import (
    HEURISTICS,
    TURNS,
    Algorithm,
    BoundHeuristic,
    ImprovedPlan,
    Statistics,
    bind_heuristic,
    prepare,
)
from goalward.search.heuristics import check_heuristic
from goalward.search.learned import load_model
from goalward.search.solving import UNTIL_THE_END, solve
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import default_search
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import check_writable, write_text_atomically


def plan(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file", show_default=False)],
    heuristic: Annotated[
        str | None,
        typer.Option(
            "--heuristic",
            "-H",
            metavar="|".join(HEURISTICS),
            help="; ".join(f"{h.name}: {h.summary}" for h in HEURISTICS.values()) + "  [default: ff]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="use this learned model as the heuristic; the problem must be a state of its task, or any problem of "
            "the domain if goalward train-domain made it"
        ),
    ] = None,
    message_steps: Annotated[
        int | None,
        typer.Option(help="message-passing steps of a model of a domain; default: as in training", show_default=False),
    ] = None,
    algorithm: Annotated[
        str | None,
        search_flag("  [default: portfolio; gbfs with --heuristic, hybrid with --model]"),
    ] = None,
    weight: Annotated[float, typer.Option(help="w of weighted A*")] = 5.0,
    costs: Annotated[
        Literal["unit", "pddl"] | None,
        typer.Option(help="what search counts; default: pddl for astar and wastar, otherwise unit", show_default=False),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(parser=parse_duration, metavar="DURATION", help="for the whole command: 90s, 5m, 1h30m"),
    ] = None,
    memory_limit: Annotated[
        int | None, typer.Option(parser=parse_size, metavar="SIZE", help="of the process: 512M, 4G")
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N…]",
            help="expand this many of the best states at once, 1 is plain search; several: greedy searches take turns"
            f"  [default: {format_batches(TURNS)} with a model, otherwise 1]",
            show_default=False,
        ),
    ] = None,
    improve: Annotated[str | None, IMPROVE] = None,
    cores: Annotated[int, CORES] = 1,
    anytime: Annotated[
        bool,
        typer.Option(
            "--anytime",
            help="go on looking for better plans until the time limit or Ctrl-C, and write each to a file of its own: "
            f"OUTPUT.1, OUTPUT.2, …; {DEFAULT_NAME}.1, … without --output",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="write the plan to this file instead of printing it")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
) -> None:
    """Find a plan and check it before reporting it."""
    limits = Limits.of_command(time_limit, memory_limit)
    if model is not None and heuristic is not None:
        raise UsageError("a model is a heuristic itself: give --model or --heuristic, not both")
    if message_steps is not None and model is None:
        raise UsageError("--message-steps goes with --model and a model made by goalward train-domain")
    name = check_heuristic("ff" if heuristic is None else heuristic)
    if anytime and improve is not None:
        raise UsageError("--anytime improves plans until the time limit: give it or --improve, not both")
    series = PlanSeries(output or DEFAULT_NAME, quiet=as_json) if anytime else None
    if output is not None and not anytime:
        check_writable(output)
    improvement = UNTIL_THE_END if anytime else parse_improvement(improve)
    if algorithm is None and heuristic is not None:
        algorithm = "gbfs"
    options = default_search(
        learned=model is not None,
        algorithm=cast(Algorithm | None, algorithm),
        batch=None if batch is None else parse_batches(batch),
    )
    options = replace(options, weight=weight, unit_costs=None if costs is None else costs == "unit", cores=cores)
    loaded = limits.elapsed
    try:
        with spinner("grounding", not as_json), limits.enforce("reading and grounding the problem"):
            lifted_domain = read_domain(domain)
            lifted_problem = read_problem(problem, lifted_domain)
            if model is None:
                start = initial_state(ground(lifted_domain, lifted_problem))
                bound = bind_heuristic(start.task, name, unit_costs=options.counts_steps)
            else:
                start, bound = _bind_model(model, lifted_domain, lifted_problem, message_steps)
            prepare(bound, options, start.atoms)  # what search needs is built here, where the clock can stop it
    except (UnsolvableError, LimitError) as error:
        if as_json:
            print_json(early_end_as_json(error, limits))
            raise typer.Exit(error.exit_code) from None
        raise
    task = start.task
    if not as_json:
        say(f"Task: {task.n_atoms} atoms, {task.n_operators} operators, grounded in {limits.elapsed - loaded:.2f}s")
    options = replace(options, time_limit=limits.remaining, memory_limit=memory_limit)

    with Interrupt() as interrupt, LiveFigures(not as_json) as live:

        def searching(statistics: Statistics) -> bool:
            live.searching(statistics)
            return not interrupt.asked

        def improving(so_far: ImprovedPlan) -> bool:
            live.improving(so_far)
            return not interrupt.asked

        outcome = solve(
            start, bound, options, improve=improvement, progress=searching, improving=improving,
            on_plan=series.write if series else None,
        )  # fmt: skip
    written = ""
    if outcome.solved:
        if series is not None:
            end = [] if outcome.improved is None else [ENDS_OF_IMPROVEMENT[outcome.improved.status]]
            written = "\n".join([*end, series.summary])
        elif output is not None:
            write_text_atomically(output, outcome.plan_text)
            written = f"Plan written to {output}"
        elif not as_json:
            say(outcome.plan_text, nl=False)
    if as_json:
        plans = {} if series is None else {"plans": series.plans}
        print_json(plan_as_json(outcome, limits) | plans)
    else:
        report(outcome, limits, written)
    raise typer.Exit(EXIT_CODES[outcome.status])


def _bind_model(
    path: Path, domain: Domain, problem: Problem, message_steps: int | None
) -> tuple[Start, BoundHeuristic]:
    """The problem's initial state on the atoms of a task that the model knows, and the model's heuristic for it."""
    model = load_model(path)
    if message_steps is not None:
        model = model.with_settings(message_steps=message_steps)
    model.check_domain(domain.text, domain.source)
    start = model.start(problem.text, problem.source)
    return start, model.heuristic(start.task)
