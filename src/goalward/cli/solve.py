"""``goalward solve``: solve many initial states with one model."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.text import Text

from goalward.baselines.hgn_model import DOMAIN_FORMAT
from goalward.cli.limits import Interrupt
from goalward.cli.live import errors
from goalward.cli.plan import EXIT_CODES
from goalward.errors import ExitCode, UsageError
from goalward.measures import format_count, format_duration, parse_batches, parse_duration, parse_size
from goalward.search import TURNS, SearchOptions, SearchResult, Statistics, Status, search
from goalward.search.checking import check_plan
from goalward.search.heuristics import BoundHeuristic
from goalward.search.model import Model, load_model
from goalward.task.lifted import Domain
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.plan_file import format_plan, write_text_atomically
from goalward.task.sexpr import read_text
from goalward.task.states import StateReader
from goalward.task.store import stored_format
from goalward.task.strips import Ints


@dataclass(frozen=True)
class Row:
    """One line of the result."""

    state: str
    status: str
    plan_length: int | None
    cost: int | None
    expanded: int
    evaluated: int
    generated: int
    initial_h: float
    search_time: float
    plan_file: str | None


def solve(
    model: Annotated[Path, typer.Argument(help="model file made by goalward train", show_default=False)],
    states: Annotated[
        list[Path], typer.Argument(help="PDDL problem files; only their :init is used", show_default=False)
    ],
    time_limit: Annotated[
        float, typer.Option(parser=parse_duration, metavar="DURATION", help="for each state")
    ] = "30s",  # type: ignore[assignment]
    memory_limit: Annotated[
        int | None, typer.Option(parser=parse_size, metavar="SIZE", help="of the whole process: 512M, 4G")
    ] = None,
    batch: Annotated[
        str,
        typer.Option(
            metavar="N[,N…]",
            help="expand this many of the best states at once, 1 is the paper's GBFS; several: searches take turns",
        ),
    ] = ",".join(map(str, TURNS)),
    jobs: Annotated[int, typer.Option(help="states solved at the same time", min=1)] = 1,
    plans: Annotated[Path | None, typer.Option(help="folder for one plan file per solved state")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="print a CSV table and nothing else")] = False,
) -> None:
    """Solve a model's problem from many initial states; every plan is checked on the PDDL."""
    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    started = time.monotonic()
    if stored_format(model) == DOMAIN_FORMAT:
        raise UsageError(
            f"{model}: a model of a whole domain holds no problem to solve; "
            f"use it with goalward plan DOMAIN PROBLEM --model {model}"
        )
    loaded = load_model(model)
    texts = [read_text(path) for path in states]
    reader = StateReader(loaded.task)
    inits = [reader.parse(text, str(path)) for text, path in zip(texts, states, strict=True)]
    if plans is not None:
        plans.mkdir(parents=True, exist_ok=True)
    names = _plan_names(states, plans)
    options = SearchOptions(time_limit=time_limit, memory_limit=memory_limit, batch=parse_batches(batch))
    solver = _Solver(loaded, options, jobs)
    plain = not (as_json or as_csv)
    if plain:
        typer.echo(f"Loaded {model} and {len(states)} states in {time.monotonic() - started:.2f}s")
    rows: list[Row] = []
    with Interrupt() as interrupt, _progress(len(states), plain) as show:
        for i, result in enumerate(solver.run(inits, interrupt)):
            rows.append(solver.report(result, texts[i], str(states[i]), names[i]))
            if plain:
                show(rows, typer.style(_line(rows[-1]), dim=not result.solved))
            if interrupt.asked:
                break
    summary = _summary(rows, time.monotonic() - started, len(states))
    if as_json:
        typer.echo(
            json.dumps({"model": str(model), "states": [asdict(row) for row in rows], "summary": summary}, indent=2)
        )
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, list(Row.__dataclass_fields__))
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    else:
        typer.echo(_summary_lines(summary))
    if interrupt.asked:
        raise typer.Exit(ExitCode.INTERRUPTED)
    failed = [Status(row.status) for row in rows if row.status != Status.SOLVED.value]
    raise typer.Exit(EXIT_CODES[failed[0]] if failed else ExitCode.SUCCESS)


def _plan_names(states: list[Path], folder: Path | None) -> list[Path | None]:
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


class _Solver:
    """Searches in threads: native search leaves the interpreter free, and the weights are shared."""

    def __init__(self, model: Model, options: SearchOptions, jobs: int) -> None:
        self.model = model
        self.options = options
        self.jobs = jobs
        self.domain: Domain = parse_domain(model.task.domain_text, "the model's domain")

    def run(self, inits: list[Ints], interrupt: Interrupt) -> Iterator[SearchResult]:
        heuristics: list[BoundHeuristic] = [self.model.heuristic() for _ in range(min(self.jobs, len(inits)))]

        def one(init: Ints) -> SearchResult:
            heuristic = heuristics.pop()
            try:
                return search(self.model.task, heuristic, self.options, init=init, progress=go_on)
            finally:
                heuristics.append(heuristic)

        def go_on(_: Statistics) -> bool:
            return not interrupt.asked

        if self.jobs == 1:
            yield from map(one, inits)
            return
        with ThreadPoolExecutor(self.jobs) as pool:
            yield from pool.map(one, inits)

    def report(self, result: SearchResult, text: str, source: str, plan_file: Path | None) -> Row:
        if result.solved:
            check_plan(self.domain, parse_problem(text, source, self.domain), result)
            if plan_file is not None:
                write_text_atomically(plan_file, format_plan(result.steps, result.cost, not result.task.uses_costs))
        s = result.statistics
        return Row(
            state=source,
            status=result.status.value,
            plan_length=result.length if result.solved else None,
            cost=result.cost if result.solved else None,
            expanded=s.expanded,
            evaluated=s.evaluated,
            generated=s.generated,
            initial_h=s.initial_h,
            search_time=round(s.seconds, 6),
            plan_file=str(plan_file) if plan_file is not None and result.solved else None,
        )


def _line(row: Row) -> str:
    rate = row.evaluated / row.search_time if row.search_time > 0 else 0.0
    length = "-" if row.plan_length is None else f"{row.plan_length} step(s)"
    return (
        f"{row.state}: {row.status}, {length}, {row.expanded} expanded, {row.evaluated} evaluated, "
        f"{format_count(rate)} evaluations/s, {row.search_time:.3f}s"
    )


@contextlib.contextmanager
def _progress(total: int, enabled: bool) -> Iterator[Any]:
    """Result lines on stdout; on a terminal, how far we are below them."""
    if not enabled or not errors.is_terminal:
        yield lambda rows, line: typer.echo(line)
        return
    # Results belong to stdout even where progress is shown; on a shared terminal rich keeps the two apart.
    shared = sys.stdout.isatty()
    with Live(console=errors, auto_refresh=False, transient=True, redirect_stdout=shared) as live:

        def show(rows: list[Row], line: str) -> None:
            typer.echo(line)
            solved = sum(row.status == Status.SOLVED.value for row in rows)
            live.update(Text(f"{len(rows)} of {total} states, {solved} solved", style="dim"), refresh=True)

        yield show


def _summary(rows: list[Row], seconds: float, total: int) -> dict[str, Any]:
    solved = [row for row in rows if row.status == Status.SOLVED.value]
    time_searching = sum(row.search_time for row in rows)
    return {
        "states": total,
        "tried": len(rows),
        "solved": len(solved),
        "coverage": len(solved) / total if total else 0.0,
        "median_expanded": statistics.median(row.expanded for row in solved) if solved else None,
        "median_plan_length": statistics.median(row.plan_length or 0 for row in solved) if solved else None,
        "evaluations_per_second": sum(row.evaluated for row in rows) / time_searching if time_searching else None,
        "search_time": round(time_searching, 6),
        "total_time": round(seconds, 6),
    }


def _summary_lines(summary: dict[str, Any]) -> str:
    rate = summary["evaluations_per_second"]
    lines = [f"Solved {summary['solved']} of {summary['states']} states, every plan valid."]
    if summary["solved"]:
        lines.append(
            f"Median plan length {summary['median_plan_length']:g}, median expansions {summary['median_expanded']:g}."
        )
    if rate:
        lines.append(f"{format_count(rate)} evaluations/s; {format_duration(summary['search_time'])} of search.")
    lines.append(f"Total time: {summary['total_time']:.6f}s")
    return "\n".join(lines)
