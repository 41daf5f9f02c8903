"""``goalward plan``: find a plan for one problem."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from goalward import _core
from goalward.cli.flags import search_flag
from goalward.cli.limits import Limits
from goalward.cli.live import live_search, spinner
from goalward.cli.signals import Interrupt
from goalward.errors import ExitCode, LimitError, UsageError
from goalward.measures import format_batches, parse_batches, parse_duration, parse_size
from goalward.search import (
    HEURISTICS,
    TURNS,
    Algorithm,
    BoundHeuristic,
    Statistics,
    Status,
    bind_heuristic,
    prepare,
)
from goalward.search.heuristics import check_heuristic
from goalward.search.learned import load_model
from goalward.search.solving import (
    AS_LONG_AS_SEARCH,
    SHORT,
    Improvement,
    Outcome,
    Start,
    default_search,
    initial_state,
    solve,
)
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import write_text_atomically

EXIT_CODES = {
    Status.SOLVED: ExitCode.SUCCESS,
    Status.UNSOLVABLE: ExitCode.SEARCH_UNSOLVABLE,
    Status.EXHAUSTED: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
    Status.OUT_OF_TIME: ExitCode.OUT_OF_TIME,
    Status.OUT_OF_MEMORY: ExitCode.OUT_OF_MEMORY,
    Status.CANCELLED: ExitCode.INTERRUPTED,
    Status.OUT_OF_EXPANSIONS: ExitCode.SEARCH_UNSOLVED_INCOMPLETE,
}

EARLY_ENDS = {
    ExitCode.TRANSLATE_UNSOLVABLE: Status.UNSOLVABLE,
    ExitCode.OUT_OF_TIME: Status.OUT_OF_TIME,
    ExitCode.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
}

SENTENCES = {
    Status.SOLVED: "Solution found.",
    Status.UNSOLVABLE: "No plan exists: all reachable states have been searched.",
    Status.EXHAUSTED: "Search ended without a plan and without proof that there is none.",
    Status.OUT_OF_TIME: "Time limit reached.",
    Status.OUT_OF_MEMORY: "Memory limit reached.",
    Status.CANCELLED: "Interrupted.",
    Status.OUT_OF_EXPANSIONS: "Limit of expansions reached.",
}


IMPROVE = typer.Option(
    "--improve",
    metavar="DURATION|none",
    help="improve the plan for so long after the search, within the time limit  "
    f"[default: as long as the search took, at least {SHORT:g}s]",
    show_default=False,
)


def parse_improvement(text: str | None) -> Improvement | None:
    """How long to improve plans, from what was typed."""
    return AS_LONG_AS_SEARCH if text is None else Improvement.of(text)


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
        search_flag("  [default: lama; gbfs with --heuristic, hybrid with --model]"),
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
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="write the plan to this file instead of printing it")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
) -> None:
    """Find a plan and check it before reporting it."""
    limits = Limits(time_limit, memory_limit)
    if model is not None and heuristic is not None:
        raise UsageError("a model is a heuristic itself: give --model or --heuristic, not both")
    if message_steps is not None and model is None:
        raise UsageError("--message-steps goes with --model and a model made by goalward train-domain")
    name = check_heuristic("ff" if heuristic is None else heuristic)
    if output is not None:
        check_output(output)
    improvement = parse_improvement(improve)
    if algorithm is None and heuristic is not None:
        algorithm = "gbfs"
    options = default_search(
        learned=model is not None,
        algorithm=cast(Algorithm | None, algorithm),
        batch=None if batch is None else parse_batches(batch),
    )
    options = replace(options, weight=weight, unit_costs=None if costs is None else costs == "unit")
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
            typer.echo(json.dumps(_early_end_as_json(error, limits), indent=2))
            raise typer.Exit(error.exit_code) from None
        raise
    task = start.task
    if not as_json:
        typer.echo(f"Task: {task.n_atoms} atoms, {task.n_operators} operators, grounded in {limits.elapsed:.2f}s")
    options = replace(options, time_limit=limits.remaining, memory_limit=memory_limit)

    with Interrupt() as interrupt, live_search(not as_json) as show:

        def progress(statistics: Statistics) -> bool:
            show(statistics)
            return not interrupt.asked

        outcome = solve(start, bound, options, improve=improvement, progress=progress)
    if outcome.solved:
        if output is not None:
            write_text_atomically(output, outcome.plan_text)
        elif not as_json:
            typer.echo(outcome.plan_text, nl=False)
    if as_json:
        typer.echo(json.dumps(_as_json(outcome, limits), indent=2))
    else:
        report(outcome, limits, output)
    raise typer.Exit(EXIT_CODES[outcome.status])


def check_output(output: Path) -> None:
    """Say now, not after an hour of search, that the plan could not be written."""
    if output.is_dir():
        raise UsageError(f"{output}: is a directory, not a file")
    if not output.parent.is_dir():
        raise UsageError(f"{output}: cannot be written, there is no directory {output.parent}")


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


def report(outcome: Outcome, limits: Limits, output: Path | None) -> None:
    """Print the lines that Downward Lab's parsers read."""
    s = outcome.statistics
    lines = [f"Initial heuristic value for {outcome.measured_by}: {_format_h(s.initial_h)}", SENTENCES[outcome.status]]
    if outcome.solved:
        lines += [f"Plan length: {outcome.length} step(s).", f"Plan cost: {outcome.cost}", "Plan valid."]
        if outcome.improved is not None:
            lines.append(f"Cost before improvement: {outcome.found.cost} ({outcome.found.length} step(s))")
        if output is not None:
            lines.append(f"Plan written to {output}")
    lines += [
        f"Expanded {s.expanded} state(s).",
        f"Reopened {s.reopened} state(s).",
        f"Evaluated {s.evaluated} state(s).",
        f"Evaluations: {sum(n for _, n in s.evaluations_by_heuristic) or s.evaluated}",
        f"Generated {s.generated} state(s).",
        f"Dead ends: {s.dead_ends} state(s).",
        f"Number of registered states: {s.stored}",
        *(f"Evaluations by {name}: {count}" for name, count in s.evaluations_by_heuristic),
        *(f"Expansions by {name}: {count}" for name, count in s.expansions_by_queue if count),
        *([f"Led to the goal by {s.led_by}."] if s.led_by else []),
        f"Search time: {outcome.search_time:.6f}s",
        f"Improvement time: {outcome.improve_time:.6f}s",
        f"Total time: {limits.elapsed:.6f}s",
        f"Peak memory: {_core.peak_memory() // 1024} KB",
    ]
    typer.echo("\n".join(lines))


def _format_h(h: float) -> str:
    """A whole number without exponent where h is one; ``infinity`` in dead ends, as Fast Downward writes it."""
    if math.isinf(h):
        return "infinity"
    return f"{h:.0f}" if h.is_integer() else f"{h:g}"


def _early_end_as_json(error: UnsolvableError | LimitError, limits: Limits) -> dict[str, Any]:
    return {
        "status": EARLY_ENDS[error.exit_code].value,
        "reason": str(error),
        "plan": None,
        "plan_length": None,
        "cost": None,
        "valid": None,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }


def _as_json(outcome: Outcome, limits: Limits) -> dict[str, Any]:
    return {
        **outcome.record(),
        "plan": outcome.steps,
        "better_plans": outcome.better_plans,
        "valid": True if outcome.solved else None,
        "heuristic": outcome.heuristic,
        "atoms": outcome.start.task.n_atoms,
        "operators": outcome.start.task.n_operators,
        "seconds": outcome.search_time,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }
