"""``goalward compare``: several methods on the same instance and states."""

from __future__ import annotations

import contextlib
import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward.baselines.comparison import (
    CompareOptions,
    Comparison,
    Contestant,
    MethodResult,
    Run,
    parse_contestants,
)
from goalward.cli.limits import Interrupt
from goalward.cli.live import errors, spinner
from goalward.errors import ExitCode, UsageError
from goalward.measures import format_count, format_duration, parse_batches, parse_duration, parse_size
from goalward.search import TURNS

DEFAULT_METHODS = "n-rsl,rsl,ff"


def compare(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file; learned methods train on it", show_default=False)],
    states: Annotated[
        list[Path], typer.Argument(help="PDDL problem files; only their :init is used", show_default=False)
    ],
    methods: Annotated[
        str,
        typer.Option(metavar="NAME[=MODEL],…", help="what to compare, see goalward methods; =MODEL skips training"),
    ] = DEFAULT_METHODS,
    train_limit: Annotated[
        float, typer.Option(parser=parse_duration, metavar="DURATION", help="for the training of each method")
    ] = "2m",  # type: ignore[assignment]
    time_limit: Annotated[
        float, typer.Option(parser=parse_duration, metavar="DURATION", help="for each state")
    ] = "30s",  # type: ignore[assignment]
    memory_limit: Annotated[
        int | None, typer.Option(parser=parse_size, metavar="SIZE", help="of the process that searches: 512M, 4G")
    ] = None,
    seed: Annotated[int, typer.Option(help="of all training", min=0)] = 0,
    batch: Annotated[
        str, typer.Option(metavar="N[,N…]", help="states that searches with learned heuristics expand at once")
    ] = ",".join(map(str, TURNS)),
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="METHOD.NAME=VALUE", help="an option of a method that is trained: n-rsl.length=50"
        ),
    ] = None,
    models: Annotated[Path | None, typer.Option(help="folder that keeps the trained models")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="print one line per run as CSV and nothing else")] = False,
) -> None:
    """Train what must be trained, solve every state with each method, and print one table.

    Ctrl-C ends the comparison; what has been measured by then is shown.
    """
    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    contestants = parse_contestants(methods, settings or ())
    if models is not None:
        models.mkdir(parents=True, exist_ok=True)
    options = CompareOptions(train_limit, time_limit, memory_limit, seed, parse_batches(batch), models)
    with Interrupt() as interrupt, _observer(contestants, len(states), interrupt) as observer:
        with spinner("grounding"):
            comparison = Comparison(domain, problem, states, options, observer)
        results = comparison.run(contestants)
    if as_json:
        runs = [asdict(run) for result in results for run in result.runs]
        typer.echo(json.dumps({"methods": [result.summary() for result in results], "runs": runs}, indent=2))
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(asdict(run) for result in results for run in result.runs)
    else:
        print_table(results)
    raise typer.Exit(ExitCode.INTERRUPTED if interrupt.asked else ExitCode.SUCCESS)


def print_table(results: list[MethodResult]) -> None:
    """One line per method; below it, what did not go as it should."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("method")
    for title in ("solved", "training", "expanded", "evaluations/s", "length", "time"):
        table.add_column(title, justify="right")
    for result in results:
        table.add_row(*_cells(result.summary()))
    Console(highlight=False).print(table)
    typer.echo("expanded, length and time are medians over solved states")
    for result in results:
        if result.failure:
            typer.echo(f"{result.method}: {result.failure}")
        for run in result.runs:
            if not run.solved:
                why = f" ({run.reason})" if run.reason else ""
                typer.echo(f"{result.method}: {run.state}: {run.status}{why}")


def _cells(summary: dict[str, Any]) -> list[str]:
    def shown(value: float | None, text: str) -> str:
        return "-" if value is None else text

    training, expanded, rate = (
        summary["training_seconds"],
        summary["median_expanded"],
        summary["evaluations_per_second"],
    )
    length, seconds = summary["median_plan_length"], summary["median_seconds"]
    return [
        summary["method"],
        f"{summary['solved']}/{summary['states']}",
        shown(training, format_duration(training or 0)),
        shown(expanded, format_count(expanded or 0)),
        shown(rate, format_count(rate or 0)),
        shown(length, f"{length or 0:g}"),
        shown(seconds, format_duration(seconds or 0)),
    ]


class _PlainObserver:
    """A line per event on stderr."""

    def __init__(self, contestants: list[Contestant], n_states: int, interrupt: Interrupt) -> None:
        self.total = len(contestants) * n_states
        self.interrupt = interrupt
        self.done = 0
        self.solved = 0

    def training(self, method: str) -> Any:
        self.show(f"{method}: training")
        return _QuietWatcher(self, method)

    def trained(self, method: str, seconds: float, notes: dict[str, Any]) -> None:
        told = "".join(f", {name.replace('_', ' ')} {value}" for name, value in notes.items())
        self.show(f"{method}: trained in {format_duration(seconds)}{told}")

    def run(self, run: Run) -> None:
        self.done += 1
        self.solved += run.solved
        length = "" if run.plan_length is None else f", {run.plan_length} step(s)"
        self.show(f"{run.method}: {run.state}: {run.status}{length}, {run.seconds:.2f}s")

    def stopped(self) -> bool:
        return self.interrupt.asked

    def show(self, line: str) -> None:
        typer.echo(line, err=True)

    def update(self, line: str) -> None:
        """Something small has happened."""


class _LiveObserver(_PlainObserver):
    """One line on a terminal that says how far we are."""

    def __init__(self, contestants: list[Contestant], n_states: int, interrupt: Interrupt, live: Live) -> None:
        super().__init__(contestants, n_states, interrupt)
        self.live = live

    def show(self, line: str) -> None:
        self.update(line)

    def update(self, line: str) -> None:
        head = f"{self.done} of {self.total} runs, {self.solved} solved   "
        self.live.update(Text.assemble((head, "dim"), line), refresh=True)


class _QuietWatcher:
    """Training inside a comparison: a line per method is enough, but Ctrl-C must get through."""

    def __init__(self, observer: _PlainObserver, method: str) -> None:
        self.observer = observer
        self.method = method

    def phase(self, name: str, trial: int) -> None:
        self.observer.update(f"{self.method}: {name}, trial {trial + 1}")

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        pass

    def epoch(self, trial: int, epoch: Any, solved: Any) -> bool:
        self.observer.update(f"{self.method}: trial {trial + 1}, epoch {epoch.number}")
        return not self.observer.stopped()

    def message(self, text: str) -> None:
        self.observer.show(f"{self.method}: {text}")


@contextlib.contextmanager
def _observer(contestants: list[Contestant], n_states: int, interrupt: Interrupt) -> Iterator[_PlainObserver]:
    if not errors.is_terminal:
        yield _PlainObserver(contestants, n_states, interrupt)
        return
    with Live(console=errors, auto_refresh=False, transient=True) as live:
        yield _LiveObserver(contestants, n_states, interrupt, live)
