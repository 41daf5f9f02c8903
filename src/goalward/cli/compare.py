"""``goalward compare``: several methods on the same instance and states."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from goalward.cli.console import complain, print_json, say
from goalward.cli.limits import Limits
from goalward.cli.live import LiveFigures, spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import (
    DOMAIN,
    FORCE,
    JSON,
    STATES,
    argument,
    command,
    flag,
    path_flag,
    settings_flag,
    switch,
    time_limit,
)
from goalward.cli.signals import Interrupt
from goalward.cli.summaries import show_summaries
from goalward.declared import BATCHES, DURATION, SIZE
from goalward.errors import ExitCode, UsageError
from goalward.experiments.comparison import Comparison, parse_methods
from goalward.experiments.config import Budgets
from goalward.experiments.store import Result, Unit
from goalward.experiments.summary import Entry, MethodSummary, summarise
from goalward.learning.probes import Probe
from goalward.learning.results import Epoch
from goalward.learning.watchers import Watcher
from goalward.measures import counted, format_duration
from goalward.outward import csv_text, printable

DEFAULT_METHODS = "n-rsl,rsl,ff"
COLUMNS = (
    "method", "state", "status", "plan_length", "cost", "expansions", "evaluations", "generated", "initial_h",
    "search_time", "total_time", "error",
)  # fmt: skip
"""Columns of the table of runs, named as in the results of experiments."""


@command(
    DOMAIN,
    argument("problem", "PDDL problem file; learned methods train on it"),
    STATES,
    flag(
        "--methods",
        help="methods to compare, see goalward methods; =MODEL skips training",
        default=DEFAULT_METHODS,
        metavar="NAME[=MODEL],…",
    ),
    flag(
        "--train-limit",
        help="time limit for the training of each method, including grounding",
        kind=DURATION,
        default=Budgets.train,
    ),
    time_limit("time limit for each state, including grounding or loading", default=Budgets.search),
    flag("--memory-limit", help="memory limit of the process: 512M, 4G", kind=SIZE, default=Budgets.memory),
    flag("--seed", help="random seed of all trainings", default=0, low=0),
    flag(
        "--batch",
        help="states that searches with learned heuristics expand at once; default: as goalward solve",
        kind=BATCHES,
    ),
    settings_flag(
        "an option of a method that is trained, n-rsl.length=50, or of a search, ff.search.batch=8", "METHOD.NAME=VALUE"
    ),
    path_flag("--models", help="folder for the trained models"),
    FORCE,
    JSON,
    switch("--csv", "as_csv", help="print one line per run as CSV and nothing else"),
)
def compare(
    domain: Path,
    problem: Path,
    states: tuple[Path, ...],
    methods: str,
    train_limit: float,
    time_limit: float,
    memory_limit: int,
    seed: int,
    batch: tuple[int, ...] | None,
    settings: tuple[str, ...],
    models: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Train the learned methods, solve every state with each method, and print one table.

    It is a small experiment in one process, with the methods, options, time limits and results of goalward experiment.
    Ctrl-C ends it and shows the results so far.
    """
    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    chosen = parse_methods(methods, settings, batch)
    if models is not None:
        models.mkdir(parents=True, exist_ok=True)
        inputs = [domain, problem, *states, *(one.model for one in chosen)]
        for one in chosen:
            if one.trains:
                check_output(models / f"{one.config.label}.goalward", inputs, force=force)
    budgets = Budgets(train_limit, time_limit, memory_limit)
    entries: list[Entry] = []
    with tempfile.TemporaryDirectory(prefix="goalward-") as scratch, Interrupt() as interrupt:
        folder = Path(scratch)
        compared = tuple(chosen)
        comparison = Comparison(domain, problem, states, compared, budgets, seed, models or folder, folder, _enforce)
        limits = Limits.of_command(max(train_limit, time_limit), memory_limit)
        with spinner("grounding"), limits.enforce("reading and grounding the problem", signals=False):
            warnings = comparison.check()
        with spinner("loading"):
            comparison.preload()
        observer = _Observer(len(chosen) * len(states), interrupt)
        with observer.figures:
            entries.extend(comparison.run(observer))
    runs = [_run(unit, result) for unit, result in entries if unit.kind == "search"]
    for state, warning in warnings.items():
        if not any(run["state"] == state and run["status"] == "solved" for run in runs):
            complain(warning)
    if as_json:
        summaries = [asdict(summary) for summary in summarise(entries)]
        print_json({"methods": summaries, "runs": runs})
    elif as_csv:
        click.echo(csv_text(COLUMNS, runs), nl=False)
    else:
        _show(summarise(entries), runs)
    return ExitCode.INTERRUPTED if interrupt.asked else ExitCode.SUCCESS


def _enforce(
    seconds: float, memory: int, activity: str, unless: Callable[[], bool] | None = None
) -> AbstractContextManager[None]:
    return Limits(seconds, memory).enforce(activity, signals=False, unless=unless)


def _run(unit: Unit, result: Result) -> dict[str, Any]:
    known = {"method": unit.method, "state": unit.state} | asdict(result)
    return {name: known[name] for name in COLUMNS}


def _show(summaries: list[MethodSummary], runs: list[dict[str, Any]]) -> None:
    """Print the table, and below it the runs that found no plan."""
    show_summaries(summaries)
    for run in runs:
        if run["status"] != "solved":
            why = f" ({run['error']})" if run["error"] else ""
            say(f"{run['method']}: {run['state']}: {run['status']}{why}")


class _Observer:
    """Shows the progress: figures on a terminal, otherwise a line for each event, on stderr."""

    def __init__(self, total: int, interrupt: Interrupt) -> None:
        self.total = total
        self.interrupt = interrupt
        self.figures = LiveFigures()
        self.done = 0
        self.solved = 0

    def begins(self, unit: Unit) -> Watcher | None:
        if unit.kind == "search":
            return None
        self.show(f"{unit.method}: training")
        return _TrainingWatcher(self, unit.method)

    def ended(self, unit: Unit, result: Result) -> None:
        seconds = "" if result.total_time is None else f" in {format_duration(result.total_time)}"
        if unit.kind == "train":
            self.show(f"{unit.method}: {result.status}{seconds}")
            return
        self.done += 1
        self.solved += result.solved
        length = "" if result.plan_length is None else f", {counted(result.plan_length, 'step')}"
        self.show(f"{unit.method}: {unit.state}: {result.status}{length}{seconds}")

    def go_on(self) -> bool:
        return self.interrupt.go_on()

    def show(self, line: str) -> None:
        if self.figures.shown:
            self.update(line)
        else:
            self.figures.say(line)

    def update(self, line: str) -> None:
        """Show a minor event, only on a terminal."""
        head = f"{self.done} of {counted(self.total, 'run')}, {self.solved} solved   "
        self.figures.update(Text.assemble((head, "dim"), printable(line)))


class _TrainingWatcher(Watcher):
    """Watches training inside a comparison: one line per method, and Ctrl-C stops it."""

    def __init__(self, observer: _Observer, method: str) -> None:
        self.observer = observer
        self.method = method
        self.solved = ""

    def phase(self, name: str, trial: int) -> None:
        self.observer.update(f"{self.method}: {name}")

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool:
        if probe is not None:
            self.solved = f", solves {probe.solved} of {counted(probe.states, 'state')}"
        self.observer.update(f"{self.method}: training, epoch {epoch.number}{self.solved}")
        return self.go_on()

    def go_on(self) -> bool:
        return self.observer.go_on()

    def message(self, text: str) -> None:
        self.observer.show(f"{self.method}: {text}")
