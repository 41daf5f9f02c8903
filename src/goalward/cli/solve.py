"""``goalward solve``: solve many initial states with one model, one row of a table for each."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from goalward import _core
from goalward.cli.console import complain, on_terminal, print_json, say, say_wrapped
from goalward.cli.limits import Limits
from goalward.cli.outputs import check_output
from goalward.cli.parameters import CSV, FORCE, JSON, MEMORY_LIMIT, argument, command, flag, path_flag, time_limit
from goalward.cli.searching import CORES, EXIT_CODES, IMPROVE, parse_improvement, search_flag
from goalward.cli.signals import Interrupt
from goalward.declared import BATCHES
from goalward.errors import ExitCode, GoalwardError, LimitError, UsageError
from goalward.measures import counted, format_batches, format_count, format_duration, format_short_duration
from goalward.outward import csv_text
from goalward.search import TURNS, Algorithm, Statistics, Status
from goalward.search.learned import load_model
from goalward.search.planning import LearnedModel
from goalward.search.solving import TIME_LIMIT, Outcome, solve_all
from goalward.search.starts import Start
from goalward.search.strategy import NetworkUse, describe_cost_ratio, network_use, strategy_for
from goalward.task.plan_file import write_text_atomically
from goalward.task.sexpr import read_text
from goalward.task.states import missing_facts

Row = dict[str, Any]
"""The result for one state: its file, the figures of its outcome, and the file of its plan."""

INVALID = "invalid input"
"""The status of a state whose file could not be read as a state of the model."""


@command(
    argument("model", "model file made by goalward train or train-domain"),
    argument("states", "PDDL problem files; a model of one problem uses only their :init", nargs=-1, required=True),
    time_limit("time limit for each state, including its share of the time for loading", default=TIME_LIMIT),
    MEMORY_LIMIT,
    search_flag(
        "default: hybrid; portfolio if training found that the model does not help",
        more=". The paper's is gbfs with --batch 1; portfolio does not use the model",
    ),
    flag(
        "--batch",
        help="expand this many of the best states at once; several: searches take turns; in hybrid search it is for "
        "the searches with the model alone",
        kind=BATCHES,
        note=f"default: {format_batches(TURNS)} for hybrid and gbfs, otherwise 1",
    ),
    IMPROVE,
    flag("--jobs", help="states solved at the same time, each on --cores", default=1, low=1),
    CORES,
    path_flag("--plans", help="folder for one plan file per solved state"),
    FORCE,
    JSON,
    CSV,
)
def solve(
    model: Path,
    states: tuple[Path, ...],
    time_limit: float,
    memory_limit: int | None,
    algorithm: str | None,
    batch: tuple[int, ...] | None,
    improve: str | None,
    jobs: int,
    cores: int,
    plans: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Solve a model's problem from many initial states; every plan is checked on the PDDL.

    A file that cannot be read as a state is reported, and the others are solved.
    """
    if as_json and as_csv:
        raise UsageError("choose one of --json and --csv")
    improvement = parse_improvement(improve)
    turns = -(-len(states) // jobs)
    limits = Limits.of_command(time_limit * turns, memory_limit)
    plan_files = _plan_files(states, plans)
    if plans is not None:
        plans.mkdir(parents=True, exist_ok=True)
        for file in plan_files.values():
            check_output(file, [model, *states], force=force)
    begun = limits.elapsed
    with limits.enforce("loading the model and reading the states"):  # a domain model grounds each state's problem
        loaded = load_model(model)
        starts = [_read(loaded, path) for path in states]
    readable = [start for start in starts if isinstance(start, Start)]
    if not readable and len(starts) == 1 and isinstance(starts[0], GoalwardError):
        raise starts[0]
    strategy = strategy_for(loaded, algorithm=cast(Algorithm | None, algorithm), batch=batch)
    share = limits.elapsed / turns  # of the time that all states needed together
    options = replace(
        strategy.options, time_limit=max(time_limit - share, 1e-3), memory_limit=memory_limit, cores=cores
    )
    plain = not (as_json or as_csv)
    if plain:
        say(f"Loaded {model} and {counted(len(readable), 'state')} in {format_duration(limits.elapsed - begun)}")
        if algorithm is None and options.algorithm == "portfolio":
            say_wrapped(_without_the_network(loaded))
    rows: list[Row] = []
    costs = any(start.task.uses_costs for start in readable)
    results = _Results(states, jobs, costs=costs, plain=plain)
    with Interrupt() as interrupt, results.live:
        results.show_counts()

        def progress(figures: Statistics) -> bool:
            results.searching(figures)
            return interrupt.go_on()

        outcomes = solve_all(readable, strategy.bind, options, jobs=jobs, improve=improvement, progress=progress)
        for path, start in zip(states, starts, strict=True):
            if isinstance(start, GoalwardError):
                rows.append({"state": str(path), "status": INVALID, "error": str(start)})
            else:
                rows.append(_row(next(outcomes), plan_files.get(path)))
            results.add(rows[-1])
            if interrupt.asked:
                break
    _complain(rows, starts)
    summary = _summary(rows, limits.elapsed, len(states)) | {"validation": describe_cost_ratio(loaded.info)}
    rows = _with_all_columns(rows)
    if as_json:
        print_json({"model": str(model), "states": rows, "summary": summary})
    elif as_csv:
        cells = [{name: _cell(value) for name, value in row.items()} for row in rows]
        click.echo(csv_text(list(rows[0]), cells), nl=False)
    else:
        say_wrapped(_summary_lines(summary))
    return ExitCode.INTERRUPTED if interrupt.asked else _exit_code(rows, starts)


def _read(model: LearnedModel, path: Path) -> Start | GoalwardError:
    """The state in a file, or the error if it cannot be read."""
    try:
        return model.start(read_text(path), str(path))
    except LimitError:
        raise
    except GoalwardError as error:
        return error


def _complain(rows: list[Row], starts: Sequence[Start | GoalwardError]) -> None:
    """One line on stderr for each state that could not be read, or that has no plan and seems to lack a fact."""
    for row, start in zip(rows, starts, strict=False):
        if isinstance(start, GoalwardError):
            complain(str(start))
        elif not is_solved(row) and (warning := missing_facts(start.task, start.atoms, start.source)):
            complain(warning)


def _exit_code(rows: list[Row], starts: Sequence[Start | GoalwardError]) -> int:
    """The exit code for the first state that was not solved; success if all were solved."""
    for row, start in zip(rows, starts, strict=True):
        if isinstance(start, GoalwardError):
            return start.exit_code
        if not is_solved(row):
            return EXIT_CODES[Status(row["status"])]
    return ExitCode.SUCCESS


def _with_all_columns(rows: list[Row]) -> list[Row]:
    """The same rows, all with the same columns: None for everything that is not known of a state."""
    columns = dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def _without_the_network(model: LearnedModel) -> str:
    if model.info.get("network_share"):
        return (
            "Training found that the network is good for improving plans, but not for finding them, so it is only "
            "used for improvement (--search hybrid uses it for both)."
        )
    unknown = network_use(model.info) is NetworkUse.UNKNOWN
    found = "could not tell whether this model helps" if unknown else "found that this model does not help"
    return f"Training {found}: searching without it (--search hybrid uses it)."


def _cell(value: Any) -> Any:
    """Counts by name and lists of names become JSON in a cell."""
    return json.dumps(value) if isinstance(value, dict | list) else value


def _plan_files(states: Sequence[Path], folder: Path | None) -> dict[Path, Path]:
    """Plan files named after the state files; names of folders are added to keep states of the same name apart."""
    if folder is None:
        return {}
    distinct = list(dict.fromkeys(states))
    stems = [path.stem for path in distinct]
    if len(set(stems)) < len(stems):
        stems = [path.name for path in distinct]
    if len(set(stems)) < len(stems):
        common = Path(os.path.commonpath([path.absolute().parent for path in distinct]))
        stems = ["-".join(path.absolute().relative_to(common).parts) for path in distinct]
    return {path: folder / f"{stem}.plan" for path, stem in zip(distinct, stems, strict=True)}


def _row(outcome: Outcome, plan_file: Path | None) -> Row:
    """The figures of one state; writes its plan to the file if it is solved."""
    written = plan_file is not None and outcome.solved
    if plan_file is not None and outcome.solved:
        write_text_atomically(plan_file, outcome.plan_text)
    return {
        "state": outcome.start.source,
        **outcome.record(),
        "total_time": round(outcome.search_time + outcome.improve_time, 6),
        "plan_file": str(plan_file) if written else None,
        "error": None,
    }


def _summary(rows: list[Row], seconds: float, total: int) -> dict[str, Any]:
    solved = [row for row in rows if is_solved(row)]
    searched = [row for row in rows if row["status"] != INVALID]
    time_searching = sum(row["search_time"] for row in searched)
    return {
        "states": total,
        "tried": len(rows),
        "solved": len(solved),
        "coverage": len(solved) / total if total else 0.0,
        "median_expanded": statistics.median(row["expanded"] for row in solved) if solved else None,
        "median_plan_length": statistics.median(row["plan_length"] or 0 for row in solved) if solved else None,
        "evaluations_per_second": sum(row["evaluated"] for row in searched) / time_searching
        if time_searching
        else None,
        "search_time": round(time_searching, 6),
        "improve_time": round(sum(row["improve_time"] for row in searched), 6),
        "total_time": round(seconds, 6),
        "peak_memory": _core.peak_memory(),
    }


def _summary_lines(summary: dict[str, Any]) -> str:
    rate = summary["evaluations_per_second"]
    valid = ", every plan valid" if summary["solved"] else ""
    lines = [f"Solved {summary['solved']} of {counted(summary['states'], 'state')}{valid}."]
    if summary["solved"]:
        lines.append(
            f"Median plan length {summary['median_plan_length']:g}, median expansions {summary['median_expanded']:g}."
        )
    if rate:
        improved = (
            f", {format_short_duration(summary['improve_time'])} of improvement" if summary["improve_time"] else ""
        )
        searched = format_short_duration(summary["search_time"])
        lines.append(f"{format_count(rate)} evaluations/s; {searched} of search{improved}.")
    if summary["validation"]:
        lines.append(f"On validation states, {summary['validation']}.")
    lines.append(f"Total time: {format_duration(summary['total_time'])}")
    return "\n".join(lines)


# --- the table ---

WIDTHS = {"status": 11, "steps": 5, "first": 5, "cost": 5, "expanded": 8, "search": 8, "improve": 8, "total": 8}
MIN_NAME = 12
LOOK_INTERVAL = 0.25
"""Seconds of search between two updates of its figures; drawing takes milliseconds, too long for short searches."""


def is_solved(row: Row) -> bool:
    """True if a plan was found."""
    return bool(row["status"] == Status.SOLVED.value)


class StateTable:
    """The header and the rows as text. Rows are printed one by one, so the widths are fixed in advance.

    ``first`` is the length of the plan before it was improved. If the PDDL has costs, ``cost`` takes its place.
    """

    def __init__(self, states: Sequence[Path], *, costs: bool) -> None:
        second = "cost" if costs else "first"  # 80 columns have no room for both
        self._columns = ["status", "steps", second, "expanded", "search", "improve", "total"]
        self._names = {str(state): str(state) for state in states}
        room = sys.maxsize
        if sys.stdout.isatty():  # a row should be one line
            room = max(shutil.get_terminal_size().columns - sum(WIDTHS[c] + 2 for c in self._columns), MIN_NAME)
        if max(map(len, self._names)) > room and len({state.parent for state in states}) == 1:
            self._names = {str(state): state.name for state in states}
        shortened = {state: _without_first_folders(name, room) for state, name in self._names.items()}
        if len(set(shortened.values())) == len(shortened):
            self._names = shortened
        self._names = {
            state: name if len(name) <= room else "…" + name[len(name) - room + 1 :]
            for state, name in self._names.items()
        }
        self._width = max(len("state"), *map(len, self._names.values()))

    def header(self) -> str:
        """The titles of the columns."""
        return self._line("state", {column: column for column in self._columns})

    def row(self, row: Row) -> str:
        """The figures of one state."""
        name = self._names[str(row["state"])]
        if row["status"] == INVALID:
            return f"{name:{self._width}}  {row['status']}"
        known = {
            "status": row["status"],
            "steps": _or_dash(row["plan_length"]),
            "first": _or_dash(row["first_plan_length"]),
            "cost": _or_dash(row["cost"]),
            "expanded": str(row["expanded"]),
            "search": format_short_duration(row["search_time"]),
            "improve": format_short_duration(row["improve_time"]),
            "total": format_short_duration(row["total_time"]),
        }
        evicted = f"  without {', '.join(row['evicted'])} for lack of memory" if row.get("evicted") else ""
        return self._line(name, known) + evicted

    def _line(self, name: str, cells: dict[str, str]) -> str:
        parts = [f"{name:{self._width}}", f"{cells['status']:{WIDTHS['status']}}"]
        parts += [f"{cells[column]:>{WIDTHS[column]}}" for column in self._columns[1:]]
        return "  ".join(parts)


def _without_first_folders(name: str, room: int) -> str:
    """The name, without so many of its first folders that the rest fits into ``room`` columns if possible."""
    while len(name) > room and "/" in name.removeprefix("…/"):
        name = "…/" + name.removeprefix("…/").partition("/")[2]
    return name


def _or_dash(value: Any) -> str:
    return "-" if value is None else str(value)


class _Results:
    """Prints the rows of the table on stdout as states are solved, and shows the progress below them on a terminal."""

    def __init__(self, states: Sequence[Path], jobs: int, *, costs: bool, plain: bool) -> None:
        self._table = StateTable(states, costs=costs) if plain else None
        self._total = len(states)
        self._jobs = jobs
        self._done = self._solved = 0
        self._next_look = LOOK_INTERVAL
        self.live: Any = contextlib.nullcontext()
        self._shown = plain and on_terminal()
        if self._shown:
            from goalward.cli.live import LiveFigures  # noqa: PLC0415 - slow to load

            self.live = LiveFigures()
        if self._table is not None:
            say(self._table.header())

    def add(self, row: Row) -> None:
        """Count a finished state and print its row."""
        self._done += 1
        self._solved += is_solved(row)
        self._next_look = LOOK_INTERVAL
        if self._table is not None:
            say(self._table.row(row))
        self.show_counts()

    def show_counts(self) -> None:
        """Show how many states are done, on a terminal."""
        if self._shown:
            self.live.update(self._counts())

    def searching(self, figures: Statistics) -> None:
        """A search is running; the figures of several at a time would take turns, so they are not shown."""
        if self._shown and self._jobs == 1 and figures.seconds >= self._next_look:
            self._next_look = figures.seconds + LOOK_INTERVAL
            self.live.searching(figures, self._counts())

    def _counts(self) -> str:
        return f"{self._done} of {counted(self._total, 'state')} done, {self._solved} solved"
