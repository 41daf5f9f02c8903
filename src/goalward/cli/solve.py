"""``goalward solve``: solve many initial states with one model."""

from __future__ import annotations

import json
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from goalward import _core
from goalward.cli.console import on_terminal, print_json, say
from goalward.cli.limits import Limits
from goalward.cli.plan_output import EXIT_CODES
from goalward.cli.search_flags import CORES, IMPROVE, parse_improvement, search_flag
from goalward.cli.signals import Interrupt
from goalward.cli.solved_states import Results, Row, is_solved
from goalward.errors import ExitCode, UsageError
from goalward.measures import (
    format_batches,
    format_count,
    format_duration,
    parse_batches,
    parse_duration,
    parse_size,
)
from goalward.outward import csv_text
from goalward.search import (
    TURNS,
    Algorithm,
    Statistics,
    Status,
)
from goalward.search.learned import load_model
from goalward.search.solving import TIME_LIMIT, Outcome, solve_all
from goalward.search.strategy import strategy_for
from goalward.task.plan_file import write_text_atomically
from goalward.task.sexpr import read_text


def solve(
    model: Annotated[
        Path, typer.Argument(help="model file made by goalward train or train-domain", show_default=False)
    ],
    states: Annotated[
        list[Path],
        typer.Argument(help="PDDL problem files; a model of one problem uses only their :init", show_default=False),
    ],
    time_limit: Annotated[
        float, typer.Option(parser=parse_duration, metavar="DURATION", help="for each state, and its share of loading")
    ] = f"{TIME_LIMIT:g}s",  # type: ignore[assignment]
    memory_limit: Annotated[
        int | None, typer.Option(parser=parse_size, metavar="SIZE", help="of the whole process: 512M, 4G")
    ] = None,
    algorithm: Annotated[
        str | None,
        search_flag(
            ". The paper's is gbfs with --batch 1; portfolio leaves the model out  "
            "[default: hybrid; portfolio where training did not find the model of use]"
        ),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N…]",
            help="expand this many of the best states at once; several: searches take turns; in hybrid search it is "
            f"about those with the model alone  [default: {format_batches(TURNS)} for hybrid and gbfs, otherwise 1]",
            show_default=False,
        ),
    ] = None,
    improve: Annotated[str | None, IMPROVE] = None,
    jobs: Annotated[int, typer.Option(help="states solved at the same time, each on --cores", min=1)] = 1,
    cores: Annotated[int, CORES] = 1,
    plans: Annotated[Path | None, typer.Option(help="folder for one plan file per solved state")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="print a CSV table and nothing else")] = False,
) -> None:
    """Solve a model's problem from many initial states; every plan is checked on the PDDL."""
    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    improvement = parse_improvement(improve)
    started = time.monotonic()
    turns = -(-len(states) // jobs)
    limits = Limits.of_command(time_limit * turns, memory_limit)
    with limits.enforce("loading the model and reading the states"):  # a model of a domain grounds each of them
        loaded = load_model(model)
        starts = [loaded.start(read_text(path), str(path)) for path in states]
    if plans is not None:
        plans.mkdir(parents=True, exist_ok=True)
    plan_files = _plan_files(states, plans)
    strategy = strategy_for(
        loaded,
        algorithm=cast(Algorithm | None, algorithm),
        batch=None if batch is None else parse_batches(batch),
    )
    share = limits.elapsed / turns  # of what all states needed
    options = replace(
        strategy.options, time_limit=max(time_limit - share, 1e-3), memory_limit=memory_limit, cores=cores
    )
    plain = not (as_json or as_csv)
    if plain:
        say(f"Loaded {model} and {len(states)} states in {time.monotonic() - started:.2f}s")
        if algorithm is None and options.algorithm == "portfolio":
            say("Training did not find this model of use: searching without it (--search hybrid uses it).")
    rows: list[Row] = []
    with Interrupt() as interrupt, _results(len(states), jobs, plain) as results:

        def progress(figures: Statistics) -> bool:
            results.searching(figures)
            return not interrupt.asked

        outcomes = solve_all(starts, strategy.bind, options, jobs=jobs, improve=improvement, progress=progress)
        for outcome, plan_file in zip(outcomes, plan_files, strict=True):
            rows.append(_row(outcome, plan_file))
            results.add(rows[-1])
            if interrupt.asked:
                break
    summary = _summary(rows, limits.elapsed, len(states)) | {"validation": _validation(loaded.info)}
    if as_json:
        print_json({"model": str(model), "states": rows, "summary": summary})
    elif as_csv:
        columns = list(dict.fromkeys(name for row in rows for name in row))  # a part may have been evicted in some
        typer.echo(csv_text(columns, [[_cell(row.get(name)) for name in columns] for row in rows]), nl=False)
    else:
        say(_summary_lines(summary))
    if interrupt.asked:
        raise typer.Exit(ExitCode.INTERRUPTED)
    failed = [Status(row["status"]) for row in rows if not is_solved(row)]
    raise typer.Exit(EXIT_CODES[failed[0]] if failed else ExitCode.SUCCESS)


def _results(total: int, jobs: int, plain: bool) -> Results:
    if not (plain and on_terminal()):
        return Results(plain)
    from goalward.cli.live_states import LiveResults  # noqa: PLC0415 - slow to load

    return LiveResults(total, jobs)


def _cell(value: Any) -> Any:
    """Counts by name and lists of names are JSON inside a table."""
    return json.dumps(value) if isinstance(value, dict | list) else value


def _plan_files(states: list[Path], folder: Path | None) -> list[Path | None]:
    """Plan files named after the state files; different folders keep states of the same name apart."""
    if folder is None:
        return [None] * len(states)
    stems = [path.stem for path in states]
    if len(set(stems)) < len(stems):
        stems = [path.name for path in states]
    if len(set(stems)) < len(stems):
        common = Path(os.path.commonpath([path.absolute().parent for path in states]))
        stems = ["-".join(path.absolute().relative_to(common).parts) for path in states]
    return [folder / f"{stem}.plan" for stem in stems]


def _row(outcome: Outcome, plan_file: Path | None) -> Row:
    """The figures of one state; writes its plan if there is one and a place for it."""
    written = plan_file is not None and outcome.solved
    if plan_file is not None and outcome.solved:
        write_text_atomically(plan_file, outcome.plan_text)
    return {"state": outcome.start.source, **outcome.record(), "plan_file": str(plan_file) if written else None}


def _summary(rows: list[Row], seconds: float, total: int) -> dict[str, Any]:
    solved = [row for row in rows if is_solved(row)]
    time_searching = sum(row["search_time"] for row in rows)
    return {
        "states": total,
        "tried": len(rows),
        "solved": len(solved),
        "coverage": len(solved) / total if total else 0.0,
        "median_expanded": statistics.median(row["expanded"] for row in solved) if solved else None,
        "median_plan_length": statistics.median(row["plan_length"] or 0 for row in solved) if solved else None,
        "evaluations_per_second": sum(row["evaluated"] for row in rows) / time_searching if time_searching else None,
        "search_time": round(time_searching, 6),
        "improve_time": round(sum(row["improve_time"] for row in rows), 6),
        "total_time": round(seconds, 6),
        "peak_memory": _core.peak_memory(),
    }


def _validation(info: dict[str, Any]) -> str | None:
    """What training found on validation states of the cost of plans; None if it did not compare any."""
    ratio = info.get("cost_ratio")
    if ratio is None or not info.get("quality_states"):
        return None
    if not info.get("network_share"):
        return "the network did not make plans cheaper in the same time; improvement leaves it out"
    return f"plans cost {ratio:.2f} of those found without the network in the same time"


def _summary_lines(summary: dict[str, Any]) -> str:
    rate = summary["evaluations_per_second"]
    valid = ", every plan valid" if summary["solved"] else ""
    lines = [f"Solved {summary['solved']} of {summary['states']} states{valid}."]
    if summary["solved"]:
        lines.append(
            f"Median plan length {summary['median_plan_length']:g}, median expansions {summary['median_expanded']:g}."
        )
    if rate:
        improved = f", {format_duration(summary['improve_time'])} of improving plans" if summary["improve_time"] else ""
        searched = format_duration(summary["search_time"])
        lines.append(f"{format_count(rate)} evaluations/s; {searched} of search{improved}.")
    if summary["validation"]:
        lines.append(f"On validation states, {summary['validation']}.")
    lines.append(f"Total time: {summary['total_time']:.6f}s")
    return "\n".join(lines)
