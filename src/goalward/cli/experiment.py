"""``goalward experiment run`` and ``status``: many trainings and searches, on this machine or on a cluster."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from goalward.cli.console import print_json, say
from goalward.cli.live import LiveFigures, spinner
from goalward.cli.parameters import FOLDER, JSON, argument, command, flag, path_flag, settings_flag, switch
from goalward.cli.signals import Interrupt
from goalward.cli.summaries import show_summaries
from goalward.cli.terminal import make_table, print_table
from goalward.declared import WHOLE
from goalward.errors import ExitCode, UsageError
from goalward.experiments.benchmark import find_instances
from goalward.experiments.clusters import cores, existing_cluster, local_cluster, slurm_cluster, submit_script
from goalward.experiments.config import Config, load_config
from goalward.experiments.progress import Progress
from goalward.experiments.runner import experiment_lock, is_running, open_store, prepare, run_experiment
from goalward.experiments.store import FILE_NAME, Store, Unit
from goalward.experiments.summary import summarise
from goalward.experiments.units import Schedule
from goalward.extras import require_torch
from goalward.measures import counted, format_duration
from goalward.outward import printable

LINE_SECONDS = 60.0


@command(
    argument("config", "a TOML file, or smoke, paper-table, paper-seeds, paper-grid, paper-speed", type=str),
    path_flag("--output", "-o", help="folder of the experiment; results in it are kept", required=True),
    flag("--jobs", help="units at the same time", kind=WHOLE, low=1, note="default: one per core"),
    path_flag("--benchmark", help="folder of the benchmark, instead of the config's"),
    settings_flag("change the config: budgets.train=60s, states=3", "KEY=VALUE"),
    flag("--scheduler", help="a Dask scheduler that runs the units", metavar="tcp://…"),
    switch("--slurm", help="run workers as Slurm jobs, --jobs of them"),
    switch("--retry-failed", help="run the failed units again"),
    switch("--dry-run", help="list the units without running them"),
)
def run(
    config: str,
    output: Path,
    jobs: int | None,
    benchmark: Path | None,
    settings: tuple[str, ...],
    scheduler: str | None,
    slurm: bool,
    retry_failed: bool,
    dry_run: bool,
) -> int:
    """Run an experiment, or what is left of it: the same command continues an experiment that was stopped.

    Ctrl-C stops it and keeps all results so far.
    """
    if scheduler is not None and slurm:
        raise UsageError("choose one of --scheduler and --slurm")
    if scheduler is not None and jobs is not None:
        raise UsageError("--jobs is for this machine and for --slurm; a scheduler has its own workers")
    chosen = load_config(config, settings, benchmark)
    for name in chosen.missing:
        say(f"{name} is skipped: Fast Downward is not installed (pip install 'goalward[baselines]')", err=True)
    if dry_run:
        _show_schedule(chosen, output, slurm)
        return ExitCode.SUCCESS
    if not (scheduler or slurm) and any(contestant.kind != "planner" for contestant in chosen.methods):
        require_torch("learning in an experiment")
    n_jobs = jobs or cores()
    logs = output.absolute() / "slurm"
    cluster = (
        partial(existing_cluster, scheduler)
        if scheduler
        else partial(slurm_cluster, chosen, n_jobs, logs)
        if slurm
        else partial(local_cluster, n_jobs)
    )
    output.mkdir(parents=True, exist_ok=True)
    with experiment_lock(output), open_store(output) as store:
        with spinner("preparing"):
            schedule = prepare(chosen, output, store)
            if retry_failed:
                store.forget((unit.id for unit in schedule.units), "failed")
        progress = Progress.of(store.progress(), chosen.budgets)
        with Interrupt() as interrupt:
            observer = _Observer(progress, n_jobs, interrupt)
            with observer.figures:
                complete = run_experiment(schedule, store, cluster, observer)
        _show_end(store, progress, output, complete=complete)
    return ExitCode.SUCCESS if complete else ExitCode.INTERRUPTED


def _show_end(store: Store, progress: Progress, output: Path, *, complete: bool) -> None:
    """Print the results over all instances, seeds and states, and how to continue."""
    summaries = summarise(store.results())
    if summaries:
        show_summaries(summaries)
        say()
    say(_line(progress))
    for reason, number in store.failures():
        say(f"failed: {number} × {reason}")
    if not complete:
        say("Interrupted: run the same command again to continue.")
    if summaries:
        folder = shlex.quote(str(output))
        say(f"Tables and plots: goalward experiment report {folder} -o {folder}/report.html")


@command(FOLDER, JSON)
def status(folder: Path, as_json: bool) -> None:
    """Show the progress of an experiment."""
    with Store(folder / FILE_NAME) as store:
        rows = store.progress()
        failures = store.failures()
        name = store.meta().get("name", folder.name)
    running = is_running(folder)
    if as_json:
        print_json({"name": name, "running": running, "methods": rows, "failures": failures})
        return
    print_table(_table(rows))
    done, units = sum(row["done"] for row in rows), sum(row["units"] for row in rows)
    state = "running" if running else "complete" if done == units else "stopped; run it again to continue"
    say(f"{name}: {done} of {units} units done, {state}")
    for reason, number in failures:
        say(f"failed: {number} × {reason}")


def _show_schedule(config: Config, output: Path, slurm: bool) -> None:
    """Print every unit, and for Slurm the script of a job."""
    if slurm:
        say(submit_script(config, output.absolute() / "slurm"))
    schedule = Schedule(config, find_instances(config, output, write=False), output)
    for unit in schedule.units:
        say(unit.id)
    trainings = sum(unit.kind == "train" for unit in schedule.units)
    searches = counted(len(schedule.units) - trainings, "search", "searches")
    say(
        f"{counted(len(schedule.units), 'unit')}: {counted(trainings, 'training')}, {searches}; "
        f"at most {format_duration(schedule.max_seconds())} on one core"
    )


def _table(rows: Iterable[dict[str, Any]], running: Mapping[tuple[str, str], int] | None = None) -> Table:
    now = [] if running is None else ["running"]
    lines = []
    for row in rows:
        training = row["kind"] == "train"
        numbers = [row["done"], row["units"], "" if training else row["solved"], row["failed"] or ""]
        if running is not None:
            numbers.append(running.get((row["method"], row["kind"]), 0) or "")
        mean = "" if row["mean_time"] is None else format_duration(row["mean_time"])
        name = printable(row["method"])
        lines.append([name, "trainings" if training else "searches", *map(str, numbers), mean])
    return make_table(["method", "units", "done", "of", "solved", "failed", *now, "mean time"], lines, left=2)


def _line(progress: Progress) -> str:
    lost = f", {progress.lost} lost and started again" if progress.lost else ""
    solved, searches = progress.searches()
    return (
        f"{progress.total('done')} of {progress.total('units')} units done, {progress.total('failed')} failed{lost}; "
        f"{solved} of {counted(searches, 'search', 'searches')} solved"
    )


class _Observer:
    """Shows the progress: a table on a terminal, otherwise a line per minute, on stderr."""

    def __init__(self, progress: Progress, jobs: int, interrupt: Interrupt) -> None:
        self.progress, self.jobs, self.interrupt = progress, jobs, interrupt
        self.started, self.finished = progress.started, progress.finished
        self.figures = LiveFigures()
        self._said = time.monotonic()

    def lost(self, unit: Unit, reason: str) -> None:
        self.progress.was_lost(unit)
        self.figures.say(f"{unit.id}: {reason}; it will be started again")

    def stopped(self) -> bool:
        return self.interrupt.asked

    def tick(self) -> None:
        if self.figures.shown:
            line = "stopping" if self.interrupt.asked else self.line()
            self.figures.update(_table(self.progress.rows.values(), self.progress.running), Text(line, "dim"))
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            self.figures.say(self.line())

    def line(self) -> str:
        done, units = self.progress.total("done"), self.progress.total("units")
        if done == units:
            return _line(self.progress)
        # The table on a terminal has the other figures.
        head = f"{done} of {units} units done" if self.figures.shown else _line(self.progress)
        running = self.progress.running.total()
        now = f"{running} running" if running else "waiting for workers"
        seconds = self.progress.seconds_left(self.jobs)
        remaining = f"{math.ceil(seconds)} s" if seconds < 60 else format_duration(seconds)
        return f"{head}; {now}, about {remaining} left"
